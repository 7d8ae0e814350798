"""The parts of a conversation in words: a call by its tool and what it asks for, two values by where they part."""

from __future__ import annotations

import base64
import json
from typing import Final

from .fields import mapping, text
from .model import Block, Media, Missing, Other, ServerToolResult, ServerToolUse, Text, Thinking, ToolResult, ToolUse

LONGEST: Final = 80
"""Characters of a value that are shown where two are compared."""

_VALUE: Final = 30
_VALUES: Final = 3
_CUT: Final = "…"
# `encrypted_content`, `encrypted_index`, `encrypted_stdout` (docs: web-search-tool, code-execution-tool).
_OPAQUE: Final = "encrypted_"


def call_words(use: ToolUse) -> str:
    """A call by its tool and the values that tell it from others: `get_weather for Oslo`."""
    name = visible(use.name or "(no name)")
    values = [_short(value) for value in mapping(use.input).values() if _tells(value)][:_VALUES]
    return f"{name} for {', '.join(values)}" if values else name


def block_words(block: Block) -> str:
    """What a block says: its text, or what it is; bytes are told by their kind and size."""
    match block:
        case Text():
            return block.text or ""
        case Media():
            return f"[{media_words(block)}]"
        case ToolUse():
            return f"{block.name or '(no name)'} {value_words(block.input)}"
        case ToolResult():
            return result_words(block)
        case ServerToolUse():
            return f"{block.name or block.type} {value_words(block.raw.get('input'))}"
        case ServerToolResult():
            return value_words(_told(block.raw.get("content")))
        case Other(type="json"):
            return value_words(mapping(block.raw).get("json"))
        case Thinking(redacted=True):
            return "[redacted]"
        case Thinking():
            plain = text(block.raw.get("thinking"))
            reasoning = mapping(mapping(block.raw.get("reasoningContent")).get("reasoningText"))
            return plain or text(reasoning.get("text")) or ""
    return value_words(block.raw)


def result_words(result: ToolResult) -> str:
    """The content of a result, part by part; content that is neither text nor a list as JSON."""
    if not result.parts:
        return "" if isinstance(result.content, Missing) or not result.content else value_words(result.content)
    return "\n".join(map(block_words, result.parts))


def system_words(system: object) -> str:
    """A system prompt, whose blocks are joined by newlines; what is no text block as JSON."""
    if not isinstance(system, list):
        return value_words(system)
    return "\n".join(text(mapping(block).get("text")) or value_words(block) for block in system)


def media_words(block: Media) -> str:
    """An image or a document: `image image/png, 1,204 bytes`."""
    fields = mapping(block.raw.get(block.type)) or block.raw  # Converse has them under the type
    source = mapping(fields.get("source"))
    kind = text(source.get("media_type")) or text(fields.get("format")) or text(source.get("type")) or ""
    data = source.get("data", source.get("bytes"))
    encoded = source.get("type") != "text"
    size = _size(data, encoded=encoded) if isinstance(data, str | bytes) else None
    told = f"{block.type} {kind}".strip()
    where = text(source.get("url")) or text(source.get("file_id"))
    return ", ".join(part for part in (told, where, None if size is None else f"{size:,} bytes") if part)


def value_words(value: object) -> str:
    """A value as text: a string as it is, anything else as JSON with its keys in order; nothing for a missing one."""
    if isinstance(value, str):
        return value
    if isinstance(value, Missing):
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)
    except (RecursionError, ValueError):  # a tool may have given us a list that holds itself
        return "(nested too deeply to be shown)"


def contrast(first: str, second: str, width: int = LONGEST) -> tuple[str, str]:
    """Two texts on a line each, cut to `width` characters around the first one in which they differ."""
    if max(len(first), len(second)) <= width:
        return visible(first), visible(second)
    shorter = min(len(first), len(second))
    parted = next((index for index in range(shorter) if first[index] != second[index]), shorter)
    start = max(0, parted - width // 4)
    return _window(first, start, width), _window(second, start, width)


def visible(words: str) -> str:
    """The text on one line; what cannot be seen, even a no-break space, is written as an escape."""
    if words.isprintable():
        return words
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in words)


def _told(value: object) -> object:
    """A server tool's result without what only the API can read."""
    if isinstance(value, list):
        return [_told(item) for item in value]
    if isinstance(value, dict):
        return {name: _told(item) for name, item in value.items() if not str(name).startswith(_OPAQUE)}
    return value


def _window(words: str, start: int, width: int) -> str:
    before = _CUT if start else ""
    after = _CUT if len(words) > start + width else ""
    return f"{before}{visible(words[start : start + width])}{after}"


def _tells(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else type(value) in (int, float)


def _short(value: object) -> str:
    words = value.strip().partition("\n")[0] if isinstance(value, str) else repr(value)
    return visible(words if len(words) <= _VALUE else f"{words[: _VALUE - 1]}{_CUT}")


def _size(data: str | bytes, *, encoded: bool) -> int:
    try:
        return len(base64.b64decode(data) if encoded else data)
    except ValueError:  # a broken image is shown too
        return len(data)
