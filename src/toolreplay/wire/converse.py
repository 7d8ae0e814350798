"""Bedrock Converse's JSON into the model.

A Converse block is an object with one key; a tool block's own fields stand under that key (botocore's
bedrock-runtime 2023-09-30 service model).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .fields import items, mapping, text
from .model import (
    MISSING,
    Block,
    Marker,
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


def parse_request(body: Mapping[str, object], model: str | None = None, size: int | None = None) -> Request:
    """Parse a request body.

    Args:
        body: the JSON.
        model: the one the URL names: `/model/{modelId}/converse`.
        size: bytes of the body as sent.
    """
    config = body.get("toolConfig", MISSING)
    return Request(
        wire=Wire.CONVERSE,
        model=model or text(body.get("modelId")),
        tools=None if config is MISSING else _tools(items(mapping(config).get("tools"))),
        version=None,
        thread=None,
        body=body,
        reader=parse_messages,
        size=size,
    )


def parse_messages(raw: Iterable[object], first: int = 0) -> tuple[Message, ...]:
    """Parse messages whose first one has the index `first` in the body as sent."""
    return tuple(_message(item, index) for index, item in enumerate(raw, first))


def parse_reply(body: Mapping[str, object], *, complete: bool = True) -> Reply:
    """Parse a reply (for a stream: the reply its events add up to). Converse replies have no id of their own."""
    content = items(mapping(mapping(body.get("output")).get("message")).get("content"))
    return Reply(
        wire=Wire.CONVERSE,
        id=None,
        model=None,
        content=content,
        blocks=_content(content, -1),
        stop_reason=text(body.get("stopReason")),
        complete=complete,
        body=body,
    )


def _message(raw: object, index: int) -> Message:
    fields = mapping(raw)
    content = fields.get("content", MISSING)
    return Message(index, text(fields.get("role")) or "", content, _content(content, index), raw)


def _content(content: object, message: int) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(Place(message), content, content),)
    blocks = []
    servers: set[str] = set()
    for index, item in enumerate(items(content)):
        block = _block(item, message, index, servers)
        if isinstance(block, ServerToolUse) and block.id is not None:
            servers.add(block.id)
        blocks.append(block)
    return tuple(blocks)


def _block(raw: object, message: int, index: int, servers: set[str]) -> Block:
    fields = mapping(raw)
    place = Place(message, index)
    if isinstance(fields.get("text", MISSING), str):
        return Text(place, text(fields["text"]), raw)
    if "toolUse" in fields:
        return _use(mapping(fields["toolUse"]), Place(message, index, "toolUse"))
    if "toolResult" in fields:
        return _result(mapping(fields["toolResult"]), Place(message, index, "toolResult"), servers)
    if "reasoningContent" in fields:
        return Thinking(place, "redactedContent" in mapping(fields["reasoningContent"]), fields)
    kind = next((key for key in fields if key != "__type"), None)
    if kind == "cachePoint":
        return Marker(place, kind, fields)
    if kind in _MEDIA:
        return Media(place, kind, fields)
    return Other(place, kind, raw)


def _use(fields: Mapping[str, object], place: Place) -> ToolUse | ServerToolUse:
    kind = text(fields.get("type"))
    if kind == "server_tool_use":
        return ServerToolUse(place, text(fields.get("toolUseId")), kind, text(fields.get("name")), fields)
    return ToolUse(
        place=place,
        id=text(fields.get("toolUseId")),
        name=text(fields.get("name")),
        input=fields.get("input", MISSING),
        caller=None,
        raw=fields,
    )


def _result(fields: Mapping[str, object], place: Place, servers: set[str]) -> ToolResult | ServerToolResult:
    use_id = text(fields.get("toolUseId"))
    if use_id is not None and use_id in servers:
        return ServerToolResult(place, use_id, "server_tool_result", fields)
    content = fields.get("content", MISSING)
    parts = tuple(_part(item, place, inner) for inner, item in enumerate(items(content)))
    return ToolResult(place, use_id, content, parts, fields.get("status") == "error", fields)


def _part(raw: object, place: Place, inner: int) -> Block:
    fields = mapping(raw)
    where = Place(place.message, place.block, place.key, inner)
    if isinstance(fields.get("text", MISSING), str):
        return Text(where, text(fields["text"]), raw)
    kind = next(iter(fields), None)
    if kind in _MEDIA:
        return Media(where, kind, fields)
    return Other(where, kind, raw)


def _tools(raw: Iterable[object]) -> tuple[ToolDefinition, ...]:
    found = []
    for index, item in enumerate(raw):
        fields = mapping(item)
        spec = fields.get("toolSpec", MISSING)
        if spec is MISSING:
            kind = next(iter(fields), "")
            name = text(mapping(fields.get(kind)).get("name"))
            schema: object = MISSING
        else:
            kind = "custom"
            name = text(mapping(spec).get("name"))
            schema = mapping(mapping(spec).get("inputSchema")).get("json", MISSING)
        found.append(ToolDefinition(index, f"toolConfig.tools[{index}]", kind, name, schema, item))
    return tuple(found)


def error_body(message: str) -> dict[str, object]:
    """The JSON of an error response; its code stands in the header `x-amzn-errortype`."""
    return {"message": message}
