"""TR506, TR507: cache breakpoints, and tools that change under a running loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_request, on_sequel
from toolreplay.contract.finding import Broken
from toolreplay.contract.sequel import Sequel
from toolreplay.contract.tally import Tally
from toolreplay.contract.toolset import Toolset
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import for_wire, shown
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.model import ToolResult, Wire

MOST_BREAKPOINTS: Final = 4


@on_request(
    "TR506",
    "too-many-cache-breakpoints",
    "EEE",
    evidence="400 reported in continuedev/continue#6937, twentyhq/twenty#26217 (Bedrock)",
    answers={
        Wire.MESSAGES: [wording.TOO_MANY_BREAKPOINTS],
        Wire.CONVERSE: [wording.TOO_MANY_BREAKPOINTS],
    },
)
def too_many_cache_breakpoints(tally: Tally, context: Context) -> Iterator[Broken]:
    """The request has more than four cache breakpoints.

    `cache_control` counts in tools, system prompt and messages, `cachePoint` on Converse;
    `cache_control: null` is none.

    Why: a loop that marks the newest message each turn and leaves the old marks where they are is refused
    from the fifth turn on.
    Fix: move the breakpoint along: mark the newest message and take the mark off the older ones.
    Good:
        cache_control: {type: ephemeral}
        messages: [{role: user, content: Weather in Oslo}]
    Bad:
        cache_control: {type: ephemeral}
        system:
          - {type: text, text: Be brief., cache_control: {type: ephemeral}}
          - {type: text, text: Be kind., cache_control: {type: ephemeral}}
        messages:
          - role: user
            content:
              - {type: text, text: Weather, cache_control: {type: ephemeral}}
              - {type: text, text: in Oslo, cache_control: {type: ephemeral}}
    """
    places = [*_outside(context), *(point.path for point in tally.breakpoints)]
    if len(places) > MOST_BREAKPOINTS:
        api = wording.TOO_MANY_BREAKPOINTS.format(count=len(places))
        words = f"the request has {len(places)} cache breakpoints; {MOST_BREAKPOINTS} are the most"
        yield Broken(places[MOST_BREAKPOINTS], words, for_wire(context.wire, api, api))


@on_sequel(
    "TR507",
    "tools-changed-mid-loop",
    "WWW",
    evidence="docs: troubleshooting-tool-use (a change of tools invalidates the prompt cache)",
)
def tools_changed_mid_loop(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """The tools are not those of the request before, in the middle of a tool loop.

    Why: it is legal and costs the cached prefix, which is most of what a long loop pays for. Often it is no
    decision but a set whose order changes, or a server that was asked again.
    Fix: read the tools once for a conversation and keep their order; add tools later in a `role: system`
        message.
    Good:
        request:
          tools: [{name: weather, input_schema: {type: object}}]
          messages: [{role: user, content: Oslo}]
        reply: {content: [{type: tool_use, id: toolu_1, name: weather, input: {}}], stop_reason: tool_use}
        next:
          tools: [{name: weather, input_schema: {type: object}, cache_control: {type: ephemeral}}]
          messages:
            - {role: user, content: Oslo}
            - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
            - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        request:
          tools: [{name: weather, input_schema: {type: object}}]
          messages: [{role: user, content: Oslo}]
        reply: {content: [{type: tool_use, id: toolu_1, name: weather, input: {}}], stop_reason: tool_use}
        next:
          tools: [{name: weather, input_schema: {type: object}}, {name: map, input_schema: {type: object}}]
          messages:
            - {role: user, content: Oslo}
            - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
            - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    del context
    before, now = sequel.tools_before, sequel.tools
    if before is now or sequel.thread is not None or not _answers(sequel) or before.plain == now.plain:
        return
    yield Broken(now.root, f"the tools changed in the middle of a tool loop: {_difference(before, now)}")


def _outside(context: Context) -> Iterator[str]:
    """The breakpoints outside the messages, in the order in which the API reads them."""
    body = context.request.body
    if body.get("cache_control") is not None:
        yield "cache_control"
    for definition in context.tools.definitions:
        if mapping(definition.raw).get("cache_control") is not None or definition.type == "cachePoint":
            yield definition.path
    for index, block in enumerate(items(body.get("system"))):
        if mapping(block).get("cache_control") is not None or "cachePoint" in mapping(block):
            yield f"system[{index}]"


def _answers(sequel: Sequel) -> bool:
    return any(isinstance(block, ToolResult) for message in sequel.new[-2:] for block in message.blocks)


def _difference(before: Toolset, now: Toolset) -> str:
    added, gone = now.names - before.names, before.names - now.names
    changed = [name for name in now.by_name if name in before.by_name and _differs(name, before, now)]
    told = [
        *(f"{shown(name)} is new" for name in sorted(added)),
        *(f"{shown(name)} is gone" for name in sorted(gone)),
        *(f"{shown(name)} is another" for name in changed),
    ]
    return ", ".join(told[:3]) or "their order"


def _differs(name: str, before: Toolset, now: Toolset) -> bool:
    return before.by_name[name].raw != now.by_name[name].raw
