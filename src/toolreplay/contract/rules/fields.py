"""TR207, TR208: the fields of messages, blocks and tools, and the names of tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import MESSAGE_RULES, TOOL_RULES, also, on_message, on_tools
from toolreplay.contract.finding import Broken, Profile, Severity
from toolreplay.contract.toolset import Toolset, is_client_tool
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import shown
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Message, Text, Thinking, ToolDefinition, ToolResult, ToolUse, Wire

# anthropic 2.14.0, types/beta (messages, blocks and tools); botocore 1.44.8, bedrock-runtime 2023-09-30.
_KNOWN: Final[Mapping[tuple[Wire, str], frozenset[str]]] = {
    (Wire.MESSAGES, "message"): frozenset({"role", "content", "clear_at", "output_config"}),
    (Wire.MESSAGES, "text"): frozenset({"type", "text", "cache_control", "citations"}),
    (Wire.MESSAGES, "tool_use"): frozenset({"type", "id", "name", "input", "cache_control", "caller", "toolset_name"}),
    (Wire.MESSAGES, "tool_result"): frozenset(
        {"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"}
    ),
    (Wire.MESSAGES, "thinking"): frozenset({"type", "thinking", "signature", "data"}),
    (Wire.MESSAGES, "tool"): frozenset(
        [
            "type",
            "name",
            "description",
            "input_schema",
            "cache_control",
            "strict",
            "defer_loading",
            "allowed_callers",
            "input_examples",
            "eager_input_streaming",
        ]
    ),
    (Wire.CONVERSE, "message"): frozenset({"role", "content"}),
    (Wire.CONVERSE, "tool_use"): frozenset({"toolUseId", "name", "input", "type"}),
    (Wire.CONVERSE, "tool_result"): frozenset({"toolUseId", "content", "status", "type"}),
    (Wire.CONVERSE, "tool"): frozenset({"name", "description", "inputSchema", "strict"}),
}
# The fields of which a refusal was seen.
_REFUSED: Final[Mapping[str, frozenset[str]]] = {
    "message": frozenset({"name"}),
    "tool_use": frozenset({"index", "text"}),
    "tool_result": frozenset({"index", "name", "text"}),
}
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_LONGEST: Final = 64
_LONGEST_ON_MESSAGES: Final = 128


@on_message(
    "TR207",
    "unknown-field",
    "EEW",
    evidence="400 reported in anthropics/claude-code#4378 (tool_use), microsoft/autogen#3034 (message); for "
    "fields that were not seen refused, and with betas, a warning",
    answers={Wire.MESSAGES: [wording.EXTRA_FIELD]},
    alone=True,
)
def unknown_field(message: Message, context: Context) -> Iterator[Broken]:
    """A message, a block or a tool has a field that the API does not know.

    Why: the API refuses what it does not know. Such fields are left over from a stream (`index`), from
    another API (`name` on a message or a result), or from a program's own bookkeeping.
    Fix: send the fields the API documents and no others; keep what is your own beside the messages.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - role: assistant
            content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}, index: 1}]
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    found = mapping(message.raw)
    for field in _unknown("message", found, context):
        yield _unknown_in("message", field, f"{message.path}.{field}", f"messages.{message.index}.{field}", context)
    for block in message.blocks:
        if isinstance(block, ToolUse | ToolResult | Text | Thinking) and block.place.block is not None:
            kind = _kind(block)
            for field in _unknown(kind, mapping(block.raw), context):
                place = block.place
                yield _unknown_in(kind, field, place.field(field), f"{place.dotted}.{kind}.{field}", context)


@also(TOOL_RULES, "TR207")
def unknown_field_of_tool(tools: Toolset, context: Context) -> Iterator[Broken]:
    """The same, on the definitions of client tools."""
    for definition in tools.definitions:
        if is_client_tool(definition):
            for field in _unknown("tool", _fields_of(definition), context):
                yield _unknown_in("tool", field, f"{_path_of(definition, context)}.{field}", "", context)


@on_tools(
    "TR208",
    "invalid-tool-name",
    "EEE",
    evidence="400 reported in home-assistant/core#147760; docs: define-tools; Converse: botocore service "
    "model bedrock-runtime 2023-09-30 (ToolName, 1 to 64 characters)",
    answers={Wire.MESSAGES: [wording.TOOL_NAME_PATTERN]},
    alone=True,
)
def invalid_tool_name(tools: Toolset, context: Context) -> Iterator[Broken]:
    """The name of a tool is not of the form that is allowed, in `tools` or in a call.

    Letters, digits, `_` and `-`, at most 64; on the first-party API 65 to 128 characters are a warning.

    Why: the API refuses the request, whatever else is in it. Dots and slashes come from prefixes that keep
    the tools of several servers apart, blanks from titles used as names.
    Fix: make names of letters, digits, `_` and `-`, and map them back to your own on the way in.
    Good:
        tools: [{name: calendar_list, input_schema: {type: object}}]
        messages: [{role: user, content: What is on today}]
    Bad:
        tools: [{name: calendar.list, input_schema: {type: object}}]
        messages: [{role: user, content: What is on today}]
    """
    for definition in tools.definitions:
        if not is_client_tool(definition):
            continue
        path = f"{_path_of(definition, context)}.name"
        at = f"tools.{definition.index}.custom.name"
        if definition.name is None:
            api = wording.FIELD_REQUIRED.format(at=at) if context.wire is Wire.MESSAGES else None
            yield Broken(path, "the tool has no name", api)
        else:
            yield from _wrong_name(definition.name, path, at, context)


@also(MESSAGE_RULES, "TR208", about=(ToolUse,))
def invalid_name_in_call(message: Message, context: Context) -> Iterator[Broken]:
    """The same, in the calls of the history."""
    for block in message.blocks:
        if isinstance(block, ToolUse) and block.name is not None:
            at = f"{block.place.dotted}.tool_use.name"
            yield from _wrong_name(block.name, block.place.field("name"), at, context)


def _unknown(kind: str, found: Mapping[str, object], context: Context) -> Sequence[str]:
    known = _KNOWN.get((context.wire, kind))
    if known is None or known.issuperset(found):
        return ()
    return [field for field in found if field not in known and field != "__type"]


def _unknown_in(kind: str, field: str, path: str, at: str, context: Context) -> Broken:
    refused = field in _REFUSED.get(kind, ()) and not context.request.betas and context.wire is Wire.MESSAGES
    return Broken(
        path=path,
        message=f"{shown(field)} is no field of a {kind}",
        api=wording.EXTRA_FIELD.format(at=at) if refused else None,
        severity=None if refused else Severity.WARNING,
    )


def _kind(block: ToolUse | ToolResult | Text | Thinking) -> str:
    match block:
        case ToolUse():
            return "tool_use"
        case ToolResult():
            return "tool_result"
        case Text():
            return "text"
    return "thinking"


def _fields_of(definition: ToolDefinition) -> Mapping[str, object]:
    raw = mapping(definition.raw)
    return mapping(raw["toolSpec"]) if "toolSpec" in raw else raw


def _path_of(definition: ToolDefinition, context: Context) -> str:
    return f"{definition.path}.toolSpec" if context.wire is Wire.CONVERSE else definition.path


def _wrong_name(name: str, path: str, at: str, context: Context) -> Iterator[Broken]:
    longest = _LONGEST_ON_MESSAGES if context.profile is Profile.MESSAGES else _LONGEST
    if not _NAME.fullmatch(name) or len(name) > longest:
        api = wording.TOOL_NAME_PATTERN.format(at=at) if context.wire is Wire.MESSAGES else None
        yield Broken(path, f"the name {shown(name)} is not 1 to {longest} letters, digits, _ and -", api)
    elif len(name) > _LONGEST:
        yield Broken(
            path,
            f"the name has {len(name)} characters; elsewhere {_LONGEST} are the most",
            severity=Severity.WARNING,
        )
