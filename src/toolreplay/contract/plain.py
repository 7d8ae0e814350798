"""Messages in the form in which two of them are compared, without what may differ and means nothing.

Left out are `cache_control` (it moves from turn to turn) and Converse's `cachePoint`, `caller: direct` and
fields that are null or `is_error: false` (an SDK adds or drops them), blank text blocks (the API refuses
them), and the difference between a string and one text block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from toolreplay.wire.fields import items, mapping, text

Plain: TypeAlias = Mapping[str, object]

_CALL: Final = ("type", "tool_use")
_DIRECT: Final = {"type": "direct"}
_THINKING: Final = frozenset({"thinking", "redacted_thinking", "reasoningContent"})
_KEPT_NULLS: Final = frozenset({"input", "json"})


def plain_message(raw: object) -> tuple[object, Sequence[Plain]]:
    """The role and the plain blocks of a message."""
    fields = mapping(raw)
    return fields.get("role"), plain_content(fields.get("content"))


def plain_content(content: object) -> list[Plain]:
    """The plain blocks of a message's or a reply's content."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else []
    return [plain_block(block) for block in items(content) if not _is_nothing(block)]


def plain_block(raw: object) -> Plain:
    """One block; what is no object is kept as it is under `value`."""
    if not isinstance(raw, dict):
        return {"value": raw}
    if len(raw) == 1:
        ((key, fields),) = raw.items()
        if isinstance(fields, dict):  # Converse, whose replies have a `type` that its SDK does not know
            return {key: {name: value for name, value in _fields(fields).items() if (name, value) != _CALL}}
    return _fields(raw)


def told(blocks: Iterable[Plain]) -> list[Plain]:
    """Plain blocks without thinking, which has rules of its own, and with neighbouring texts as one."""
    found: list[Plain] = []
    for block in blocks:
        if _is_thinking(block):
            continue
        words = _words(block)
        last = _words(found[-1]) if found else None
        if words is not None and last is not None:
            found[-1] = {"text": last + words}
        else:
            found.append(block if words is None else {"text": words})
    return [{"text": _trimmed(block["text"])} if block.keys() == {"text"} else block for block in found]


def without_thinking(blocks: Iterable[Plain]) -> list[Plain]:
    """Plain blocks without thinking."""
    return [block for block in blocks if not _is_thinking(block)]


def thoughts(content: object) -> Iterator[object]:
    """The thinking blocks of content, as sent."""
    return (block for block in items(content) if _is_thinking(mapping(block)))


def _fields(raw: Mapping[str, object]) -> Plain:
    found = {key: value for key, value in raw.items() if value is not None or key in _KEPT_NULLS}
    found.pop("cache_control", None)
    if found.get("caller") == _DIRECT:
        del found["caller"]
    if found.get("is_error") is False:
        del found["is_error"]
    if "tool_use_id" in found or "toolUseId" in found:
        if "content" in found:
            found["content"] = plain_content(found["content"])
        if found.get("status") == "success":
            del found["status"]
    return found


def _is_nothing(block: object) -> bool:
    fields = mapping(block)
    words = _words(fields)
    return (words is not None and not words.strip()) or "cachePoint" in fields


def _is_thinking(block: Plain) -> bool:
    return text(block.get("type")) in _THINKING or "reasoningContent" in block


def _words(block: Plain) -> str | None:
    if block.get("type", "text") != "text":
        return None
    return text(block.get("text"))


def _trimmed(words: object) -> object:
    return words.strip() if isinstance(words, str) else words
