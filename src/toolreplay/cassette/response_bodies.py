"""Response bodies as YAML for people: JSON as data, server-sent events as text, AWS event streams frame by frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from toolreplay.wire.eventstream import encode_frame, looks_framed, parse_frames
from toolreplay.wire.http import HttpResponse

from .bodies import to_bytes
from .file_fields import shown
from .spelling import SPACED, spell, spelling_of

_DEEPEST: Final = 100  # levels; PyYAML takes several of Python's 1,000 stack frames for each


def encode_body(response: HttpResponse) -> dict[str, Any]:
    """The body: `json` where it is a JSON object, `frames` where it is an AWS event stream, else vcrpy's `string`."""
    body = response.body
    if response.content_type == "application/json" and isinstance(response.json, dict) and yaml_can_hold(response.json):
        return {"json": response.json}
    return _frames_or_string(body)


def encode_exactly(body: bytes) -> dict[str, Any]:
    """The body so that it comes back byte by byte: `json` only where it is an object whose spelling can be told."""
    if body[:1] == b"{" and body[-1:] == b"}":
        try:
            value, text = json.loads(body), body.decode()
        except (ValueError, RecursionError):
            return _frames_or_string(body)
        spelling = spelling_of(text, value)
        if spelling is not None and yaml_can_hold(value):
            return {"json": value} if spelling == SPACED else {"json": value, "spelling": spelling}
    return _frames_or_string(body)


def decode_body(body: Mapping[str, Any]) -> bytes:
    """The body's bytes again.

    Raises:
        ValueError: what stands there is no body.
    """
    if "json" in body:
        return spell(body["json"], body.get("spelling", SPACED)).encode("utf-8", "surrogatepass")
    if "frames" in body:
        frames = body["frames"]
        if not isinstance(frames, list):
            raise ValueError(f"body.frames is {shown(frames)}")
        try:
            return b"".join(encode_frame(frame["headers"], frame["payload"].encode()) for frame in frames)
        except (TypeError, KeyError, AttributeError):
            raise ValueError("body.frames holds something else than headers and payloads") from None
    text = body.get("string") or b""
    if not isinstance(text, str | bytes):
        raise ValueError(f"body.string is {shown(text)}")  # noqa: TRY004
    return to_bytes(text)


def yaml_can_hold(value: object) -> bool:
    """Whether JSON can stand as YAML: lone surrogates (escaped in JSON) cannot, nor what is nested too deeply."""
    if _is_deep(value):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _frames_or_string(body: bytes) -> dict[str, Any]:
    frames = _frames(body) if looks_framed(body) else None
    return {"frames": frames} if frames is not None else {"string": text_or_bytes(body)}


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def text_or_bytes(body: bytes) -> str | bytes:
    """Text where the bytes are UTF-8."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body


def _frames(body: bytes) -> list[dict[str, Any]] | None:
    """The frames, if they are the body again when they are put together; a stream that was cut is not."""
    frames, whole = parse_frames(body)
    found = []
    for frame in frames:
        payload = text_or_bytes(frame.payload)
        if not isinstance(payload, str):
            return None
        found.append({"headers": dict(frame.headers), "payload": payload})
    return found if whole and decode_body({"frames": found}) == body else None
