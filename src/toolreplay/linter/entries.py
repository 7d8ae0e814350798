"""What one JSON value says of the model: a request body, a request with its response, a line of a batch.

Such values are the lines of logs, and files with one of them or a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolreplay.cassette.json_text import DuplicateKeyError, loads
from toolreplay.cassette.secrets import Secret
from toolreplay.wire import converse, messages
from toolreplay.wire.model import Reply, Request, Wire

_CONVERSE_FIELDS: Final = frozenset(
    {"additionalModelRequestFields", "guardrailConfig", "inferenceConfig", "modelId", "toolConfig"}
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
_REQUESTS: Final = ("request", "params", "modelInput", "body")
_RESPONSES: Final = ("response", "modelOutput", "output")


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
    """

    index: int
    line: int
    request: Request | None
    reply: Reply | None
    fault: str = ""
    secrets: tuple[Secret, ...] = ()


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

    A body of OpenAI's chat completions is none: its tool calls and results have other places.
    """
    if isinstance(data, list):
        return {"messages": data} if data and all(map(_is_message, data)) else None
    if not isinstance(data, dict):
        return None
    for body in (data, *(_opened(data.get(name)) for name in _REQUESTS)):
        if isinstance(body, dict) and isinstance(body.get("messages"), list):
            return None if any(map(_is_foreign, body["messages"])) else body
    return None


def is_conversation(body: Mapping[str, object]) -> bool:
    """Whether a list called `messages` is one of turns, and not of log messages or translations."""
    sent = body["messages"]
    return isinstance(sent, list) and bool(sent) and all(isinstance(item, dict) and "role" in item for item in sent)


def parse_body(body: dict[str, object], wire: Wire | None = None, size: int | None = None) -> Request:
    """Parse a body that came without its URL."""
    if (wire or wire_of(body)) is Wire.CONVERSE:
        return converse.parse_request(body, size=size)
    return messages.parse_request(body, size=size)


def wire_of(body: dict[str, object]) -> Wire:
    """The wire of a request body, by its fields and the shape of its blocks; else Messages."""
    if not _CONVERSE_FIELDS.isdisjoint(body):
        return Wire.CONVERSE
    for block in _blocks(body):
        if "type" not in block and not _CONVERSE_BLOCKS.isdisjoint(block):
            return Wire.CONVERSE
        if "type" in block:
            return Wire.MESSAGES
    return Wire.MESSAGES


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and item.get("role") in ("user", "assistant", "system") and "content" in item


def _is_foreign(message: object) -> bool:
    return isinstance(message, dict) and ("tool_calls" in message or message.get("role") in _FOREIGN_ROLES)


def _blocks(body: dict[str, object]) -> Iterator[dict[str, object]]:
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
        if isinstance(found, dict) and "body" in found:
            found = _opened(found["body"])
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
