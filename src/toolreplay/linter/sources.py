"""What a file holds for `check`: recorded exchanges, one request body, or a log of either (JSONL)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ..cassette.reading import NotARecording, UnreadableError, interpret, load
from ..cassette.recording import Interaction
from ..wire import converse, messages
from ..wire.exchange import read_request, read_response
from ..wire.model import Reply, Request, Wire

_CONVERSE_FIELDS = frozenset(
    {"additionalModelRequestFields", "guardrailConfig", "inferenceConfig", "modelId", "toolConfig"}
)
_CONVERSE_BLOCKS = frozenset(
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
_FOREIGN_ROLES = ("tool", "function", "developer")
_WRAPPINGS = ("request", "params")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request to the model, its position in the file, and the reply where a good one was recorded."""

    index: int
    request: Request
    reply: Reply | None


def read_exchanges(
    data: bytes, file: str, *, named: bool = True, wire: Wire | None = None
) -> tuple[Exchange, ...]:
    """The exchanges of a file.

    Args:
        named: whether the user named the file; else a list called `messages` must look like a conversation.
        wire: the wire of request bodies; None to tell it from their shape. Recordings tell theirs by the URL.

    Raises:
        NotARecording, UnreadableError: as `cassette.reading.read_recording`.
    """
    if file.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return tuple(_log(data, file, wire))
    loaded, lines = load(data, file)
    try:
        recording = interpret(loaded, lines, file)
    except NotARecording:
        body = request_body(loaded)
        if body is None or not (named or _is_conversation(body)):
            raise
        return (Exchange(0, parse_body(body, wire), None),)
    return tuple(_exchanges(recording.interactions))


def request_body(data: object) -> dict[str, object] | None:
    """The request body that JSON is or, under `request` or `params` (a batch's line), holds.

    A body of OpenAI's chat completions is none: its tool calls and results have other places.
    """
    if not isinstance(data, dict):
        return None
    for body in (data, *map(data.get, _WRAPPINGS)):
        if isinstance(body, dict) and isinstance(body.get("messages"), list):
            return None if any(map(_is_foreign, body["messages"])) else body
    return None


def _is_foreign(message: object) -> bool:
    return isinstance(message, dict) and ("tool_calls" in message or message.get("role") in _FOREIGN_ROLES)


def _is_conversation(body: dict[str, object]) -> bool:
    sent = body["messages"]
    return (
        isinstance(sent, list)
        and bool(sent)
        and all(isinstance(item, dict) and "role" in item for item in sent)
    )


def parse_body(body: dict[str, object], wire: Wire | None = None) -> Request:
    """Parse a body that came without its URL."""
    if (wire or wire_of(body)) is Wire.CONVERSE:
        return converse.parse_request(body)
    return messages.parse_request(body)


def wire_of(body: dict[str, object]) -> Wire:
    """The wire of a request body, by its fields and the shape of its blocks; else Messages."""
    if body.keys() & _CONVERSE_FIELDS:
        return Wire.CONVERSE
    for block in _blocks(body):
        if "type" not in block and block.keys() & _CONVERSE_BLOCKS:
            return Wire.CONVERSE
        if "type" in block:
            return Wire.MESSAGES
    return Wire.MESSAGES


def _blocks(body: dict[str, object]) -> Iterator[dict[str, object]]:
    sent = body.get("messages")
    for message in sent if isinstance(sent, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict):
                yield block


def _exchanges(interactions: tuple[Interaction, ...]) -> Iterator[Exchange]:
    for interaction in interactions:
        request = read_request(interaction.request)
        if request is None:
            continue
        answer = None if interaction.response is None else read_response(request, interaction.response)
        yield Exchange(interaction.index, request, answer if isinstance(answer, Reply) else None)


def _log(data: bytes, file: str, wire: Wire | None) -> Iterator[Exchange]:
    known = False
    for index, line in enumerate(data.splitlines()):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UnreadableError(file, index + 1, f"is no JSON: {getattr(error, 'msg', error)}") from None
        body = request_body(entry)
        if body is not None:
            known = True
            yield Exchange(index, parse_body(body, wire), None)
            continue
        try:
            recording = interpret(entry, {}, file)
        except NotARecording:
            continue
        known = True
        for exchange in _exchanges(recording.interactions):
            yield Exchange(index, exchange.request, exchange.reply)
    if not known:
        raise NotARecording(file, 1, "holds no recorded exchanges and no request bodies")
