"""Credentials in recordings that exist: what `secrets` looks for, found fast and without false alarms.

A recording that is being written is refused for what may be a secret; one that somebody committed long ago is
told about only what does not look like a placeholder. Most recordings hold none, so each body is first searched
for the few words without which it cannot hold any (a tenth of the time that walking through it takes).
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Reply

from .credentials import is_credential
from .exchange import Exchange
from .secrets import Search, Secret

_SHORTEST: Final = 16
# What recorders, scrubbers and authors of tests write in place of a credential.
_PLACEHOLDER: Final = re.compile(
    r"redacted|filtered|scrubbed|sanitized|removed|hidden|masked|placeholder|fake|dummy|mock|test|example|sample"
    r"|invalid|your[-_]|my[-_]|xxx|\.\.\.|0000|1234567|abcdef|(.)\1{5}",
    re.IGNORECASE,
)
_SIGNED: Final = "AWS4-HMAC-"  # a signature, good for some minutes; the key's id in it is found by its form
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]+\Z")


def _in_base64(word: bytes) -> Iterator[bytes]:
    """What base64 of any text with the word holds, by where in a group of three bytes the word begins."""
    for before in range(3):
        first = -(-before * 8 // 6)
        yield b64encode(b"\0" * before + word + b"\0\0")[first : (before + len(word)) * 8 // 6]


_EXACT: Final = (
    *(b"sk-ant-", b"AKIA", b"ASIA", b".eyJ", b"PRIVATE KEY"),
    *_in_base64(b"sk-ant-api"),
)
_BEARER: Final = b"bearer"
_SECRET: Final = b"secret"


class Leaks:
    """Searches one file; what is told once is not looked at again.

    Args:
        patterns: what is a credential too, by its look: the user's own.
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]] = ()) -> None:
        own = tuple(patterns)
        self._search = Search({}, frozenset(), _PLACEHOLDER, own)
        # Where a pattern of the user's matches, no word is known that tells beforehand.
        self._always = bool(own)

    def may_be_in(self, data: bytes) -> bool:
        """Whether bytes may hold a credential: quickly told, and seldom wrongly."""
        return self._always or _suspicious(data)

    def of(self, request: HttpRequest, response: HttpResponse | None, reply: Reply | None) -> Iterator[Secret]:
        """The credentials of an exchange.

        Args:
            reply: what the pieces of a streamed response add up to.
        """
        answer = response or HttpResponse(200)
        told: set[str] = set()
        if self._may_be_in_exchange(request, answer, reply):
            body = request.json if isinstance(request.json, dict | list) else request.body
            for secret in self._search.exchange(Exchange(request.method, request.url, request.headers, body, answer)):
                told.add(secret.place)
                yield secret
        yield from (secret for secret in _credentials(request.headers) if secret.place not in told)

    def of_entry(self, entry: object) -> Iterator[Secret]:
        """The credentials of JSON that came alone; places count from its root."""
        return self._search.entry(entry)

    def _may_be_in_exchange(self, request: HttpRequest, response: HttpResponse, reply: Reply | None) -> bool:
        heads = "\n".join((request.url, *request.headers.values(), *response.headers.values()))
        if self.may_be_in(b"\n".join((heads.encode("utf-8", "surrogatepass"), request.body, response.body))):
            return True
        streamed = reply is not None and not response.body[:64].lstrip().startswith(b"{")
        return streamed and _suspicious(repr(reply and reply.content).encode("utf-8", "surrogatepass"))


def _credentials(headers: Mapping[str, str]) -> Iterator[Secret]:
    for name in sorted(filter(is_credential, headers)):
        if headers[name].startswith(_SIGNED):
            continue
        token = headers[name].rpartition(" ")[2]  # behind `Bearer`
        real = len(token) >= _SHORTEST and _TOKEN.match(token) and any(map(str.isdigit, token))
        if real and not _PLACEHOLDER.search(token):
            yield Secret("a credential", f"request header {name}", hash(token))


def _suspicious(data: bytes) -> bool:
    """Whether bytes may hold a credential of a known form."""
    # Not `any`: it is asked of every body and every line of a log, and a generator takes as long as the search.
    for word in _EXACT:
        if word in data:
            return True
    lower = data.lower()
    return _BEARER in lower or _SECRET in lower
