"""Any value a tool returns, and any exception it raises, as content that the API accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

# What a content block of a tool_result may be, with the field that holds its payload (docs: handle-tool-calls).
_PAYLOADS: Final = {"text": "text", "image": "source", "document": "source", "search_result": "content"}
Content: TypeAlias = str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ErrorResult:
    """What a tool returns to say that it failed, without raising: the content of a result with error status."""

    content: object


def content_of(value: object) -> Content:
    """A tool's value as the content of a result: content blocks stay blocks, text stays text, the rest is JSON text."""
    blocks = content_blocks(value)
    return text_of(value) if blocks is None else blocks


def error_text(result: ErrorResult) -> str:
    """The content of a result with error status, which must be text and must not be blank (TR302, TR303)."""
    text = text_of(result.content)
    return text if text.strip() else "the tool failed without a message"


def text_of(value: object) -> str:
    """Any value as text that JSON can carry: no lone surrogates, bytes decoded, `None` as `null`."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bytes | bytearray | memoryview):
        text = bytes(value).decode("utf-8", "replace")
    else:
        text = _json(value)
    # A lone surrogate cannot be encoded as UTF-8, and the API refuses it escaped.
    return text.encode("utf-8", "replace").decode("utf-8")


def message_of(error: BaseException) -> str:
    """An exception's message; the name of its class where it has none, or where `str()` itself fails."""
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration | StopAsyncIteration):
        error = error.__cause__  # a coroutine cannot raise it; Python wraps it
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  (the tool's own __str__ may raise anything)
        message = ""
    return message if message.strip() else type(error).__name__


def content_blocks(value: object) -> list[dict[str, Any]] | None:
    """The value as content blocks, if it is a list of nothing else; blank text blocks are refused and left out."""
    if not isinstance(value, list | tuple) or not value or not all(_is_block(item) for item in value):
        return None
    blocks = [{**item, "text": text_of(item["text"])} if item["type"] == "text" else dict(item) for item in value]
    return [block for block in blocks if block["type"] != "text" or block["text"].strip()]


def _is_block(item: object) -> bool:
    kind = item.get("type") if isinstance(item, Mapping) else None
    payload = _PAYLOADS.get(kind) if isinstance(kind, str) else None
    if payload is None or not isinstance(item, Mapping) or payload not in item:
        return False
    return isinstance(item["text"], str) if kind == "text" else _is_json(item)


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):  # cyclic, or keys that are no strings
        return repr(value)
