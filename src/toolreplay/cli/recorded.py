"""The file that a command names, as a transcript: a recording, a request body, or a log of either."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from toolreplay.cassette.reading import NotARecording, UnreadableError, parse_recording, read_bytes, unopenable
from toolreplay.errors import UsageError
from toolreplay.files.opening import is_there, open_plain
from toolreplay.linter.entries import Entry
from toolreplay.linter.files import is_log
from toolreplay.linter.lines import DamagedError
from toolreplay.linter.sources import Log, open_source, read_exchanges, read_line
from toolreplay.transcript.model import Transcript
from toolreplay.transcript.read import Asked, recorded_transcript, transcript


def read_named(path: Path) -> bytes:
    """The bytes of a file, read once, since a log may grow meanwhile.

    Raises:
        UsageError: there is no such file.
        UnreadableError: it cannot be read.
    """
    try:
        there = is_there(path)
    except OSError as error:
        raise unopenable(str(path), error) from None
    if not there:
        raise UsageError(f"{path}: no such file")
    if not is_log(path.name):
        return read_bytes(path)
    try:
        with open_plain(path) as file:
            return file.read()  # of any size, as `check` takes a log
    except OSError as error:
        raise unopenable(str(path), error) from None


def named_transcript(data: bytes, name: str) -> Transcript:
    """The transcript of a file's bytes; a name in `.jsonl` makes them a log.

    Raises:
        UnreadableError: they cannot be read, or hold nothing of the kind.
    """
    if is_log(name):
        entries = list(_log(data, name))
        if not entries:
            raise NotARecording(name, 1, "holds no recorded exchanges and no request bodies")
        return _of_entries(name, entries)
    try:
        return recorded_transcript(parse_recording(data, name))
    except NotARecording:
        return _of_entries(name, list(read_exchanges(data, name)))


def _log(data: bytes, name: str) -> Iterator[Entry]:
    source = open_source(io.BytesIO(data), name)
    assert isinstance(source, Log)  # by its name
    try:
        for line in source.lines:
            if line.text != b"":
                yield from read_line(line, name) or ()
    except DamagedError as error:
        raise UnreadableError(name, error.index + 1, error.reason) from None


def _of_entries(file: str, entries: list[Entry]) -> Transcript:
    asked = [Asked(one.index, one.request, one.reply, one.line) for one in entries if one.request is not None]
    return transcript(file, asked, others=len(entries) - len(asked))
