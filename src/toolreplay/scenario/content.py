"""Message content as scenarios write it: text, or blocks, where an image or document may name a file."""

from __future__ import annotations

import base64
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .faults import Fault, FaultsError, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .source import Source

Content: TypeAlias = str | tuple[dict[str, Any], ...]

_ROLES: Final = ("user", "assistant", "system")

# What the API takes as base64 (docs: build-with-claude/vision, build-with-claude/pdf-support).
_MEDIA_TYPES: Final[Mapping[str, Mapping[str, str]]] = {
    "image": {
        ".gif": "image/gif",
        ".jpeg": "image/jpeg",
        ".jpg": "image/jpeg",
        ".png": "image/png",
        ".webp": "image/webp",
    },
    "document": {".pdf": "application/pdf", ".txt": "text/plain"},
}


def content(value: object, source: Source) -> Content:
    """Check text or content blocks, and put files in place.

    Raises:
        FaultsError: neither text nor a list of blocks, nothing in it, or a file that cannot be taken in.
    """
    if isinstance(value, str):
        if not value.strip():
            raise refuse("the text is blank, which the API refuses; write something")
        return value
    if not isinstance(value, list):
        raise refuse("expected text or a list of content blocks; write text, or [{type: text, text: ...}]")
    if not value:
        raise refuse("the list of content blocks is empty, which the API refuses; write text or a block")
    return blocks(value, source)


def blocks(value: object, source: Source) -> tuple[dict[str, Any], ...]:
    """Check a list of content blocks, and put files in place.

    Raises:
        FaultsError: no list, a block without a type, or a file that cannot be taken in.
    """
    if not isinstance(value, list):
        raise refuse("expected a list of content blocks; write [{type: text, text: ...}]")
    found: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for index, item in enumerate(value):
        try:
            found.append(_block(item, source))
        except FaultsError as error:
            faults += [Fault((index, *fault.at), fault.what) for fault in error.faults]
    if faults:
        raise FaultsError(*faults)
    return tuple(found)


def messages(value: object, source: Source) -> tuple[dict[str, Any], ...]:
    """Check a list of messages, each of a role and content, and put files in place.

    Raises:
        FaultsError: no list, or a message that is none.
    """
    if not isinstance(value, list):
        raise refuse("expected a list of messages; write [{role: user, content: ...}]")
    found: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for index, item in enumerate(value):
        try:
            found.append(_message(item, source))
        except FaultsError as error:
            faults += [Fault((index, *fault.at), fault.what) for fault in error.faults]
    if faults:
        raise FaultsError(*faults)
    return tuple(found)


def _message(item: object, source: Source) -> dict[str, Any]:
    if not isinstance(item, dict) or set(item) != {"role", "content"}:
        raise refuse("a message has role and content and nothing else; write {role: user, content: ...}")
    if item["role"] not in _ROLES:
        raise refuse(f"no role {item['role']!r}; write one of {', '.join(_ROLES)}", "role")
    try:
        inner = content(item["content"], source)
    except FaultsError as error:
        raise FaultsError(*(Fault(("content", *fault.at), fault.what) for fault in error.faults)) from None
    return {"role": item["role"], "content": inner if isinstance(inner, str) else list(inner)}


def _block(item: object, source: Source) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise refuse("a content block is a mapping; write {type: text, text: ...}")
    kind = item.get("type")
    if not isinstance(kind, str):
        raise refuse("a content block without a type; add one, such as type: text")
    if kind == "text" and not isinstance(item.get("text"), str):
        raise refuse("a text block needs text; add text: ... (in quotes if it is no word)")
    if kind not in _MEDIA_TYPES or "file" not in item:
        return item
    rest = {key: value for key, value in item.items() if key != "file"}
    if "source" in rest:
        raise refuse("a block has either 'file' or 'source'; remove one", "file")
    return {"type": kind, "source": _load(kind, item["file"], source), **rest}


def _load(kind: str, name: object, source: Source) -> dict[str, str]:
    if not isinstance(name, str) or not name:
        raise refuse("expected the name of a file beside the scenario", "file")
    if source.folder is None or source.root is None:
        raise refuse("files can be named only in a scenario that is a file itself", "file")
    media = _MEDIA_TYPES[kind].get(PurePosixPath(name).suffix.lower())
    if media is None:
        takes = ", ".join(_MEDIA_TYPES[kind])
        raise refuse(f"{name!r} is no {kind} that the API takes; it takes {takes}", "file")
    path = (source.folder / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(source.root.resolve()):
        raise refuse(f"{name!r} is outside the project; move the file beside the scenario", "file")
    try:
        raw = path.read_bytes()
        if media == "text/plain":
            return {"type": "text", "media_type": media, "data": raw.decode("utf-8")}
    except FileNotFoundError:
        raise refuse(f"there is no file {name!r} beside the scenario; add it or mend its name", "file") from None
    except OSError as error:
        raise refuse(f"{name!r} cannot be read: {error.strerror}; mend the file", "file") from None
    except UnicodeDecodeError:
        raise refuse(f"{name!r} is not UTF-8; save it as UTF-8", "file") from None
    return {"type": "base64", "media_type": media, "data": base64.b64encode(raw).decode("ascii")}
