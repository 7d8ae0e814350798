"""One reply in the form that a request asks for: JSON, server-sent events, or an AWS event stream.

A recording holds the form that its own loop asked for. Another loop may stream where that one did not, or reach the
same API through another door, and is served the same message all the same.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .endpoints import Endpoint
from .eventstream import encode_frame, looks_framed
from .exchange import reply_json
from .fields import items, mapping
from .http import HttpRequest, HttpResponse
from .model import Wire
from .sse import encode_event

_OK: Final = 200
_EVENT_STREAM: Final = "application/vnd.amazon.eventstream"
_PIECE: Final = 24  # characters of text in one delta
# What stands in `messageStop`; the other fields of a reply stand in `metadata` (botocore's service model).
_AT_STOP: Final = ("stopReason", "additionalModelResponseFields")


def wants_stream(call: Endpoint, request: HttpRequest) -> bool:
    """Whether a request asks for a stream: by its URL, or by `stream: true` on `/v1/messages`."""
    return call.streaming or (call.carrier == "messages" and mapping(request.json).get("stream") is True)


def as_asked(call: Endpoint, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response in the form that the request asks for; unchanged where it has it, is no reply, or cannot have it."""
    if response.status != _OK or call.operation != "create":
        return response
    framed = call.wire is Wire.CONVERSE or call.carrier == "invoke"
    wanted = "json"
    if wants_stream(call, request):
        wanted = "frames" if framed else "events"
    if wanted == _form(response):
        return response
    body = reply_json(call.wire, response)
    encoded = None if body is None else _encode(body, wanted, call)
    if encoded is None:
        return response
    content_type, data = encoded
    return HttpResponse(_OK, {**response.headers, "content-type": content_type}, data)


def message_events(body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A message of the Messages API as the events that stream it (docs: build-with-claude/streaming)."""
    start = {**body, "content": [], "stop_reason": None, "stop_sequence": None}
    yield "message_start", {"type": "message_start", "message": start}
    for index, block in enumerate(items(body.get("content"))):
        empty, deltas = _pieces(dict(mapping(block)))
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": body.get("stop_reason"), "stop_sequence": body.get("stop_sequence")}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": body.get("usage") or {"output_tokens": 1}}
    yield "message_stop", {"type": "message_stop"}


def converse_events(body: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]] | None:
    """A reply of Converse as the events of ConverseStream; None where a block of it cannot be streamed without loss."""
    events: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]
    for index, block in enumerate(items(mapping(mapping(body.get("output")).get("message")).get("content"))):
        pieces = _converse_pieces(mapping(block))
        if pieces is None:
            return None
        start, deltas = pieces
        if start is not None:
            events.append(("contentBlockStart", {"contentBlockIndex": index, "start": start}))
        events += [("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}) for delta in deltas]
        events.append(("contentBlockStop", {"contentBlockIndex": index}))
    stop = {name: body[name] for name in _AT_STOP if name in body}
    rest = {name: value for name, value in body.items() if name != "output" and name not in _AT_STOP}
    metadata = {**rest, "usage": body.get("usage") or {}, "metrics": body.get("metrics") or {"latencyMs": 1}}
    return [*events, ("messageStop", {"stopReason": None, **stop}), ("metadata", metadata)]


def _form(response: HttpResponse) -> str:
    if looks_framed(response.body):
        return "frames"
    return "json" if response.body[:64].lstrip().startswith(b"{") else "events"


def _encode(body: Mapping[str, Any], form: str, call: Endpoint) -> tuple[str, bytes] | None:
    """The content type and the bytes of a reply in a form; None where it cannot have that form."""
    if form == "json":
        return "application/json", json.dumps(body).encode()
    if form == "events":
        data = b"".join(encode_event(kind, event) for kind, event in message_events(body))
        return "text/event-stream; charset=utf-8", data
    if call.wire is Wire.CONVERSE:
        events = converse_events(body)
        return None if events is None else (_EVENT_STREAM, b"".join(_frame(kind, event) for kind, event in events))
    return _EVENT_STREAM, b"".join(_frame("chunk", _chunk(event)) for _, event in message_events(body))


def _chunk(event: Mapping[str, Any]) -> dict[str, str]:
    return {"bytes": base64.b64encode(json.dumps(event).encode()).decode()}


def _frame(kind: str, event: Mapping[str, Any]) -> bytes:
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return encode_frame(headers, json.dumps(event).encode())


def _pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it starts, empty, and the deltas that fill it; other blocks come whole."""
    match block.get("type"):
        case "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in _cut(block.get("text"))]
        case "tool_use" | "server_tool_use":
            # The first fragment of a call is empty, as the API sends it.
            parts = ["", *_cut(_input_text(block["input"]))] if block.get("input") else [""]
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": part} for part in _cut(block.get("thinking"))]
            deltas.append({"type": "signature_delta", "signature": block.get("signature", "")})
            return {**block, "thinking": "", "signature": ""}, deltas
    return block, []


def _converse_pieces(block: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[dict[str, Any]]] | None:
    """How a block starts, where it has a start, and the deltas that fill it; None where deltas cannot say it all."""
    match next(iter(block), None):
        case "text":
            return None, [{"text": part} for part in _cut(block["text"])]
        case "toolUse":
            use = dict(mapping(block["toolUse"]))
            parts = _cut(_input_text(use.pop("input", {})))
            return {"toolUse": use}, [{"toolUse": {"input": part}} for part in parts]
        case "toolResult":
            result = dict(mapping(block["toolResult"]))
            content = items(result.pop("content", None))
            if all(mapping(part).keys() <= {"text", "json"} for part in content):
                return {"toolResult": result}, [{"toolResult": [part]} for part in content]
        case "reasoningContent":
            return None, [{"reasoningContent": delta} for delta in _reasoning(mapping(block["reasoningContent"]))]
    return None


def _reasoning(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "redactedContent" in content:
        return [{"redactedContent": content["redactedContent"]}]
    text = mapping(content.get("reasoningText"))
    deltas: list[dict[str, Any]] = [{"text": part} for part in _cut(text.get("text"))]
    return [*deltas, {"signature": text["signature"]}] if "signature" in text else deltas


def _input_text(value: object) -> str:
    """The input of a call as it is streamed; what came as something else than JSON goes out as it came."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: object) -> list[str]:
    whole = text if isinstance(text, str) else ""
    return [whole[at : at + _PIECE] for at in range(0, len(whole), _PIECE)] or [""]
