"""What one JSON value says of the model: a request body, a request with its response, a line of a batch.

Such values are the lines of logs, and files with one of them or a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeGuard

from toolreplay.cassette.json_text import DuplicateKeyError, loads
from toolreplay.cassette.secrets import Secret
from toolreplay.wire import converse, messages
from toolreplay.wire.model import Reply, Request, Wire

_CONVERSE_FIELDS: Final = frozenset(
    {"additionalModelRequestFields", "guardrailConfig", "inferenceConfig", "modelId", "toolConfig"}
)
# Converse has none of them at the top: its model is `modelId`, and the limits stand in `inferenceConfig`.
_MESSAGES_FIELDS: Final = frozenset(
    {"anthropic_version", "max_tokens", "model", "stop_sequences", "thinking", "tool_choice", "tools"}
)
_CONVERSE_BLOCKS: Final = frozenset(
    {
        "cachePoint",
        "document",
        "guardContent",
        "image",
        "reasoningContent",
        "text",
        "toolResult",
        "toolUse",
        "video",
    }
)
_FOREIGN_ROLES: Final = ("tool", "function", "developer")
# `params`: Message Batches (docs: build-with-claude/batch-processing); `modelInput`, `modelOutput`: Bedrock's
# batch inference; `body` and the others: loggers' own.
_REQUESTS: Final = ("request", "params", "modelInput", "body", "kwargs", "input", "payload")
_OFTEN_OTHERS: Final = ("kwargs", "input", "payload")
"""Those that programs of all kinds use; there a list called `messages` must look like a conversation."""

_PACKED: Final = ("body", "json", "kwargs", "params", "payload")
"""Fields of what a logger keeps of a request that hold its body."""

_RESPONSES: Final = ("response", "modelOutput", "output")
# What chat data sets and other vendors' bodies have none of.
_OURS: Final = _CONVERSE_FIELDS | {"anthropic_version", "max_tokens", "model", "system"}
_OUR_BLOCKS: Final = frozenset({"reasoningContent", "toolResult", "toolUse"})
_OUR_TYPES: Final = ("redacted_thinking", "thinking", "tool_result", "tool_use")


class Left(Enum):
    """Why an entry is left out: it holds no request to the model, the recorder took the request's body out, or what is
    left of the body cannot be read."""

    OTHER = auto()
    REDACTED = auto()
    DAMAGED = auto()


@dataclass(frozen=True, slots=True)
class Entry:
    """A request to the model, and where it stands in its file.

    Attributes:
        index: the request's index in the file, see `Located`.
        line: the line of the file at which it begins, from 1.
        request: None for a reply whose request stands elsewhere (results of a batch).
        reply: the answer, where a good one was recorded.
        fault: why the request cannot be judged, if it cannot.
        secrets: the credentials that the exchange holds, if they were looked for.
        left: why it is left out and counted, if it is.
    """

    index: int
    line: int
    request: Request | None
    reply: Reply | None
    fault: str = ""
    secrets: tuple[Secret, ...] = ()
    left: Left | None = None


def read_entry(entry: object, index: int, line: int, wire: Wire | None = None, size: int | None = None) -> Entry | None:
    """The exchange that a JSON value is; None when it is nothing of the kind.

    Args:
        wire: the wire of request bodies; None to tell it from their shape.
        size: bytes that the request body has at most; None to let it be counted.
    """
    try:
        body = request_body(entry)
    except DuplicateKeyError as error:
        return Entry(index, line, None, None, fault=f"in a text of JSON {error.reason}")
    if body is not None:
        request = parse_body(body, wire, size)
        return Entry(index, line, request, _reply(entry, request.wire) if body is not entry else None)
    if _is_batch_result(entry):
        return Entry(index, line, None, _batch_reply(entry))
    return None


def request_body(data: object) -> dict[str, object] | None:
    """The request body that JSON is, holds, or is the messages of.

    A body of OpenAI's chat completions is none: its tool calls and results have other places. A chat of the data sets
    that models are trained on is none either: nothing in it is of a request but a list called `messages`.
    """
    body: dict[str, object] | None
    if isinstance(data, list):
        body = {"messages": data} if data and all(map(_is_message, data)) else None
    else:
        body = next(_held(data), None) if isinstance(data, dict) else None
    return None if body is None or _is_foreign_body(body) else body


def _held(data: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """What may be a request body in the line of a log, from the outside in."""
    if _has_messages(data):
        yield data
        return
    outer = {name: _opened(data.get(name)) for name in _REQUESTS}
    for name, body in outer.items():
        if _has_messages(body) and (name not in _OFTEN_OTHERS or "model" in body or is_conversation(body)):
            yield body
    for packed in outer.values():
        # An HTTP exchange is read as one, with its URL and headers.
        if isinstance(packed, dict) and packed.keys().isdisjoint(("uri", "url")):
            inner = (_opened(packed.get(field)) for field in _PACKED)
            yield from (body for body in inner if _has_messages(body) and ("model" in body or is_conversation(body)))


def _has_messages(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def is_conversation(body: Mapping[str, object]) -> bool:
    """Whether a list called `messages` is one of turns, and not of log messages or translations."""
    sent = body["messages"]
    return isinstance(sent, list) and bool(sent) and all(isinstance(item, dict) and "role" in item for item in sent)


def parse_body(body: dict[str, object], wire: Wire | None = None, size: int | None = None) -> Request:
    """Parse a body that came without its URL; `wire` is that of a body whose shape does not tell."""
    if (wire_of(body) or wire) is Wire.CONVERSE:
        return converse.parse_request(body, size=size)
    return messages.parse_request(body, size=size)


def wire_of(body: dict[str, object]) -> Wire | None:
    """The wire of a request body, by its fields and the shape of its blocks; None where they do not tell."""
    if not _CONVERSE_FIELDS.isdisjoint(body):
        return Wire.CONVERSE
    for block in _blocks(body):
        if "type" not in block and not _CONVERSE_BLOCKS.isdisjoint(block):
            return Wire.CONVERSE
        if "type" in block:
            return Wire.MESSAGES
    return None if _MESSAGES_FIELDS.isdisjoint(body) else Wire.MESSAGES


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and item.get("role") in ("user", "assistant", "system") and "content" in item


def _is_foreign_body(body: Mapping[str, object]) -> bool:
    sent = body["messages"]
    assert isinstance(sent, list)  # it may be a body
    if any(map(_is_foreign, sent)):
        return True
    first = sent[0] if sent and isinstance(sent[0], dict) else {}
    begins_as_theirs = first.get("role") == "system" and isinstance(first.get("content"), str)
    return begins_as_theirs and _OURS.isdisjoint(body) and not any(map(_is_ours, _blocks(body)))


def _is_ours(block: Mapping[str, object]) -> bool:
    return not _OUR_BLOCKS.isdisjoint(block) or block.get("type") in _OUR_TYPES


def _is_foreign(message: object) -> bool:
    return isinstance(message, dict) and ("tool_calls" in message or message.get("role") in _FOREIGN_ROLES)


def _blocks(body: Mapping[str, object]) -> Iterator[dict[str, object]]:
    sent = body.get("messages")
    for message in sent if isinstance(sent, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict):
                yield block


def _opened(value: object) -> object:
    """A value, or the JSON that it is the text of: tables and queues keep bodies as strings."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            opened: object = loads(value)
        except DuplicateKeyError:
            raise
        except (ValueError, RecursionError):
            return value
        return opened
    return value


def _reply(entry: object, wire: Wire) -> Reply | None:
    if not isinstance(entry, dict):
        return None
    for name in _RESPONSES:
        found = _opened(entry.get(name))
        held = found if isinstance(found, dict) else {}
        found = next((_opened(held[key]) for key in ("body", "json") if key in held), found)
        if isinstance(found, dict) and (reply := _parsed(found, wire)) is not None:
            return reply
    return None


def _parsed(body: Mapping[str, object], wire: Wire) -> Reply | None:
    if wire is Wire.CONVERSE:
        return converse.parse_reply(body) if "output" in body else None
    good = body.get("type") == "message" or body.get("role") == "assistant"
    return messages.parse_reply(body) if good and isinstance(body.get("content"), list) else None


def _is_batch_result(entry: object) -> bool:
    """`{"custom_id": ..., "result": {"type": "succeeded", "message": {...}}}`: of a batch's results."""
    return (
        isinstance(entry, dict)
        and "custom_id" in entry
        and isinstance(entry.get("result"), dict)
        and "type" in entry["result"]
    )


def _batch_reply(entry: object) -> Reply | None:
    assert isinstance(entry, dict)  # it is a batch's result
    message = entry["result"].get("message")
    return _parsed(message, Wire.MESSAGES) if isinstance(message, dict) else None
