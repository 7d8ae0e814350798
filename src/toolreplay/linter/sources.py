"""What a file holds for `check`: recorded exchanges, request bodies, or a log of either."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO

from toolreplay.cassette import bodies, json_text
from toolreplay.cassette.leaks import Leaks
from toolreplay.cassette.reading import (
    NotARecording,
    UnreadableError,
    interpret,
    json_fault,
    load,
    refuse_twice,
    too_large,
    unopenable,
)
from toolreplay.contract.as_json import as_json
from toolreplay.files.opening import is_pipe, read_all
from toolreplay.wire.model import Wire

from .entries import Entry, Left, is_conversation, read_entry, request_body
from .exchanges import recorded
from .files import is_log
from .lines import LONGEST, Line, by_returns, damage, decoded, read_lines, rejoined

_ONE_VALUE = (".yaml", ".yml", ".har", ".toolreplay", ".yaml.gz", ".yml.gz", ".json.gz")
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
            source: Log | bytes = _whole(stream, name)
        else:
            source = _told_by_content(decoded(stream) if not name.lower().endswith(".json") else stream, name)
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        raise UnreadableError(name, 1, damage(error)) from None
    if source == b"" and name != "-" and is_pipe(stream):
        raise UnreadableError(name, 1, "is a pipe that nobody writes to")
    return source


def read_exchanges(
    data: bytes, file: str, *, named: bool = True, wire: Wire | None = None, leaks: Leaks | None = None
) -> tuple[Entry, ...]:
    """The exchanges of a file with one value: a recording, a request body, or a list of bodies.

    Args:
        named: whether the user named the file; else a list called `messages` must look like a conversation.
        wire: the wire of request bodies; None to tell it from their shape. Recordings tell theirs by the URL.
        leaks: finds credentials; None where they are not looked for.

    Raises:
        NotARecording, UnreadableError: as `cassette.reading.read_recording`.
    """
    if not named and not _may_be_one(data):
        raise NotARecording(file, 1, "holds no word of any format of recordings")
    loaded, lines = load(data, file)
    try:
        recording = interpret(loaded, lines, file)
    except NotARecording:
        found = tuple(_bodies(loaded, lines, wire, named=named))
        if all(one.left is Left.OTHER for one in found):
            raise
        refuse_twice(lines, file)
        return found if leaks is None or not _may_leak(data, leaks) else tuple(_searched(found, loaded, leaks))
    return tuple(recorded(recording.interactions, leaks))


def read_line(line: Line, file: str, wire: Wire | None = None, leaks: Leaks | None = None) -> tuple[Entry, ...] | None:
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
        entry = json_text.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(file, number, json_fault(error)[1]) from None
    exchange = read_entry(entry, line.index, number, wire, len(line.text))
    if exchange is not None:
        if leaks is not None and leaks.may_be_in(line.text):
            exchange = replace(exchange, secrets=tuple(leaks.of_entry(entry)))
        return (exchange,)
    try:
        recording = interpret(entry, {}, file)
    except NotARecording:
        return None
    except UnreadableError as error:
        raise UnreadableError(file, number, error.reason) from None
    found = recorded(recording.interactions, leaks)
    return tuple(replace(exchange, index=line.index, line=number) for exchange in found)


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
    if len(first) > LONGEST:
        return _whole(stream, name, blank + first)
    second, more = _next_line(stream)
    before = blank + first + more + second
    if len(by_returns(first)) > 1:
        return Log(read_lines(rejoined([before], stream)))
    if second and _is_json(first.removeprefix(_BOM)):
        return Log(read_lines(rejoined([before], stream)))
    return _whole(stream, name, before)


def _next_line(stream: BinaryIO) -> tuple[bytes, bytes]:
    """The next line with something on it, if it comes soon, and the blank ones before it."""
    blank = bytearray()
    while (line := stream.readline(LONGEST + 1)) and not line.strip() and len(blank) < _BLANK:
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


def _may_leak(data: bytes, leaks: Leaks) -> bool:
    return data.startswith((_GZIP, *_UTF_16)) or leaks.may_be_in(data)


def _entries(loaded: object) -> list[object]:
    if isinstance(loaded, dict) and isinstance(loaded.get("requests"), list):
        found: list[object] = loaded["requests"]  # the body that makes a batch
        return found
    return loaded if isinstance(loaded, list) and request_body(loaded) is None else [loaded]


def _bodies(loaded: object, lines: Mapping[int, int], wire: Wire | None, *, named: bool) -> Iterator[Entry]:
    for index, entry in enumerate(_entries(loaded)):
        line = lines.get(id(entry), 1)
        # Lines are known of YAML alone, which has keys that are no strings.
        exchange = read_entry(as_json(entry) if lines else entry, index, line, wire)
        body = {} if exchange is None or exchange.request is None else exchange.request.body
        if exchange is None or not (named or exchange.request is None or is_conversation(body)):
            yield Entry(index, line, None, None, left=Left.OTHER)
        else:
            yield exchange


def _searched(exchanges: Iterable[Entry], loaded: object, leaks: Leaks) -> Iterator[Entry]:
    entries = _entries(loaded)
    for exchange in exchanges:
        yield replace(exchange, secrets=tuple(leaks.of_entry(entries[exchange.index])))
