"""The Messages API's JSON (also Vertex, Foundry and Bedrock InvokeModel) into the model, and replies back to JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .fields import items, mapping, text
from .model import (
    MISSING,
    Block,
    Media,
    Message,
    Other,
    Place,
    Reply,
    Request,
    ServerToolResult,
    ServerToolUse,
    Text,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
    Wire,
)

_MEDIA = frozenset({"image", "document", "video", "audio"})
_SERVER_USES = frozenset({"server_tool_use", "mcp_tool_use"})


def parse_request(
    body: Mapping[str, object],
    version: str | None = None,
    model: str | None = None,
    betas: str = "",
    size: int | None = None,
) -> Request:
    """Parse a request body.

    Args:
        body: the JSON.
        version: the `anthropic-version` header; InvokeModel sends it in the body.
        model: the one the URL names, on Vertex and InvokeModel, whose bodies name none.
        betas: the `anthropic-beta` header, a list with commas; InvokeModel sends a list in the body.
        size: bytes of the body as sent.
    """
    tools = body.get("tools", MISSING)
    thread = body.get("thread")
    return Request(
        wire=Wire.MESSAGES,
        model=text(body.get("model")) or model,
        tools=None if tools is MISSING else parse_tools(items(tools)),
        version=version or text(body.get("anthropic_version")),
        thread=thread if isinstance(thread, dict) else None,
        body=body,
        reader=parse_messages,
        betas=_betas(betas, body),
        size=size,
    )


def parse_messages(raw: Iterable[object], first: int = 0) -> tuple[Message, ...]:
    """Parse messages whose first one has the index `first` in the body as sent."""
    return tuple(_message(item, index) for index, item in enumerate(raw, first))


def parse_tools(raw: Iterable[object]) -> tuple[ToolDefinition, ...]:
    """Parse `tools`; a definition without a type is a client tool, as the API takes it."""
    found = []
    for index, item in enumerate(raw):
        fields = mapping(item)
        found.append(
            ToolDefinition(
                index=index,
                path=f"tools[{index}]",
                type=text(fields.get("type")) or "custom",
                name=text(fields.get("name")),
                input_schema=fields.get("input_schema", MISSING),
                raw=item,
            )
        )
    return tuple(found)


def parse_reply(body: Mapping[str, object], *, complete: bool = True) -> Reply:
    """Parse a message the API answered with (for a stream: the message its events add up to)."""
    content = items(body.get("content"))
    return Reply(
        wire=Wire.MESSAGES,
        id=text(body.get("id")),
        model=text(body.get("model")),
        content=content,
        blocks=parse_content(content, -1),
        stop_reason=text(body.get("stop_reason")),
        complete=complete,
        body=body,
    )


def parse_content(content: object, message: int) -> tuple[Block, ...]:
    """Parse a message's content: a string, or a list of blocks."""
    if isinstance(content, str):
        return (Text(Place(message), content, content),)
    return tuple(_block(item, Place(message, index)) for index, item in enumerate(items(content)))


def _betas(header: str, body: Mapping[str, object]) -> frozenset[str]:
    named = [*header.split(","), *(text(item) or "" for item in items(body.get("anthropic_beta")))]
    return frozenset(name.strip() for name in named if name.strip())


def _message(raw: object, index: int) -> Message:
    fields = mapping(raw)
    content = fields.get("content", MISSING)
    return Message(index, text(fields.get("role")) or "", content, parse_content(content, index), raw)


def _block(raw: object, place: Place) -> Block:
    fields = mapping(raw)
    kind = text(fields.get("type"))
    match kind:
        case "text":
            return Text(place, text(fields.get("text")), raw)
        case "tool_use":
            return ToolUse(
                place=place,
                id=text(fields.get("id")),
                name=text(fields.get("name")),
                input=fields.get("input", MISSING),
                caller=text(mapping(fields.get("caller")).get("type")),
                raw=fields,
            )
        case "tool_result":
            return _result(fields, place)
        case "thinking" | "redacted_thinking":
            return Thinking(place, kind == "redacted_thinking", fields)
        case None:
            return Other(place, None, raw)
    if kind in _SERVER_USES:
        return ServerToolUse(place, text(fields.get("id")), kind, text(fields.get("name")), fields)
    if kind.endswith("_tool_result"):
        return ServerToolResult(place, text(fields.get("tool_use_id")), kind, fields)
    if kind in _MEDIA:
        return Media(place, kind, fields)
    return Other(place, kind, raw)


def _result(fields: Mapping[str, object], place: Place) -> ToolResult:
    content = fields.get("content", MISSING)
    parts: tuple[Block, ...]
    if isinstance(content, str):
        parts = (Text(place, content, content),)
    else:
        parts = tuple(_part(item, place, inner) for inner, item in enumerate(items(content)))
    return ToolResult(
        place=place,
        id=text(fields.get("tool_use_id")),
        content=content,
        parts=parts,
        is_error=fields.get("is_error") is True,
        raw=fields,
    )


def _part(raw: object, place: Place, inner: int) -> Block:
    fields = mapping(raw)
    kind = text(fields.get("type"))
    where = Place(place.message, place.block, place.key, inner)
    if kind == "text":
        return Text(where, text(fields.get("text")), raw)
    if kind in _MEDIA:
        return Media(where, kind, fields)
    return Other(where, kind, raw)


def reply_body(
    content: Sequence[object], *, message_id: str, model: str, stop_reason: str, output_tokens: int = 1
) -> dict[str, object]:
    """The JSON of a reply, with every field that the API always sends."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": output_tokens,
        },
    }


def error_body(message: str, kind: str = "invalid_request_error") -> dict[str, object]:
    """The JSON of an error response (docs: api/errors)."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}
