"""AWS event streams: frames from bytes and back, and what ConverseStream and InvokeModel put into them.

A frame is a prelude (length of the frame, length of its headers, CRC of these eight bytes; big-endian 32 bits
each), headers, payload, and a CRC over all before it (botocore 1.44.8, eventstream.py). The members of the
streams are those of botocore's bedrock-runtime 2023-09-30 service model. Nothing here raises on any bytes but
`encode_frame`, on headers that do not fit.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from .fields import items, mapping, text
from .sse import Event, parse_input

_PRELUDE = struct.Struct(">II")
_WORD = struct.Struct(">I")
_OVERHEAD = 16
# The size of a header's value by its type; a string or byte array (6, 7) carries its own length.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_BYTES, _STRING = 6, 7


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; headers that are no strings are left out (AWS sends none to these operations)."""

    headers: Mapping[str, str]
    payload: bytes

    @property
    def type(self) -> str:
        """The event's name: `messageStart`, `chunk`, or the exception's."""
        for name in (":event-type", ":exception-type", ":error-code"):
            if name in self.headers:
                return self.headers[name]
        return ""

    @property
    def is_error(self) -> bool:
        """Whether the service reports a failure in the middle of the stream."""
        return self.headers.get(":message-type") in ("exception", "error")

    @property
    def json(self) -> dict[str, object]:
        """The payload, if it is a JSON object, else an empty one."""
        try:
            value = json.loads(self.payload)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def looks_framed(data: bytes) -> bool:
    """Whether the bytes begin with a prelude whose CRC is right."""
    return len(data) >= _OVERHEAD and _WORD.unpack_from(data, 8)[0] == zlib.crc32(data[:8])


def parse_frames(data: bytes) -> tuple[tuple[Frame, ...], bool]:
    """All whole frames, and whether nothing was left over: no cut and no damaged frame."""
    frames: list[Frame] = []
    position = 0
    while position < len(data):
        frame, size = _frame(data, position)
        if frame is None:
            return tuple(frames), False
        frames.append(frame)
        position += size
    return tuple(frames), True


def frame_bounds(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each frame starts and ends; what is left over after the last whole one is a last piece."""
    position = 0
    while position < len(data):
        frame, size = _frame(data, position)
        end = position + size if frame is not None else len(data)
        yield position, end
        position = end


def encode_frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """One frame with string headers (names up to 255 bytes, values up to 65,535)."""
    block = b"".join(_header(name.encode(), value.encode()) for name, value in headers.items())
    prelude = _PRELUDE.pack(_OVERHEAD + len(block) + len(payload), len(block))
    frame = prelude + _WORD.pack(zlib.crc32(prelude)) + block + payload
    return frame + _WORD.pack(zlib.crc32(frame))


def fold_converse(frames: Iterable[Frame]) -> tuple[dict[str, object], bool]:
    """Add the frames of a ConverseStream up to the reply Converse would have given.

    Returns:
        The reply's JSON, and whether the stream came to its `messageStop`. Of a stream that reports a failure
        the body is `{"__type": "throttlingException", "message": ...}`, and it is not complete.
    """
    fold = _ConverseFold()
    for frame in frames:
        if frame.is_error:
            message = frame.json.get("message", frame.headers.get(":error-message", ""))
            return {"__type": frame.type, "message": message}, False
        fold.take(frame.type, frame.json)
    return fold.result()


def chunk_events(frames: Iterable[Frame]) -> Iterator[Event]:
    """The Messages events of InvokeModelWithResponseStream, one in the base64 `bytes` of each `chunk`."""
    for frame in frames:
        if frame.is_error:
            error = {"type": frame.type, "message": text(frame.json.get("message")) or ""}
            yield Event("error", {"type": "error", "error": error}, frame.payload)
            continue
        try:
            raw = base64.b64decode(text(frame.json.get("bytes")) or "")
            data = json.loads(raw)
        except (binascii.Error, ValueError, RecursionError):
            continue
        kind = text(mapping(data).get("type")) or ""
        yield Event(kind, data, b"event: " + kind.encode("utf-8", "replace") + b"\ndata: " + raw + b"\n\n")


def _frame(data: bytes, start: int) -> tuple[Frame | None, int]:
    if len(data) - start < _OVERHEAD:
        return None, 0
    size, header_size = _PRELUDE.unpack_from(data, start)
    end = start + size
    if size < _OVERHEAD + header_size or end > len(data):
        return None, 0
    view = memoryview(data)
    if _WORD.unpack_from(data, start + 8)[0] != zlib.crc32(view[start : start + 8]) or _WORD.unpack_from(data, end - 4)[
        0
    ] != zlib.crc32(view[start : end - 4]):
        return None, 0
    headers = _headers(data[start + 12 : start + 12 + header_size])
    if headers is None:
        return None, 0
    return Frame(headers, data[start + 12 + header_size : end - 4]), size


def _headers(block: bytes) -> dict[str, str] | None:
    found: dict[str, str] = {}
    position = 0
    try:
        while position < len(block):
            name_end = position + 1 + block[position]
            name = block[position + 1 : name_end].decode("utf-8", "replace")
            kind = block[name_end]
            position = name_end + 1
            if kind in (_BYTES, _STRING):
                (size,) = struct.unpack_from(">H", block, position)
                position += 2
            else:
                size = _SIZES[kind]
            if kind == _STRING:
                found[name] = block[position : position + size].decode("utf-8", "replace")
            position += size
    except (IndexError, KeyError, struct.error):
        return None
    return found if position == len(block) else None


def _header(name: bytes, value: bytes) -> bytes:
    return bytes([len(name)]) + name + bytes([_STRING]) + struct.pack(">H", len(value)) + value


@dataclass(slots=True)
class _Block:
    kind: str = ""
    start: dict[str, object] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    signature: str | None = None
    redacted: list[str] = field(default_factory=list)
    citations: list[object] = field(default_factory=list)
    results: list[object] = field(default_factory=list)
    whole: dict[str, object] = field(default_factory=dict)

    def take(self, delta: Mapping[str, object]) -> None:
        for kind, value in delta.items():
            match kind:
                case "text":
                    self.text.append(text(value) or "")
                case "toolUse":
                    self.kind = kind
                    self.text.append(text(mapping(value).get("input")) or "")
                case "toolResult":
                    self.kind = kind
                    self.results += items(value)
                case "reasoningContent":
                    self.kind = kind
                    self._reason(mapping(value))
                case "citation":
                    self.citations.append(value)
                case _:
                    self.whole[kind] = value

    def _reason(self, fields: Mapping[str, object]) -> None:
        self.text.append(text(fields.get("text")) or "")
        self.signature = text(fields.get("signature")) or self.signature
        redacted = text(fields.get("redactedContent"))
        if redacted is not None:
            self.redacted.append(redacted)

    def result(self) -> dict[str, object]:
        whole = "".join(self.text)
        if self.kind == "toolUse":
            return {"toolUse": {**self.start, "input": parse_input(whole) if whole else {}}}
        if self.kind == "toolResult":
            return {"toolResult": {**self.start, "content": self.results}}
        if self.kind == "reasoningContent":
            return {"reasoningContent": self._reasoning(whole)}
        if self.citations:
            return {"citationsContent": {"content": [{"text": whole}], "citations": self.citations}}
        if self.kind or self.whole:
            return {**({self.kind: self.start} if self.kind else {}), **self.whole}
        return {"text": whole}

    def _reasoning(self, whole: str) -> dict[str, object]:
        if self.redacted:
            return {"redactedContent": "".join(self.redacted)}
        signed = {} if self.signature is None else {"signature": self.signature}
        return {"reasoningText": {"text": whole, **signed}}


class _ConverseFold:
    def __init__(self) -> None:
        self._role = "assistant"
        self._blocks: dict[int, _Block] = {}
        self._body: dict[str, object] = {}
        self._complete = False

    def take(self, kind: str, data: dict[str, object]) -> None:
        match kind:
            case "messageStart":
                self._role = text(data.get("role")) or "assistant"
            case "contentBlockStart":
                block = self._block(data)
                for name, fields in mapping(data.get("start")).items():
                    block.kind, block.start = name, dict(mapping(fields))
            case "contentBlockDelta":
                self._block(data).take(mapping(data.get("delta")))
            case "messageStop":
                self._complete = True
                # `p` is padding, there to hide the length of what is said.
                self._body.update((name, value) for name, value in data.items() if name != "p")
            case "metadata":
                self._body.update((name, value) for name, value in data.items() if name != "p")

    def result(self) -> tuple[dict[str, object], bool]:
        content = [block.result() for block in self._blocks.values()]
        output = {"message": {"role": self._role, "content": content}}
        return {"output": output, **self._body}, self._complete

    def _block(self, data: dict[str, object]) -> _Block:
        index = data.get("contentBlockIndex")
        return self._blocks.setdefault(index if isinstance(index, int) else -1, _Block())
