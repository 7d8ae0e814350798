"""Secrets that a recording holds: a cassette is committed, so it is refused while one stands in it.

Looked at are the URL, the headers and the bodies of every exchange, and what they hold in other forms: JSON in a text,
base64 and gzip that is text, and the pieces of a stream put together, in none of which a search of the file finds it.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Final
from urllib.parse import unquote

from toolreplay.wire.eventstream import chunk_events, looks_framed, parse_frames
from toolreplay.wire.http import HttpResponse
from toolreplay.wire.sse import parse_events

from .bodies import gunzip
from .credentials import known_forms, names_secret
from .exchange import Cassette, Exchange, Provenance
from .recording import MalformedError

DUMMIES: Final = frozenset({"replay-needs-no-key"})
"""What the project itself puts where a client insists on a credential."""

_SHORTEST: Final = 12
# Bytes of the model's own and of media: what looks like a secret there is chance.
_OPAQUE: Final = frozenset({"signature", "data", "encrypted_content", "redactedContent", "thinking"})
_PACKED: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_WRAPPED: Final = re.compile(r"(?:[A-Za-z0-9+/_-]{20,}\s+)+[A-Za-z0-9+/_-]+={0,2}\s*")
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
) -> Secret | None:
    """The first secret of a cassette.

    Args:
        environment: variables whose values are secret if their names say so; those of the process when None.
        dummies: values that are no secret, whatever holds them.
        patterns: what else is a secret, by its look: the user's own.
    """
    search = Search(os.environ if environment is None else environment, frozenset(dummies), patterns=patterns)
    for index, exchange in enumerate(cassette.exchanges):
        for secret in search.exchange(exchange):
            return Secret(secret.kind, f"interaction {index}, {secret.place}")
    return next(search.provenance(cassette.provenance), None)


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
            value: name
            for name, value in environment.items()
            if len(value) >= _SHORTEST and value not in dummies and names_secret(name)
        }
        self._clean: set[str] = set()
        self._walked: dict[int, object] = {}

    def exchange(self, exchange: Exchange) -> Iterator[Secret]:
        """The secrets of an exchange."""
        response = exchange.response
        yield from self._text(unquote(exchange.url), "request URL", 0)
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
            frames, _ = parse_frames(body)
            yield from self._stream([frame.json for frame in frames])
            yield from self._stream([event.data for event in chunk_events(frames)])
        elif response.content_type == "text/event-stream":
            events = parse_events(body)
            yield from self._stream([event.raw if event.data is None else event.data for event in events])
        elif response.json is not None:
            yield from self._json(response.json, "response body ", 0)
        else:
            yield from self._bytes(body, "response body", 0)

    def _stream(self, events: list[object]) -> Iterator[Secret]:
        joined: dict[str, list[str]] = {}
        for number, event in enumerate(events):
            yield from self._json(event, f"response body event {number} ", 0)
            for place, piece in _pieces(event):
                joined.setdefault(place, []).append(piece)
        for place, pieces in joined.items():
            yield from self._text("".join(pieces), f"response body {place}, its pieces put together", 0)

    def _json(self, value: object, place: str, depth: int) -> Iterator[Secret]:
        if isinstance(value, str):
            yield from self._text(value, place.rstrip(), depth)
        elif isinstance(value, bytes):
            yield from self._bytes(value, place.rstrip(), depth)
        elif isinstance(value, dict | list) and id(value) not in self._walked:
            self._walked[id(value)] = value  # held, so that its id stays its own
            if isinstance(value, dict):
                yield from self._fields(value, place, depth)
                return
            for index, item in enumerate(value):
                yield from self._json(item, f"{place}[{index}]", depth)

    def _fields(self, fields: Mapping[object, object], place: str, depth: int) -> Iterator[Secret]:
        for key, value in fields.items():
            name = str(key)
            yield from self._text(name, place.rstrip(), depth)
            if name in _OPAQUE and isinstance(value, str | bytes):
                continue
            inner = _below(place, name)
            if isinstance(value, str) and names_secret(name):  # what it is may only be told with its name
                yield from self._text(f"{name}: {value}", inner, depth)
            yield from self._json(value, inner, depth)

    def _bytes(self, data: bytes, place: str, depth: int) -> Iterator[Secret]:
        if data.startswith(b"\x1f\x8b") and depth < _DEPTH:
            try:
                data = gunzip(data)
            except MalformedError:
                return
            yield from self._bytes(data, place, depth + 1)
            return
        yield from self._text(data.decode("utf-8", "replace"), place, depth)

    def _text(self, text: str, place: str, depth: int) -> Iterator[Secret]:
        if text in self._clean:
            return
        found = self._found(text)
        if found is not None:
            yield Secret(found[0], place, hash(found[1]))
            return
        self._clean.add(text)
        if depth < _DEPTH:
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
        if text.lstrip()[:1] in ("{", "["):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = None
            if value is not None:
                yield from self._json(value, f"{place} as JSON ", depth)
                return
        packed = ["".join(text.split())] if _WRAPPED.fullmatch(text) else _PACKED.findall(text)
        for piece in packed:
            data = _unpacked(piece)
            if data is not None:
                yield from self._bytes(data, f"{place}, decoded", depth)


def _below(place: str, name: str) -> str:
    """The place of a field; a name that is no name, and may be long, is not repeated."""
    shown = name if _PLAIN_NAME.fullmatch(name) else "*"
    return f"{place}{shown}" if not place or place.endswith((" ", ".")) else f"{place}.{shown}"


def _pieces(event: object) -> Iterator[tuple[str, str]]:
    """The texts of an event that adds to a block: what they are pieces of, and the piece. Both wires."""
    delta = event.get("delta") if isinstance(event, dict) else None
    if not isinstance(event, dict) or not isinstance(delta, dict):
        return
    index = event.get("index", event.get("contentBlockIndex"))
    for name, value in delta.items():
        inner = value.items() if isinstance(value, dict) else ((name, value),)
        for key, piece in inner:
            if isinstance(piece, str) and not {name, key} & _OPAQUE and key != "type":
                yield f"content[{index}] {key}", piece


def _unpacked(text: str) -> bytes | None:
    """What base64 holds if that is gzip or text."""
    standard = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        data = base64.b64decode(standard + "=" * (-len(standard) % 4))
        if not data.startswith(b"\x1f\x8b"):
            data.decode()
    except (binascii.Error, ValueError):
        return None
    return data
