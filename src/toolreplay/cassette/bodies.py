"""Bodies as they were on the wire, from the many ways in which recorders write them down.

A recorded body may be text, bytes, parsed JSON, base64 or hex of a binary stream, compressed with or without
the header that says so, or plain under a header that says compressed.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from toolreplay.wire.eventstream import looks_framed

from .recording import MalformedError

LIMIT = 256 * 2**20
"""Bytes a body may have when it is decompressed; the API itself takes 32 MB."""

TRANSPORT = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that are no longer true of a body that was read whole and decompressed."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_TEXT_STARTS = (b"{", b"[", b"event:", b"data:", b":", b"<")
_BROTLI_MODULES = ("brotli", "brotlicffi")
# A meta-block is at most 16 MB and takes several bytes (RFC 7932, section 9.2), so a piece of this size cannot grow far
# past the limit; not every version of the packages takes a limit itself.
_BROTLI_PIECE = 16


@dataclass(frozen=True, slots=True)
class Base64:
    """A body that its recording says is base64."""

    text: object


def to_bytes(body: object) -> bytes:
    """A body as its format's reader found it: None, text, bytes, Base64, or parsed JSON.

    Lone surrogates pass through as they are, since it is the contract that judges them.
    """
    if body is None:
        return b""
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, Base64):
        return _from_base64(body)
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError):
        raise MalformedError("parsed JSON that holds what JSON cannot") from None


def _from_base64(body: Base64) -> bytes:
    try:
        return base64.b64decode(to_bytes(body.text))
    except (binascii.Error, ValueError):
        raise MalformedError("no base64, though the recording says so") from None


def decompressed(body: bytes, encoding: str = "") -> bytes:
    """Decompress a body, and decode an event stream that was written as base64 or hex.

    Args:
        encoding: the `content-encoding` header. It is only believed where the bytes do not show what they
            are.

    Raises:
        MalformedError: for a body that is damaged, too large, or compressed with what is not installed.
    """
    for name in reversed(encoding.lower().split(",")):
        body = _decode(body, name.strip())
    if body.startswith(_GZIP):
        body = gunzip(body)
    return _event_stream(body)


def gunzip(data: bytes) -> bytes:
    """Decompress gzip, all its members, up to LIMIT. Raises MalformedError."""
    parts = []
    size = 0
    while data.startswith(_GZIP):
        part, data = _inflate(data, zlib.MAX_WBITS | 16, LIMIT - size, "gzip")
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _decode(body: bytes, name: str) -> bytes:
    if not body or name in ("", "identity") or body.lstrip()[:8].startswith(_TEXT_STARTS):
        return body
    if body.startswith(_GZIP):
        return gunzip(body)
    if name == "deflate":
        # RFC 9110 means zlib's format; some servers send the bare one.
        wrapped = body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
        return _inflate(body, zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS, LIMIT, "deflate")[0]
    if name == "br":
        return b"".join(brotli_parts(body))
    if name == "zstd" and body.startswith(_ZSTD):
        raise MalformedError("zstd, which cannot be read here; record without zstd in accept-encoding")
    return body


def _inflate(data: bytes, wbits: int, limit: int, name: str) -> tuple[bytes, bytes]:
    stream = zlib.decompressobj(wbits)
    try:
        plain = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise MalformedError(f"damaged {name}: {error}") from None
    if len(plain) > limit:
        raise _larger(name)
    if not stream.eof:
        raise MalformedError(f"{name} that ends too early")
    return plain, stream.unused_data


def brotli_parts(body: bytes) -> Iterator[bytes]:
    """Decompress brotli piece by piece, up to LIMIT. Raises MalformedError where it is damaged."""
    module = _brotli_module()
    stream = module.Decompressor()
    size = 0
    try:
        for start in range(0, len(body), _BROTLI_PIECE):
            part: bytes = stream.process(body[start : start + _BROTLI_PIECE])
            yield part
            size += len(part)
            if size > LIMIT:
                raise _larger("brotli")
    except module.error as error:
        raise MalformedError(f"damaged brotli: {error}") from None
    if not stream.is_finished():
        raise MalformedError("brotli that ends too early")


def _brotli_module() -> Any:
    for name in _BROTLI_MODULES:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise MalformedError("brotli, which needs a package; pip install brotli, or record without br in accept-encoding")


def _larger(name: str) -> MalformedError:
    return MalformedError(f"{name} of more than {LIMIT // 2**20} MB when it is decompressed")


def _event_stream(body: bytes) -> bytes:
    # A frame begins with its length, which is below 16 MB: 00 in hex, AA in base64.
    try:
        if body.startswith(b"00"):
            plain = bytes.fromhex(body.decode("ascii"))
        elif body.startswith(b"AA"):
            plain = base64.b64decode(body)
        else:
            return body
    except (UnicodeDecodeError, ValueError):
        return body
    return plain if looks_framed(plain) else body
