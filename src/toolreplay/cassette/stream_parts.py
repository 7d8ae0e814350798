"""A streamed response in parts, none of its bytes left out: what an event says, and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolreplay.wire.eventstream import chunk_events, frame_bounds, parse_frames
from toolreplay.wire.sse import parse_events

from .other_forms import all_of_json

Part = tuple[object, object]
"""What an event or frame says: JSON, else text or bytes. And what stands beside it, in the same forms."""

_LINE = re.compile(r"\r\n|\n|\r")


def sse_parts(body: bytes) -> Iterator[Part]:
    """The events of a stream; beside their data stand names, ids, comments and fields that nobody knows."""
    for event in parse_events(body):
        lines = [line.partition(":") for line in _LINE.split(event.raw.decode("utf-8", "replace"))]
        data = "\n".join(value.removeprefix(" ") for name, _, value in lines if name == "data")
        value = all_of_json(data) if data else None
        yield data if value is None else value, "\n".join("".join(line) for line in lines if line[0] != "data")


def frame_parts(body: bytes) -> Iterator[Part]:
    """The frames of an AWS event stream, and what is left where it is cut or damaged."""
    for start, end in frame_bounds(body):
        raw = body[start:end]
        frames, whole = parse_frames(raw)
        if not whole:
            yield raw, None
            continue
        (frame,) = frames
        value = all_of_json(frame.payload)
        # The bytes too: of headers that are no text the frame does not tell.
        beside = {"headers": dict(frame.headers), "frame": raw[: len(raw) - len(frame.payload)]}
        yield frame.payload if value is None else value, beside


def chunk_parts(body: bytes) -> Iterator[Part]:
    """The events of Messages in the frames of InvokeModelWithResponseStream."""
    for event in chunk_events(parse_frames(body)[0]):
        yield event.data, None


def pieces(event: object, opaque: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The texts of an event that adds to a block: what they are pieces of, and the piece. Both wires.

    Args:
        opaque: fields that are passed over.
    """
    delta = event.get("delta") if isinstance(event, dict) else None
    if not isinstance(event, dict) or not isinstance(delta, dict):
        return
    index = event.get("index", event.get("contentBlockIndex"))
    for name, value in delta.items():
        inner = value.items() if isinstance(value, dict) else ((name, value),)
        for key, piece in inner:
            if isinstance(piece, str) and not {name, key} & opaque and key != "type":
                yield f"content[{index}] {key}", piece
