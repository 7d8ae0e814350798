"""The words findings use: the API's own messages as templates, and ids and names as they can be shown.

A template is filled with `str.format`: `{n}` is the index of a message, `{at}` a block
(`messages.2.content.0`), `{id}` and `{ids}` are tool ids, `{tool}` is a tool's name. Where a message was seen
stands in the evidence of the rule that answers with it. The Messages API counts messages after it has joined
neighbours of one role: a recorded 400 places the second of two user messages at `messages.0.content.1`
(anthropic-sdk-python, test_runners snapshot f59a9391).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..wire.model import ToolUse

LONGEST_SHOWN = 80

UNANSWERED = (
    "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
UNANSWERED_ON_CONVERSE = "Expected toolResult blocks at messages.{n}.content for the following Ids: {ids}"
ORPHAN = (
    "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
ORPHAN_WITHOUT_ID = "{at}.tool_result.tool_use_id: Field required"
EXCESS_ON_CONVERSE = (
    "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks "
    "of previous turn."
)
DUPLICATE_RESULT = (
    "{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
)
DUPLICATE_RESULT_ON_CONVERSE = "The toolResult blocks at messages.{n}.content contain duplicate Ids: {id}"
SYSTEM_BETWEEN = (
    "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result"
)
SERVER_TOOL_OPEN = (
    "`{tool}` tool use with id `{id}` was found without a corresponding `{tool}_tool_result` block"
)
MIXED_TURN_ON_CONVERSE = (
    "messages.{n}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
)
DUPLICATE_USE = "{at}: `tool_use` ids must be unique"
DUPLICATE_USE_ON_CONVERSE = "The toolUse blocks at messages.{n}.content contain duplicate Ids: {id}"
USE_ID_PATTERN = "{at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
SERVER_USE_ID_PATTERN = "{at}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"
INPUT_NOT_OBJECT = "{at}.tool_use.input: Input should be an object"
INPUT_NOT_OBJECT_ON_CONVERSE = "The format of the value at {at}.toolUse.input is invalid."
USE_MISPLACED = "messages.{n}: `tool_use` blocks can only be in `assistant` messages"
RESULT_MISPLACED = "messages.{n}: `tool_result` blocks can only be in `user` messages"
ERROR_EMPTY = "{at}.tool_result: content cannot be empty if `is_error` is true"
ERROR_EMPTY_ON_CONVERSE = "The content field at {at}.toolResult cannot be empty when status value is error."
ERROR_NOT_TEXT = "{at}.tool_result: all content must be type `text` if `is_error` is true"
TEXT_EMPTY = "messages: text content blocks must be non-empty"
TEXT_BLANK = "messages: text content blocks must contain non-whitespace text"
SYSTEM_TEXT_BLANK = "system text blocks must contain non-whitespace text"
TEXT_BLANK_ON_CONVERSE = (
    "The text field in the ContentBlock object at {at} is blank. Add text to the text field, and try again."
)

_PLACEHOLDERS = {
    "n": "N",
    "at": "messages.N.content.M",
    "id": "toolu_1",
    "ids": "toolu_1, toolu_2",
    "tool": "web_fetch",
}


def sample(template: str) -> str:
    """A template as documentation shows it, with `N` and `M` for positions."""
    return template.format_map(_PLACEHOLDERS)


def listed(ids: Iterable[str | None]) -> str:
    """Ids as the API lists them, each once: `toolu_a, toolu_b`."""
    return ", ".join(dict.fromkeys(name for name in ids if name))


def shown(value: str | None) -> str:
    """An id or a name as one short line: as it is where that is possible, else quoted and cut."""
    if value is None:
        return "(none)"
    if value and value.isprintable() and len(value) <= LONGEST_SHOWN:
        return value
    cut = value if len(value) <= LONGEST_SHOWN else value[: LONGEST_SHOWN - 3] + "..."
    return ascii(cut)


def named(use: ToolUse) -> str:
    """A call as findings name it: `toolu_1 (get_weather)`."""
    return f"{shown(use.id)} ({shown(use.name)})"
