"""A response as it came from a server, decompressed and with the headers that are true of it then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolreplay.wire.http import HttpResponse

from .bodies import TRANSPORT, decompressed
from .recording import MalformedError

_ESCAPED: Final = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
"""Bytes that are no UTF-8, as aiohttp reads them in headers (PEP 383), and the letters that they are in a file."""


def decoded_response(status: int, headers: Iterable[tuple[str, str]], body: bytes) -> HttpResponse:
    """The response; a header that came several times has its values joined by ", "."""
    found: dict[str, str] = {}
    for name, value in headers:
        key, text = name.lower(), value.translate(_ESCAPED)
        found[key] = f"{found[key]}, {text}" if key in found else text
    try:
        body = decompressed(body, found.get("content-encoding", ""))
    except MalformedError:  # left as it is, with the header that says what it is
        return HttpResponse(status, found, body)
    return HttpResponse(status, {name: value for name, value in found.items() if name not in TRANSPORT}, body)
