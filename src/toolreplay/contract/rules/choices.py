"""TR504, TR505: `tool_choice`, and what it goes together with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_request
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.models import refuses_forced_choice
from toolreplay.contract.tally import Tally
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import for_wire, shown
from toolreplay.wire.fields import mapping, text
from toolreplay.wire.model import Wire

from .blocks import kind_of
from .thinking import thinking_mode

_KINDS: Final = {Wire.MESSAGES: ("auto", "any", "tool", "none"), Wire.CONVERSE: ("auto", "any", "tool")}
_FORCED: Final = ("any", "tool")


@on_request(
    "TR504",
    "forced-choice-with-thinking",
    "EEE",
    evidence="400 reported in can1357/oh-my-pi#341, mastra-ai/mastra#7507; docs: extended-thinking (adaptive "
    "thinking is taken: 200 recorded in pydantic/pydantic-ai)",
    answers={Wire.MESSAGES: [wording.FORCED_CHOICE_THINKING]},
)
def forced_choice_with_thinking(tally: Tally, context: Context) -> Iterator[Broken]:
    """A tool is forced (`any`, `tool`) while manual thinking is on.

    Why: forcing a tool begins the reply with the call, which leaves no room for thinking.
    Fix: use `tool_choice: auto` and ask for the tool in words, or `thinking: adaptive`, or no thinking.
    Good:
        thinking: {type: enabled, budget_tokens: 1024}
        tool_choice: {type: auto}
        tools: [{name: weather, input_schema: {type: object}}]
        messages: [{role: user, content: Weather in Oslo}]
    Bad:
        thinking: {type: enabled, budget_tokens: 1024}
        tool_choice: {type: any}
        tools: [{name: weather, input_schema: {type: object}}]
        messages: [{role: user, content: Weather in Oslo}]
    """
    del tally
    choice = choice_of(context)
    if choice is not None and _kind(choice, context.wire) in _FORCED and thinking_mode(context) == "enabled":
        api = for_wire(context.wire, wording.FORCED_CHOICE_THINKING)
        yield Broken(_root(context.wire), "a tool is forced while thinking is enabled", api)


@on_request(
    "TR505",
    "invalid-tool-choice",
    "EEE",
    evidence="docs: define-tools, api/messages, models (Opus 5.5 and Fable 5.1 take no forced choice; a "
    "warning for models of which it is only suspected); botocore service model bedrock-runtime 2023-09-30",
    answers={
        Wire.MESSAGES: [
            wording.CHOICE_NOT_OBJECT,
            wording.CHOICE_TAG,
            wording.CHOICE_WITHOUT_TOOLS,
            wording.CHOICE_UNKNOWN_TOOL,
            wording.CHOICE_REFUSED,
        ]
    },
)
def invalid_tool_choice(tally: Tally, context: Context) -> Iterator[Broken]:
    """`tool_choice` has a wrong form, names no tool, or forces one where none can be.

    Why: it is `{type: auto|any|tool|none}`, with a `name` for `tool` alone; `required` and a plain string
    are those of other APIs. The newest models take no forced choice at all.
    Fix: send `{type: auto}` or leave it out; name a tool of this request's `tools`.
    Good:
        tool_choice: {type: tool, name: weather}
        tools: [{name: weather, input_schema: {type: object}}]
        messages: [{role: user, content: Weather in Oslo}]
    Bad:
        tool_choice: {type: tool, name: forecast}
        tools: [{name: weather, input_schema: {type: object}}]
        messages: [{role: user, content: Weather in Oslo}]
    """
    del tally
    choice = choice_of(context)
    if choice is None:
        return
    root, wire = _root(context.wire), context.wire
    if not isinstance(choice, dict):
        yield Broken(root, f"it is {kind_of(choice)}, not an object", for_wire(wire, wording.CHOICE_NOT_OBJECT))
        return
    kind = _kind(choice, wire)
    if kind not in _KINDS[wire]:
        api = for_wire(wire, wording.CHOICE_TAG.format(kind=kind))
        yield Broken(root, f"{shown(kind)} is none of {', '.join(_KINDS[wire])}", api)
        return
    wrong = _wrong_tool(choice, kind, context)
    if wrong is not None:
        yield wrong
    refused = refuses_forced_choice(context.request.model) if kind in _FORCED else None
    if refused is not None:
        certain = refused is Severity.ERROR
        yield Broken(
            path=root,
            message="this model takes no forced choice" if certain else "this model may take no forced choice",
            api=wording.CHOICE_REFUSED if certain and wire is Wire.MESSAGES else None,
            severity=refused,
        )


def choice_of(context: Context) -> object:
    """`tool_choice`, or Converse's `toolChoice`, as sent; None where there is none."""
    if context.wire is Wire.CONVERSE:
        return mapping(context.request.body.get("toolConfig")).get("toolChoice")
    return context.request.body.get("tool_choice")


def _kind(choice: object, wire: Wire) -> str | None:
    fields = mapping(choice)
    return next(iter(fields), None) if wire is Wire.CONVERSE else text(fields.get("type"))


def _root(wire: Wire) -> str:
    return "toolConfig.toolChoice" if wire is Wire.CONVERSE else "tool_choice"


def _wrong_tool(choice: Mapping[str, object], kind: str | None, context: Context) -> Broken | None:
    root, wire = _root(context.wire), context.wire
    if context.continues_unseen or (not context.tools and context.request.bare):
        return None
    if kind == "any" and not context.tools:
        return Broken(root, "a tool is forced and none is offered", for_wire(wire, wording.CHOICE_WITHOUT_TOOLS))
    if kind != "tool":
        return None
    name = text((mapping(choice.get("tool")) if wire is Wire.CONVERSE else choice).get("name"))
    if name is None:
        return Broken(root, "it forces a tool and names none")
    if name not in context.tools.names:
        api = for_wire(wire, wording.CHOICE_UNKNOWN_TOOL.format(tool=name))
        return Broken(root, f"it names {shown(name)}, and no tool is called so", api)
    return None
