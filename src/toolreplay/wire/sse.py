"""Server-sent events of the Messages API: bytes to events, and events to the message they add up to.

Sources: WHATWG HTML, "Server-sent events" (framing); platform.claude.com/docs, build-with-claude/streaming
(events); anthropic 2.14.0, lib/streaming/_beta_messages.py (what each delta does). Nothing here raises on any
bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .fields import mapping, text

_LINE = re.compile(r"\r\n|\n|\r")
# A lone \r is a line end, but \r\n is one line end and not two.
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
_BOM = "\ufeff"

_TEXT_DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
}


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it stood on the wire.

    Attributes:
        type: the `event:` field, else the `type` of the data, else "" (a comment, a blank).
        data: the data parsed as JSON; None when there is none or it is no JSON.
        raw: the bytes it was read from, blank line included: joined, the events' `raw` are the stream again.
    """

    type: str
    data: object
    raw: bytes


class Decoder:
    """Cuts a stream into events, however the stream itself is cut into pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, chunk: bytes) -> list[Event]:
        """Take in the next bytes and hand out the events that are whole now."""
        self._buffer += chunk
        return self._cut(last=False)

    def close(self) -> list[Event]:
        """Hand out what is left: a last event without its blank line, or the piece of one that was cut."""
        events = self._cut(last=True)
        if self._buffer:
            events.append(_event(bytes(self._buffer)))
            self._buffer.clear()
        return events

    def _cut(self, *, last: bool) -> list[Event]:
        events = []
        start = 0
        position = self._searched
        only_lf = b"\r" not in self._buffer
        while (end := self._blank_line(position, only_lf=only_lf)) is not None:
            if not last and end == len(self._buffer) and self._buffer.endswith(b"\r"):
                break  # the next byte may be the \n of this line end
            events.append(_event(bytes(self._buffer[start:end])))
            start = position = end
        del self._buffer[:start]
        self._searched = max(0, len(self._buffer) - 3)
        return events

    def _blank_line(self, start: int, *, only_lf: bool) -> int | None:
        """Where the first blank line from `start` on ends."""
        if only_lf:
            at = self._buffer.find(b"\n\n", start)
            return None if at < 0 else at + 2
        match = _BLANK_LINE.search(self._buffer, start)
        return match and match.end()


def parse_events(stream: bytes) -> tuple[Event, ...]:
    """All events of a whole stream."""
    decoder = Decoder()
    return (*decoder.feed(stream), *decoder.close())


def encode_event(kind: str, data: object) -> bytes:
    """One event as the API writes it."""
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def fold_events(events: Iterable[Event]) -> tuple[dict[str, object], bool]:
    """Add events up to the message they stream.

    Returns:
        The message's JSON, and whether the stream came to its end (`message_stop`). Of a stream that holds an
        `error` event the body is that error's JSON, `{"type": "error", "error": {...}}`, and it is not
        complete. A tool input whose pieces are no JSON stays the string they add up to.
    """
    fold = _Fold()
    for event in events:
        fold.take(event)
    return fold.result()


def _event(raw: bytes) -> Event:
    kind = ""
    lines = []
    source = raw.decode("utf-8", "replace").removeprefix(_BOM)
    for line in _LINE.split(source) if "\r" in source else source.split("\n"):
        name, _, value = line.partition(":")
        if name == "event":
            kind = value.removeprefix(" ")
        elif name == "data":
            lines.append(value.removeprefix(" "))
    data = _json("\n".join(lines)) if lines else None
    return Event(kind or text(mapping(data).get("type")) or "", data, raw)


def _json(source: str) -> object:
    try:
        value: object = json.loads(source)
    except (ValueError, RecursionError):
        return None
    return value


@dataclass(slots=True)
class _Block:
    start: dict[str, object]
    parts: dict[str, list[str]] = field(default_factory=dict)
    citations: list[object] = field(default_factory=list)

    def take(self, delta: dict[str, object]) -> None:
        kind = text(delta.get("type"))
        name = _TEXT_DELTAS.get(kind or "")
        if name is not None:
            piece = text(delta.get(name))
            if piece is not None:
                self.parts.setdefault(name, []).append(piece)
        elif kind == "citations_delta":
            self.citations.append(delta.get("citation"))
        else:
            # signature_delta and compaction_delta bring whole values; a delta we do not know is taken as one
            # too.
            self.start.update((key, value) for key, value in delta.items() if key != "type")

    def result(self) -> dict[str, object]:
        block = self.start
        for name, pieces in self.parts.items():
            whole = "".join(pieces)
            if name != "partial_json":
                block[name] = (text(block.get(name)) or "") + whole
            elif whole:
                block["input"] = parse_input(whole)
        if self.citations:
            earlier = block.get("citations")
            block["citations"] = [*(earlier if isinstance(earlier, list) else ()), *self.citations]
        return block


def parse_input(source: str) -> object:
    """A streamed tool input; the string itself when it is no JSON (cut by `max_tokens`, eager streaming)."""
    try:
        value: object = json.loads(source)
    except (ValueError, RecursionError):
        return source
    return value


class _Fold:
    def __init__(self) -> None:
        self._message: dict[str, object] = {}
        self._blocks: list[_Block] = []
        self._by_index: dict[int | None, _Block] = {}
        self._error: dict[str, object] | None = None
        self._complete = False

    def take(self, event: Event) -> None:
        data = event.data if isinstance(event.data, dict) else {}
        match text(data.get("type")) or event.type:
            case "message_start":
                self._message = dict(mapping(data.get("message")))
            case "content_block_start":
                # A second block under one index is kept beside the first: the contract shall see both.
                block = _Block(dict(mapping(data.get("content_block"))))
                self._blocks.append(block)
                self._by_index[_index(data)] = block
            case "content_block_delta":
                delta = data.get("delta")
                if _index(data) in self._by_index and isinstance(delta, dict):
                    self._by_index[_index(data)].take(delta)
            case "message_delta":
                self._finish(data)
            case "message_stop":
                self._complete = True
            case "error":
                self._error = {"type": "error", **data}

    def result(self) -> tuple[dict[str, object], bool]:
        if self._error is not None:
            return self._error, False
        body = dict(self._message)
        if body or self._blocks:
            body["content"] = [block.result() for block in self._blocks]
        return body, self._complete

    def _finish(self, data: dict[str, object]) -> None:
        self._message.update(mapping(data.get("delta")))
        usage = mapping(data.get("usage"))
        if usage:
            # Counts are totals, so they replace those of message_start; what is left out there stays.
            given = {name: count for name, count in usage.items() if count is not None}
            self._message["usage"] = {**mapping(self._message.get("usage")), **given}
        for name, value in data.items():
            if name not in ("type", "delta", "usage") and value is not None:
                self._message[name] = value


def _index(data: dict[str, object]) -> int | None:
    index = data.get("index")
    return index if isinstance(index, int) else None
