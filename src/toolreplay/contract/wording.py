"""The words findings use: the API's own messages as templates, and ids and names as they can be shown.

A template is filled with `str.format`: `{n}` is the index of a message, `{at}` a block
(`messages.2.content.0`), `{id}` and `{ids}` are tool ids, `{tool}` is a tool's name, `{kind}` a type as sent
and `{found}` what stands there in its place. Where a message was seen stands in the evidence of the rule
that answers with it. The Messages API counts messages after it has joined neighbours of one role: a recorded
400 places the second of two user messages at `messages.0.content.1` (anthropic-sdk-python, test_runners
snapshot f59a9391).
"""

from __future__ import annotations

from collections.abc import Iterable

from toolreplay.wire.model import ToolUse, Wire

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
    "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn."
)
DUPLICATE_RESULT = "{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
DUPLICATE_RESULT_ON_CONVERSE = "The toolResult blocks at messages.{n}.content contain duplicate Ids: {id}"
SYSTEM_BETWEEN = "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result"
SERVER_TOOL_OPEN = "`{tool}` tool use with id `{id}` was found without a corresponding `{tool}_tool_result` block"
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
TEXT_NULL = "{at}.text.text: Input should be a valid string"
TEXT_BLANK = "messages: text content blocks must contain non-whitespace text"
SYSTEM_TEXT_BLANK = "system text blocks must contain non-whitespace text"
TEXT_BLANK_ON_CONVERSE = (
    "The text field in the ContentBlock object at {at} is blank. Add text to the text field, and try again."
)

EXTRA_FIELD = "{at}: Extra inputs are not permitted"
TOOL_NAME_PATTERN = "{at}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
FIELD_REQUIRED = "{at}: Field required"
NOT_JSON = "The request body is not valid JSON: no low surrogate in string: {where}"
REQUEST_TOO_LARGE = "Request exceeds the maximum size"
IMAGE_TOO_LARGE = "{at}.image.source.base64: image exceeds 5 MB maximum: {size} bytes > 5242880 bytes"
BASE64_INVALID = "{at}.image.source.base64: invalid base64 data"
IMAGE_EMPTY = "{at}.image.source.base64: image cannot be empty"
IMAGE_MISMATCH = (
    "{at}.image.source.base64: The image was specified using the {kind} media type, "
    "but the image appears to be a {found} image"
)
IMAGE_UNREADABLE = "Could not process image"
JSON_NOT_OBJECT = "The format of the value at {at} is invalid. Provide a json object for the field and try again."
MESSAGE_EMPTY = "messages.{n}: all messages must have non-empty content except for the optional final assistant message"
NO_MESSAGES = "messages: at least one message is required"
MESSAGE_EMPTY_ON_CONVERSE = (
    "The content field in the Message object at messages.{n} is empty. "
    "Add a ContentBlock object to the content field and try again."
)
ROLES_NOT_ALTERNATING = (
    'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" roles in a row'
)
ROLES_NOT_ALTERNATING_ON_CONVERSE = (
    "A conversation must alternate between user and assistant roles. "
    "Make sure the conversation alternates between user and assistant roles and try again."
)
FIRST_NOT_USER = 'messages: first message must use the "user" role'
NO_PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."
SYSTEM_FIRST = (
    "messages.{n}: use the top-level 'system' parameter for the initial system prompt; the directive-only "
    "form (content: [] with output_config) is accepted at any position"
)
SYSTEM_NOT_BEFORE_ASSISTANT = "messages.{n}: role 'system' must precede an 'assistant' message or end the array"
SYSTEM_CONTENT = "role 'system' supports text, tool_addition and tool_removal blocks only"
SYSTEM_EMPTY = "messages.{n}: system content must contain at least one block"
SYSTEM_UNKNOWN = "role 'system' is not supported on this model"
THINKING_EXPECTED = (
    "{at}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
    "a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` "
    "and `tool_result` blocks). We recommend you include thinking blocks from previous turns. "
    "To avoid this requirement, disable `thinking`."
)
THINKING_MODIFIED = (
    "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)
THINKING_SIGNATURE = "{at}: Invalid `signature` in `thinking` block"
THINKING_WHILE_OFF = (
    "{at}: When thinking is disabled, an `assistant` message in the final position cannot contain "
    "`thinking`. To use thinking blocks, enable `thinking` in your request."
)
SERVER_RESULT_ORPHAN = (
    "{at}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. "
    "Each `{kind}` block must have a corresponding `server_tool_use` block before it."
)
TOOLS_MISSING = "Requests which include `tool_use` or `tool_result` blocks must define tools."
TOOLS_MISSING_ON_CONVERSE = "The toolConfig field must be defined when using toolUse and toolResult content blocks."
DUPLICATE_TOOL = "tools: Tool names must be unique."
SCHEMA_UNION = "{at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
SCHEMA_INVALID = (
    "{at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12)."
)
SCHEMA_OPEN = "{at}: For 'object' type, 'additionalProperties' must be explicitly set to false"
SCHEMA_TYPE_ON_CONVERSE = "The value at {at}.toolSpec.inputSchema.json.type must be one of the following: object."
FORCED_CHOICE_THINKING = "Thinking may not be enabled when tool_choice forces tool use."
CHOICE_NOT_OBJECT = "tool_choice: Input should be an object"
CHOICE_TAG = (
    "tool_choice: Input tag '{kind}' found using 'type' does not match any of the expected tags: "
    "'auto', 'any', 'tool', 'none'"
)
CHOICE_WITHOUT_TOOLS = "tool_choice.any may only be specified while providing tools"
CHOICE_UNKNOWN_TOOL = "Tool '{tool}' not found in provided tools"
CHOICE_REFUSED = 'tool_choice: type "tool" and "any" are not supported for this model.'
TOO_MANY_BREAKPOINTS = "A maximum of 4 blocks with cache_control may be provided. Found {count}."

_PLACEHOLDERS = {
    "count": "5",
    "found": "text",
    "kind": "web_search_tool_result",
    "role": "user",
    "size": "7465044",
    "where": "line 1 column 98338 (char 98337)",
    "n": "N",
    "at": "messages.N.content.M",
    "id": "toolu_1",
    "ids": "toolu_1, toolu_2",
    "tool": "web_fetch",
}


def sample(template: str) -> str:
    """A template as documentation shows it, with `N` and `M` for positions."""
    return template.format_map(_PLACEHOLDERS)


def for_wire(wire: Wire, messages: str | None, converse: str | None = None) -> str | None:
    """The words of the wire; None where none are known."""
    return converse if wire is Wire.CONVERSE else messages


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


def spelled(value: object, most: int) -> str:
    """A value of any type as Python spells it, cut to `most` characters."""
    try:
        whole = repr(value)
    except (ValueError, RecursionError):  # more digits than Python converts; deeper than it follows
        whole = f"{type(value).__name__} too large to show"
    return whole if len(whole) <= most else f"{whole[: most - 3]}..."


def named(use: ToolUse) -> str:
    """A call as findings name it: `toolu_1 (get_weather)`."""
    return f"{shown(use.id)} ({shown(use.name)})"
