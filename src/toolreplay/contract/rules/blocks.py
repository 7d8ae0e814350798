"""TR2xx: the tool blocks themselves: their ids, their input, the role of the message they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_message, on_step
from toolreplay.contract.finding import Broken, Profile, Severity
from toolreplay.contract.turns import Context, Step, Turn
from toolreplay.contract.wording import named, shown
from toolreplay.wire.model import MISSING, Message, Place, ServerToolUse, ToolResult, ToolUse, Wire

MESSAGES_ID = re.compile(r"[a-zA-Z0-9_-]+")
SERVER_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
CONVERSE_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")  # botocore, bedrock-runtime 2023-09-30: ToolUseId


@on_step(
    "TR201",
    "duplicate-tool-use-id",
    "EEE",
    evidence="400 reported in anthropics/claude-code#20901, HKUDS/nanobot#4442; an id in two turns: "
    "200 recorded in pydantic/pydantic-ai (test_cross_provider_capability_replay)",
    answers={Wire.MESSAGES: [wording.DUPLICATE_USE], Wire.CONVERSE: [wording.DUPLICATE_USE_ON_CONVERSE]},
    alone=True,
    about=(ToolUse,),
)
def duplicate_tool_use_id(step: Step, context: Context) -> Iterator[Broken]:
    """One id stands on two tool_use blocks.

    Why: a result could not tell which of the two calls it answers. It comes from stream deltas that are added
    twice, from ids that are cut or "sanitised" until they are equal, and from calls stored in two formats. In
    two different turns the first-party API has taken it: a warning there.
    Fix: send each call once, with the id the model gave it; make ids of your own unique over the
        conversation.
    Good:
        messages:
          - {role: user, content: Weather in Oslo and Bergen}
          - role: assistant
            content:
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
              - {type: tool_use, id: toolu_2, name: weather, input: {city: Bergen}}
          - role: user
            content:
              - {type: tool_result, tool_use_id: toolu_1, content: rain}
              - {type: tool_result, tool_use_id: toolu_2, content: fog}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo and Bergen}
          - role: assistant
            content:
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Bergen}}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    first: dict[str, Place] = {}
    for use in step.turn.uses:
        if not use.id:
            continue  # TR202
        if use.id in first:
            yield Broken(
                path=use.place.path,
                message=f"the id of tool_use {named(use)} already stands at {first[use.id].path}",
                api=_answer_for_duplicate(use, step.turn, context),
            )
            continue
        first[use.id] = use.place
        earlier = step.seen.get(use.id)
        if earlier is not None:
            yield Broken(
                path=use.place.path,
                message=f"the id of tool_use {named(use)} stands in an earlier turn too, at {earlier.path}",
                severity=None if context.profile is Profile.CONVERSE else Severity.WARNING,
            )


@on_message(
    "TR202",
    "invalid-tool-use-id",
    "EEE",
    evidence="400 reported in maximhq/bifrost#5097, ding113/claude-code-hub#470 (server tools); Converse: "
    "botocore service model bedrock-runtime 2023-09-30 (pattern and length)",
    answers={Wire.MESSAGES: [wording.USE_ID_PATTERN, wording.SERVER_USE_ID_PATTERN]},
    alone=True,
    about=(ToolUse, ServerToolUse),
)
def invalid_tool_use_id(message: Message, context: Context) -> Iterator[Broken]:
    """The id of a tool_use is missing, empty, or not of the wire's form.

    Why: Messages takes letters, digits, `_` and `-`; Converse takes `.` and `:` too, and at most 64
    characters. Ids of other providers (`functions.Bash:0`, `call_1|fc_2`) break it when a conversation moves.
    Fix: keep the ids the API gave; map foreign ids one to one to new ones, on the call and on its result.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: "call_1|fc_2", name: weather, input: {}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: "call_1|fc_2", content: rain}]}
    """
    for block in message.blocks:
        if isinstance(block, ToolUse):
            pattern = CONVERSE_ID if context.wire is Wire.CONVERSE else MESSAGES_ID
            template = wording.USE_ID_PATTERN
        elif isinstance(block, ServerToolUse) and block.type == "server_tool_use" and context.wire is Wire.MESSAGES:
            pattern, template = SERVER_ID, wording.SERVER_USE_ID_PATTERN
        else:
            continue
        if block.id is None or not pattern.fullmatch(block.id):
            known = block.id is not None and context.wire is Wire.MESSAGES
            yield Broken(
                path=block.place.field("id" if context.wire is Wire.MESSAGES else "toolUseId"),
                message=_wrong_id(block.id, pattern),
                api=template.format(at=block.place.dotted) if known else None,
            )


@on_message(
    "TR203",
    "input-not-object",
    "EEE",
    evidence="400 reported in anthropics/claude-code#6695",
    answers={
        Wire.MESSAGES: [wording.INPUT_NOT_OBJECT],
        Wire.CONVERSE: [wording.INPUT_NOT_OBJECT_ON_CONVERSE],
    },
    alone=True,
    about=(ToolUse,),
)
def input_not_object(message: Message, context: Context) -> Iterator[Broken]:
    """The input of a tool_use is not a JSON object.

    Why: a call without arguments has the input `{}`. The usual fault is to echo the text a stream delivered
    (`partial_json`) in place of the object it stands for, or null where a tool takes no arguments.
    Fix: parse the input before the call goes into the history, and send `{}` for no arguments.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: '{"a": 1}'}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    for block in message.blocks:
        if not isinstance(block, ToolUse) or isinstance(block.input, dict):
            continue
        missing = block.input is MISSING
        given = "missing" if missing else kind_of(block.input)
        converse = context.wire is Wire.CONVERSE
        template = wording.INPUT_NOT_OBJECT_ON_CONVERSE if converse else wording.INPUT_NOT_OBJECT
        yield Broken(
            path=block.place.field("input"),
            message=f"the input of tool_use {named(block)} is {given}",
            api=None if missing else template.format(at=block.place.dotted),
        )


@on_step(
    "TR204",
    "misplaced-tool-block",
    "EEE",
    evidence="400 reported in tghamm/Anthropic.SDK#128; docs: handle-tool-calls",
    answers={Wire.MESSAGES: [wording.USE_MISPLACED, wording.RESULT_MISPLACED]},
    alone=True,
    about=(ToolUse, ToolResult),
)
def misplaced_tool_block(step: Step, context: Context) -> Iterator[Broken]:
    """A tool_use stands outside an assistant message, or a tool_result outside a user message.

    Why: the model calls, the client answers; there is no `tool` role on either wire. On Converse the result
    of a system tool (`type: server_tool_use`) does stand in the assistant message.
    Fix: put tool_use blocks into assistant messages and tool_result blocks into user messages; retell the
        work of a sub-agent as text.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Ask the helper about Oslo.}
          - {role: assistant, content: It is done.}
          - role: user
            content:
              - {type: text, text: "The helper did:"}
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
    """
    between = [Turn(message.role, (message,)) for message in step.between]
    for turn in (*between, step.turn):
        for block in turn.misplaced:
            if isinstance(block, ToolResult) and _answers_system_tool(block, turn, step, context):
                continue
            kind, owner = ("tool_use", "assistant") if isinstance(block, ToolUse) else ("tool_result", "user")
            template = wording.USE_MISPLACED if isinstance(block, ToolUse) else wording.RESULT_MISPLACED
            yield Broken(
                path=block.place.path,
                message=f"{kind} stands in a message of role {turn.role!a}, not {owner!r}",
                api=template.format(n=block.place.message) if context.wire is Wire.MESSAGES else None,
            )


def kind_of(value: object) -> str:
    """What a JSON value is, in words: `a string`."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "a list"
    return "an object"


def _answer_for_duplicate(use: ToolUse, turn: Turn, context: Context) -> str:
    if context.wire is Wire.CONVERSE:
        return wording.DUPLICATE_USE_ON_CONVERSE.format(n=use.place.message, id=use.id)
    return wording.DUPLICATE_USE.format(at=turn.api_place(use.place, context))


def _wrong_id(value: str | None, pattern: re.Pattern[str]) -> str:
    if value is None:
        return "the id is missing or no string"
    return f"the id {shown(value)} is empty" if not value else f"the id {shown(value)} does not match {pattern.pattern}"


def _answers_system_tool(result: ToolResult, turn: Turn, step: Step, context: Context) -> bool:
    if context.wire is not Wire.CONVERSE or turn.role != "assistant":
        return False
    return result.id in step.servers or any(use.id == result.id for use in turn.server_uses)
