"""What a file holds for `check`: recorded exchanges, request bodies, or a log of either."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from toolreplay.cassette import bodies
from toolreplay.cassette.reading import (
    NotARecording,
    UnreadableError,
    interpret,
    json_fault,
    load,
    too_large,
    unopenable,
)
from toolreplay.cassette.recording import Interaction
from toolreplay.files.opening import read_all
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.model import Reply, Wire

from .entries import Exchange, is_conversation, read_entry, request_body
from .files import is_log
from .lines import LONGEST, Line, damage, decoded, read_lines, rejoined

_ONE_VALUE = (".yaml", ".yml", ".har", ".yaml.gz", ".yml.gz", ".json.gz")
_BOM = b"\xef\xbb\xbf"
_BLANK = 2**16
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# A word of each format. A file without any of them is none, and need not be parsed to tell.
_WORDS = tuple(b"messages interactions request toolreplay entries when scope custom_id".split())


@dataclass(frozen=True, slots=True)
class Log:
    """A file of one JSON value a line."""

    lines: Iterator[Line]


def open_source(stream: BinaryIO, name: str) -> Log | bytes:
    """Tell a log, by the name or else by the first two lines, from a file of one value, whose bytes are read.

    Raises:
        UnreadableError: the file is too large to be read whole, changes meanwhile, or is damaged.
    """
    try:
        if is_log(name):
            return Log(read_lines(decoded(stream)))
        if name.lower().endswith(_ONE_VALUE):
            return _whole(stream, name)
        return _told_by_content(decoded(stream) if not name.lower().endswith(".json") else stream, name)
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        raise UnreadableError(name, 1, damage(error)) from None


def read_exchanges(data: bytes, file: str, *, named: bool = True, wire: Wire | None = None) -> tuple[Exchange, ...]:
    """The exchanges of a file with one value: a recording, a request body, or a list of bodies.

    Args:
        named: whether the user named the file; else a list called `messages` must look like a conversation.
        wire: the wire of request bodies; None to tell it from their shape. Recordings tell theirs by the URL.

    Raises:
        NotARecording, UnreadableError: as `cassette.reading.read_recording`.
    """
    if not named and not _may_be_one(data):
        raise NotARecording(file, 1, "holds no word of any format of recordings")
    loaded, lines = load(data, file)
    try:
        recording = interpret(loaded, lines, file)
    except NotARecording:
        found = tuple(_bodies(loaded, wire, named=named))
        if not found:
            raise
        return found
    return tuple(_recorded(recording.interactions))


def read_line(line: Line, file: str, wire: Wire | None = None) -> tuple[Exchange, ...] | None:
    """The exchanges of a log's line; None when it is of another kind.

    Raises:
        UnreadableError: the line is no JSON, too long, or a recording that makes no sense.
    """
    number = line.index + 1
    if line.text is None:
        raise UnreadableError(file, number, f"is longer than {LONGEST // 2**20} MB")
    try:
        text = line.text.removeprefix(_BOM) if line.index == 0 else line.text
        # Lone surrogates pass, since it is the contract that judges them.
        entry = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(file, number, json_fault(error)[1]) from None
    exchange = read_entry(entry, line.index, number, wire)
    if exchange is not None:
        return (exchange,)
    try:
        recording = interpret(entry, {}, file)
    except NotARecording:
        return None
    except UnreadableError as error:
        raise UnreadableError(file, number, error.reason) from None
    return tuple(
        Exchange(line.index, number, exchange.request, exchange.reply) for exchange in _recorded(recording.interactions)
    )


def _whole(stream: BinaryIO, name: str, before: bytes = b"") -> bytes:
    try:
        data = read_all(stream, bodies.LIMIT, before)
    except OSError as error:
        raise unopenable(name, error) from None
    if data is None:
        raise too_large(name)
    return data


def _told_by_content(stream: BinaryIO, name: str) -> Log | bytes:
    first, blank = _next_line(stream)
    second, more = _next_line(stream)
    before = blank + first + more + second
    if second and _is_json(first.removeprefix(_BOM)):
        return Log(read_lines(rejoined([before], stream)))
    return _whole(stream, name, before)


def _next_line(stream: BinaryIO) -> tuple[bytes, bytes]:
    """The next line with something on it, if it comes soon, and the blank ones before it."""
    blank = bytearray()
    while (line := stream.readline(bodies.LIMIT + 1)) and not line.strip() and len(blank) < _BLANK:
        blank += line
    return line, bytes(blank)


def _is_json(line: bytes) -> bool:
    if line.lstrip()[:1] not in (b"{", b"["):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _may_be_one(data: bytes) -> bool:
    return data.startswith((_GZIP, *_UTF_16)) or any(word in data for word in _WORDS)


def _bodies(loaded: object, wire: Wire | None, *, named: bool) -> Iterator[Exchange]:
    entries: list[object] = [loaded]
    if isinstance(loaded, dict) and isinstance(loaded.get("requests"), list):
        entries = loaded["requests"]  # the body that makes a batch
    elif isinstance(loaded, list) and request_body(loaded) is None:
        entries = loaded
    for index, entry in enumerate(entries):
        exchange = read_entry(entry, index, 1, wire)
        if exchange is None:
            continue
        body = {} if exchange.request is None else exchange.request.body
        if named or exchange.request is None or is_conversation(body):
            yield exchange


def _recorded(interactions: tuple[Interaction, ...]) -> Iterator[Exchange]:
    for interaction in interactions:
        request = read_request(interaction.request)
        if request is None:
            continue
        answer = None if interaction.response is None else read_response(request, interaction.response)
        reply = answer if isinstance(answer, Reply) else None
        yield Exchange(interaction.index, interaction.line, request, reply)
