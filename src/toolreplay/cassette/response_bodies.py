"""Response bodies as YAML for people: JSON as data, server-sent events as text, AWS event streams frame by frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toolreplay.wire.eventstream import encode_frame, looks_framed, parse_frames
from toolreplay.wire.http import HttpResponse

from .shown import shown


def encode_body(response: HttpResponse) -> dict[str, Any]:
    """The body: `json` where it is a JSON object, `frames` where it is an AWS event stream, else vcrpy's `string`."""
    body = response.body
    if response.content_type == "application/json" and isinstance(response.json, dict) and yaml_can_hold(response.json):
        return {"json": response.json}
    frames = _frames(body) if looks_framed(body) else None
    return {"frames": frames} if frames is not None else {"string": text_or_bytes(body)}


def decode_body(body: Mapping[str, Any]) -> bytes:
    """The body's bytes again.

    Raises:
        ValueError: what stands there is no body.
    """
    if "json" in body:
        return json.dumps(body["json"], ensure_ascii=False).encode("utf-8", "surrogatepass")
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
    return text.encode() if isinstance(text, str) else text


def yaml_can_hold(value: object) -> bool:
    """Lone surrogates are JSON (escaped) but no YAML."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
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
