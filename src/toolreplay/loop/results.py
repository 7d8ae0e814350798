"""Any value a tool returns, and any exception it raises, as content that the API accepts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

# What a content block of a tool_result may be, with the field that holds its payload (docs: handle-tool-calls).
_PAYLOADS: Final = {"text": "text", "image": "source", "document": "source", "search_result": "content"}
Content = str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ErrorResult:
    """What a tool returns to say that it failed, without raising: the content of a result with error status."""

    content: object


def content_of(value: object) -> Content:
    """A tool's value as the content of a result: content blocks stay blocks, text stays text, the rest is JSON text."""
    blocks = _content_blocks(value)
    return text_of(value) if blocks is None else blocks


def error_content(value: object) -> Content:
    """The content of a result with error status, which must be text and must not be blank (TR302, TR303)."""
    text = text_of(value)
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
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  (the tool's own __str__ may raise anything)
        message = ""
    return message if message.strip() else type(error).__name__


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):  # cyclic, or keys that are no strings
        return repr(value)


def _content_blocks(value: object) -> list[dict[str, Any]] | None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes) or not value:
        return None
    blocks: list[dict[str, Any]] = []
    for item in value:
        payload = _PAYLOADS.get(item.get("type", "")) if isinstance(item, dict) else None
        if payload is None or payload not in item:
            return None
        if item["type"] != "text" or str(item["text"]).strip():  # a blank text block is refused (TR304)
            blocks.append(item)
    return blocks
