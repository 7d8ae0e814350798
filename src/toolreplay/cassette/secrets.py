"""Secrets that a recording holds: a cassette is committed, so it is refused while one stands in it.

Looked at are the URL, the headers and the bodies of every exchange, and what they hold in other forms: escaped, as
JSON in a text, in base64, compressed, and in the pieces of a stream put together. A search of the file finds none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Final
from urllib.parse import quote_plus

from toolreplay.wire.eventstream import looks_framed
from toolreplay.wire.http import HttpResponse

from .credentials import known_forms, names_secret
from .exchange import Cassette, Exchange, Provenance
from .other_forms import all_of_json, decompressed_parts, from_base64, unescaped
from .stream_parts import Part, chunk_parts, frame_parts, pieces, sse_parts

DUMMIES: Final = frozenset({"replay-needs-no-key"})
"""What the project itself puts where a client insists on a credential."""

_SHORTEST: Final = 12
# Bytes of the model's own and of media: what looks like a secret there is chance.
_OPAQUE: Final = frozenset({"signature", "data", "encrypted_content", "redactedContent", "thinking"})
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w-]{0,39}")
_DEPTH: Final = 4  # forms in forms: base64 of gzip of JSON


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret that was found; the secret itself is nowhere in it.

    Attributes:
        kind: what it is: `a private key`.
        place: where it stands: `interaction 1, request body messages[2].content[0].text`, counted from 0.
        mark: by which equal ones are told within a process.
    """

    kind: str
    place: str
    mark: int = field(default=0, repr=False, compare=False)


def find_secret(
    cassette: Cassette,
    *,
    environment: Mapping[str, str] | None = None,
    dummies: Iterable[str] = DUMMIES,
    patterns: Iterable[re.Pattern[str]] = (),
    beside: object = None,
) -> Secret | None:
    """The first secret of a cassette.

    Args:
        beside: what else its file holds, as the data of one.
        environment: variables whose values are secret if their names say so; those of the process when None.
        dummies: values that are no secret, whatever holds them.
        patterns: what else is a secret, by its look: the user's own.
    """
    search = Search(os.environ if environment is None else environment, frozenset(dummies), patterns=patterns)
    for index, exchange in enumerate(cassette.exchanges):
        for secret in search.exchange(exchange):
            return Secret(secret.kind, f"interaction {index}, {secret.place}")
    return next(chain(search.provenance(cassette.provenance), search.entry(beside)), None)


class Search:
    """One search. Texts and messages that were looked at are not looked at again: requests repeat the history.

    Args:
        environment, dummies, patterns: as in `find_secret`.
        placeholders: what in the form of a secret is none, by its look.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        dummies: frozenset[str],
        placeholders: re.Pattern[str] | None = None,
        patterns: Iterable[re.Pattern[str]] = (),
    ) -> None:
        self._placeholders = placeholders
        self._patterns = tuple(patterns)
        self._values = {
            spelled: name
            for name, value in environment.items()
            if len(value) >= _SHORTEST and value not in dummies and names_secret(name)
            # A blank is a plus in a form, which `unescaped` leaves as it is.
            for spelled in (value, quote_plus(value, errors="replace"))
        }
        self._clean: set[str] = set()
        self._walked: dict[int, object] = {}

    def exchange(self, exchange: Exchange) -> Iterator[Secret]:
        """The secrets of an exchange."""
        response = exchange.response
        yield from self._text(exchange.method, "request method", 0)
        yield from self._text(exchange.url, "request URL", 0)
        yield from self._json(dict(exchange.headers), "request header ", 0)
        if isinstance(exchange.body, bytes):
            yield from self._bytes(exchange.body, "request body", 0)
        else:
            yield from self._json(exchange.body, "request body ", 0)
        yield from self._json(dict(response.headers), "response header ", 0)
        yield from self._response(response)

    def entry(self, value: object) -> Iterator[Secret]:
        """The secrets of JSON that came alone, such as the line of a log."""
        yield from self._json(value, "", 0)

    def provenance(self, provenance: Provenance | None) -> Iterator[Secret]:
        """The secrets of what a cassette says of its origin."""
        if provenance is not None:
            yield from self._json(asdict(provenance), "toolreplay.", 0)

    def _response(self, response: HttpResponse) -> Iterator[Secret]:
        body = response.body
        if looks_framed(body):
            yield from self._stream(frame_parts(body))
            yield from self._stream(chunk_parts(body))
        elif response.content_type == "text/event-stream":
            yield from self._stream(sse_parts(body))
        else:
            value = all_of_json(body)
            if value is not None:
                yield from self._json(value, "response body ", 0)
            else:
                yield from self._bytes(body, "response body", 0, response.headers.get("content-encoding", ""))

    def _stream(self, parts: Iterable[Part]) -> Iterator[Secret]:
        joined: dict[str, list[str]] = {}
        for number, (event, beside) in enumerate(parts):
            yield from self._json(event, f"response body event {number} ", 0)
            yield from self._json(beside, f"response body event {number} ", 0)
            for place, piece in pieces(event, _OPAQUE):
                joined.setdefault(place, []).append(piece)
        for place, texts in joined.items():
            yield from self._text("".join(texts), f"response body {place}, its pieces put together", 0)

    def _json(self, value: object, place: str, depth: int) -> Iterator[Secret]:
        waiting = [(value, place)]  # and no recursion: what a tool makes of its input may be nested deeply
        while waiting:
            value, place = waiting.pop()
            if isinstance(value, str):
                yield from self._text(value, place.rstrip(), depth)
            elif isinstance(value, bytes):
                yield from self._bytes(value, place.rstrip(), depth)
            elif isinstance(value, dict | list) and id(value) not in self._walked:
                self._walked[id(value)] = value  # held, so that its id stays its own
                if isinstance(value, dict):
                    inside = list(_fields(value, place))
                else:
                    inside = [(item, f"{place}[{index}]") for index, item in enumerate(value)]
                waiting += reversed(inside)

    def _bytes(self, data: bytes, place: str, depth: int, encoding: str = "") -> Iterator[Secret]:
        if depth < _DEPTH:
            for part in decompressed_parts(data, encoding):
                yield from self._bytes(part, place, depth + 1)
        yield from self._text(data.decode("utf-8", "replace"), place, depth)
        if b"\0" in data:  # text in two bytes a character, or in four
            yield from self._text(data.replace(b"\0", b"").decode("utf-8", "replace"), place, depth)

    def _text(self, text: str, place: str, depth: int) -> Iterator[Secret]:
        if text in self._clean:
            return
        found = self._found(text)
        if found is not None:
            yield Secret(found[0], place, hash(found[1]))
            return
        if depth < _DEPTH:
            self._clean.add(text)
            yield from self._decoded(text, place, depth + 1)

    def _found(self, text: str) -> tuple[str, str] | None:
        """The kind of the first secret of a text, and the secret."""
        for value, name in self._values.items():
            if value in text:
                return f"the value of the environment variable {name}", value
        for pattern in self._patterns:
            own = pattern.search(text)
            if own is not None and own[0]:
                return f"what matches {pattern.pattern!r}", own[0]
        for kind, found in known_forms(text):
            if self._placeholders is None or not self._placeholders.search(found):
                return kind, found
        return None

    def _decoded(self, text: str, place: str, depth: int) -> Iterator[Secret]:
        value = all_of_json(text) if text.lstrip()[:1] in ("{", "[") else None
        if value is not None:
            yield from self._json(value, f"{place} as JSON ", depth)
            return
        for plain in unescaped(text):
            yield from self._text(plain, place, depth)
        for data in from_base64(text):
            yield from self._bytes(data, f"{place}, decoded", depth)


def _fields(fields: Mapping[object, object], place: str) -> Iterator[tuple[object, str]]:
    """What is to be looked at of an object: its keys and values, and their places."""
    for key, value in fields.items():
        name = str(key)
        yield name, place
        if name in _OPAQUE and isinstance(value, str | bytes):
            continue
        inner = _below(place, name)
        if isinstance(value, str) and names_secret(name):  # what it is may only be told with its name
            yield f"{name}: {value}", inner
        yield value, inner


def _below(place: str, name: str) -> str:
    """The place of a field; a name that is no name, and may be long, is not repeated."""
    shown = name if _PLAIN_NAME.fullmatch(name) else "*"
    return f"{place}{shown}" if not place or place.endswith((" ", ".")) else f"{place}.{shown}"
