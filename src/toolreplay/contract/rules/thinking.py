"""TR406-408, TR412: thinking blocks go back as they came, and nothing before them changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_sequel, on_step
from toolreplay.contract.finding import Broken, Profile, Severity
from toolreplay.contract.models import insists_on_thinking, may_bind_thinking, thinks_only_when_asked
from toolreplay.contract.plain import plain_content, thoughts
from toolreplay.contract.sequel import Sequel
from toolreplay.contract.turns import Context, Step
from toolreplay.contract.wording import for_wire
from toolreplay.wire.fields import items, mapping, text
from toolreplay.wire.model import Thinking, ToolResult, Wire

_ON: Final = ("enabled", "adaptive")


@on_step(
    "TR406",
    "thinking-dropped",
    "WEW",
    evidence="400 reported in Kilo-Org/kilocode#5219, mastra-ai/mastra#7799, n8n-io/n8n#22550 (Claude 3.7 "
    "to 4.5: an error; on Converse anomalyco/opencode#3077); docs: extended-thinking, graceful thinking "
    "degradation (later models)",
    answers={Wire.MESSAGES: [wording.THINKING_EXPECTED]},
    about=(ToolResult,),
)
def thinking_dropped(step: Step, context: Context) -> Iterator[Broken]:
    """A tool loop goes on without the thinking that it began with.

    With `thinking: enabled` it is an error where the reply is known to have thought, and for models up to
    Claude 4.5, which refuse it; later ones stop thinking for the rest of the turn, a warning.

    Why: a tool loop is one turn of the model's, and its thinking is at the start. A client that builds the
    assistant message from texts and calls loses it.
    Fix: append the reply's content to the history as it came, thinking and redacted_thinking blocks
        included.
    Good:
        model: claude-sonnet-4-5
        thinking: {type: enabled, budget_tokens: 1024}
        tools: [{name: weather, input_schema: {type: object}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - role: assistant
            content:
              - {type: thinking, thinking: Look it up., signature: c2ln}
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        model: claude-sonnet-4-5
        thinking: {type: enabled, budget_tokens: 1024}
        tools: [{name: weather, input_schema: {type: object}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    if not step.last or not step.answers or step.before is None or step.loop is None:
        return
    mode = thinking_mode(context)
    if mode not in _ON:
        return
    dropped = context.sequel is not None and context.sequel.dropped_thinking
    if not dropped and (mode != "enabled" or step.thought):
        return
    first = step.before.blocks[0] if dropped else None
    place = first.place if first is not None else step.loop
    found = text(mapping(first.raw if first is not None else None).get("type")) or "tool_use"
    certain = mode == "enabled" and (dropped or insists_on_thinking(context.request.model))
    yield Broken(
        path=place.path,
        message="the tool loop has no thinking" if not dropped else "the thinking of the reply is gone",
        api=for_wire(context.wire, wording.THINKING_EXPECTED.format(at=place.dotted, found=found)),
        severity=Severity.ERROR if certain else Severity.WARNING if mode == "adaptive" else None,
    )


@on_sequel(
    "TR407",
    "thinking-altered",
    "EEE",
    evidence="400 reported in anthropics/claude-code#63574 and #42373; docs: api/errors",
    answers={Wire.MESSAGES: [wording.THINKING_MODIFIED, wording.THINKING_SIGNATURE]},
)
def thinking_altered(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """A thinking block is not the one that the reply had.

    Why: text and signature are checked together. Cutting or trimming the text, putting two blocks together,
    or a scrubber that touches signatures makes the request fail, and every later one.
    Fix: keep thinking blocks byte by byte, in their order; leave all of an older turn's out if they take too
        much room.
    Good:
        request: {messages: [{role: user, content: Hi}]}
        reply: {content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]}
        next:
          messages:
            - {role: user, content: Hi}
            - role: assistant
              content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]
            - {role: user, content: And now}
    Bad:
        request: {messages: [{role: user, content: Hi}]}
        reply: {content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]}
        next:
          messages:
            - {role: user, content: Hi}
            - role: assistant
              content: [{type: thinking, thinking: Greet, signature: c2ln}, {type: text, text: Hello}]
            - {role: user, content: And now}
    """
    if sequel.verbatim or not sequel.thinking_kept or sequel.thinking_kept == sequel.thinking_served:
        return
    kept = [block for message in sequel.echo for block in message.blocks if isinstance(block, Thinking)]
    served = plain_content(sequel.thinking_served)
    for index, block in enumerate(kept):
        if plain_content([block.raw])[0] != (served[index] if index < len(served) else None):
            yield Broken(
                path=block.place.path,
                message="the thinking is not that of the reply",
                api=for_wire(context.wire, wording.THINKING_MODIFIED.format(at=block.place.dotted)),
            )
            return
    if len(kept) < len(served):
        last = kept[-1].place
        words = f"the reply had {len(served)} thinking blocks, and {len(kept)} of them come back"
        yield Broken(last.path, words, for_wire(context.wire, wording.THINKING_MODIFIED.format(at=last.dotted)))


@on_step(
    "TR408",
    "thinking-left-over",
    "WE-",
    evidence="400 reported in tailcallhq/forgecode#1853 and #1195 (Claude 4 and 4.5: an error where "
    "thinking is off unless it is asked for)",
    answers={Wire.MESSAGES: [wording.THINKING_WHILE_OFF]},
    about=(Thinking,),
)
def thinking_left_over(step: Step, context: Context) -> Iterator[Broken]:
    """Thinking stands in an assistant message that ends the request, while thinking is off.

    Why: the API would have the model go on with thinking that it may not do. It happens when thinking is
    switched off for a summary or a retry of a turn that began with it.
    Fix: leave the thinking blocks out of a final assistant message, or ask for thinking.
    Good:
        messages:
          - {role: user, content: Count to three}
          - role: assistant
            content: [{type: thinking, thinking: One., signature: c2ln}, {type: text, text: One}]
          - {role: user, content: Go on}
    Bad:
        messages:
          - {role: user, content: Count to three}
          - role: assistant
            content: [{type: thinking, thinking: One., signature: c2ln}, {type: text, text: One}]
    """
    if not step.last or step.turn.role != "assistant" or step.turn.uses or thinking_mode(context) in _ON:
        return
    left = next((block for block in step.turn.blocks if isinstance(block, Thinking)), None)
    if left is None:
        return
    off = thinking_mode(context) == "disabled" or thinks_only_when_asked(context.request.model)
    certain = off or context.profile is Profile.GATEWAY
    api = wording.THINKING_WHILE_OFF.format(at=step.turn.api_place(left.place, context)) if certain else None
    yield Broken(
        path=left.place.path,
        message="thinking stands in the final assistant message while thinking is off",
        api=api,
        severity=Severity.ERROR if certain else None,
    )


@on_sequel(
    "TR412",
    "prefix-changed-under-thinking",
    "WW-",
    evidence="docs: thinking-troubleshooting, prefix checks on thinking blocks (400: The block is bound to a "
    "different conversation; accounts created since 2026-08-31)",
)
def prefix_changed_under_thinking(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """What stands before a thinking block changed, and the block is kept.

    System prompt, tools and earlier messages stand before it.

    Why: the newest models (Fable 5.1, the 5.5 models) bind a thinking block to all that stood before it and
    refuse it elsewhere. Moved `cache_control` and a changed effort are fine.
    Fix: keep what stands before a thinking block as it was, or leave the block out together with its turn's
        others; put what changes (a date, a status) into the newest user message.
    Good:
        request: {system: Be brief., messages: [{role: user, content: Hi}]}
        reply: {content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]}
        next:
          system: Be brief.
          messages:
            - {role: user, content: Hi}
            - role: assistant
              content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]
            - {role: user, content: And now}
    Bad:
        request: {system: It is 12:30., messages: [{role: user, content: Hi}]}
        reply: {content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]}
        next:
          system: It is 12:31.
          messages:
            - {role: user, content: Hi}
            - role: assistant
              content: [{type: thinking, thinking: Greet., signature: c2ln}, {type: text, text: Hello}]
            - {role: user, content: And now}
    """
    if sequel.thread is not None or not may_bind_thinking(context.request.model):
        return
    where = _changed_prefix(sequel)
    if where is None:
        return
    path, start = where
    if _thinks_from(sequel.request.raw_messages, start):
        yield Broken(path, f"{path} changed, and thinking blocks that came after it are kept")


def thinking_mode(context: Context) -> str | None:
    """`enabled` (manual), `adaptive`, `disabled`, or None where the request says nothing."""
    body = context.request.body
    if context.wire is Wire.CONVERSE:
        body = mapping(body.get("additionalModelRequestFields"))
    asked = mapping(body.get("thinking")) or mapping(body.get("reasoning_config"))
    return text(asked.get("type"))


def _changed_prefix(sequel: Sequel) -> tuple[str, int] | None:
    """What changed that stands before messages, and the index of the first message after it."""
    before, now = sequel.before.body, sequel.request.body
    if before.get("system") != now.get("system") and plain_content(before.get("system")) != plain_content(
        now.get("system")
    ):
        return "system", 0
    if sequel.tools is not sequel.tools_before and sequel.tools.plain != sequel.tools_before.plain:
        return sequel.tools.root, 0
    changed = sequel.stripped if sequel.changed is None else sequel.changed
    if changed is not None and changed < len(sequel.request.raw_messages):
        return f"messages[{changed}]", changed + 1
    return None


def _thinks_from(raw: Sequence[object], start: int) -> bool:
    for index in range(len(raw) - 1, start - 1, -1):
        content = items(mapping(raw[index]).get("content"))
        if content and next(thoughts(content), None) is not None:
            return True
    return False
