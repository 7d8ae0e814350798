"""What texts and bytes hold in other forms than the one that is searched: escaped, in base64, as JSON, compressed.

Whoever looks for something wants all that may be there, so what is damaged or cut is taken as far as it goes.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote

from .bodies import LIMIT, brotli_parts
from .recording import MalformedError

_GZIP: Final = b"\x1f\x8b\x08"
# Runs of base64, broken into lines or not. A shorter one behind may be its last line.
_PACKED: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}(?:\s+[A-Za-z0-9+/_-]{20,})*(?:\s+[A-Za-z0-9+/_-]+)?")
_STANDARD: Final = str.maketrans("-_", "+/")
_GROUP: Final = 4  # characters of base64, for three bytes
_LEGIBLE: Final = re.compile(rb"[\t\r\n\x20-\x7e]{12,}")
# Each begins with its mark, which is found fast.
_ESCAPES: Final[tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    ("%", re.compile(r"%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*"), lambda found: unquote(found[0])),
    (
        "\\",
        re.compile(r'\\(?:u[0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4})*|["\\/bfnrt])'),
        lambda found: str(json.loads(f'"{found[0]}"')),
    ),
    ("&", re.compile(r"&(?:#[0-9]{2,3}|#x[0-9A-Fa-f]{2}|amp|apos|gt|lt|quot);"), lambda found: html.unescape(found[0])),
    ("\x1b", re.compile(r"\x1b\[[0-9;:]*[A-Za-z]"), lambda _: ""),
)


def unescaped(text: str) -> Iterator[str]:
    """The text as it is without the escapes of a URL, of JSON, of HTML and of a terminal, where it has any."""
    for mark, escape, undo in _ESCAPES:
        if mark in text and escape.search(text):
            yield escape.sub(undo, text)


def from_base64(text: str) -> Iterator[bytes]:
    """What base64 in a text holds: text, what is compressed, and the texts in other bytes.

    A letter, `/` or `_` before it is as good as a part of it, and its lines may begin anywhere: so each run is decoded
    from each of the four characters at which its groups may begin.
    """
    for run in _PACKED.finditer(text):
        letters = "".join(run[0].split()).translate(_STANDARD)
        for start in range(_GROUP):
            rest = (len(letters) - start) % _GROUP
            whole = letters[start : -1 if rest == 1 else None]  # one character alone holds no byte
            yield from _legible(base64.b64decode(whole + "=" * (-rest % _GROUP if rest != 1 else 0)))


def _legible(data: bytes) -> Iterator[bytes]:
    if _GZIP not in data and not _is_zlib(data) and not _is_text(data):
        # Most is noise; what is not, is ASCII, in one byte a character or in more.
        data = b"\n".join(_LEGIBLE.findall(data.replace(b"\0", b"")))
    if data:
        yield data


def decompressed_parts(data: bytes, encoding: str = "") -> Iterator[bytes]:
    """What is compressed in the bytes, each part up to where it ends or is damaged.

    Args:
        encoding: the `content-encoding` header, for brotli, which does not show what it is.
    """
    left = LIMIT
    start = data.find(_GZIP)
    while start >= 0:
        part = _inflated(memoryview(data)[start:], zlib.MAX_WBITS | 16, left)
        left -= len(part)
        yield part
        start = data.find(_GZIP, start + 1)
    if _is_zlib(data):
        yield _inflated(data, zlib.MAX_WBITS, left)
    elif not _is_text(data):
        yield _inflated(data, -zlib.MAX_WBITS, left)  # what some servers call deflate
    if "br" in {name.strip() for name in encoding.lower().split(",")}:
        yield b"".join(_until_damaged(brotli_parts(data)))


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_zlib(data: bytes) -> bool:
    """Whether the bytes begin as zlib's format does (RFC 1950); some texts do too."""
    return data[:1] == b"\x78" and int.from_bytes(data[:2], "big") % 31 == 0


def _inflated(data: bytes | memoryview, wbits: int, limit: int) -> bytes:
    if limit <= 0:
        return b""
    try:
        return zlib.decompressobj(wbits).decompress(data, limit)
    except zlib.error:
        pass
    stream = zlib.decompressobj(wbits)
    found = bytearray()
    try:
        for place in range(len(data)):  # else what comes before the damage would be lost
            found += stream.decompress(data[place : place + 1])
            if len(found) > limit:
                break
    except zlib.error:
        pass
    return bytes(found)


def _until_damaged(parts: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from parts
    except MalformedError:
        return


def all_of_json(text: str | bytes) -> Any:
    """A text of JSON with all its values: an object with a key twice is a list, with an object for each field.

    Returns:
        The value; None where the text is no JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_fields)
    except (ValueError, RecursionError):
        return None


def _fields(pairs: list[tuple[str, Any]]) -> Any:
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else [{name: value} for name, value in pairs]
