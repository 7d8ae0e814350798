"""The file that a command names, as a transcript: a recording, a request body, or a log of either."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolreplay.cassette.reading import NotARecording, UnreadableError, read_bytes
from toolreplay.errors import UsageError
from toolreplay.files.opening import open_plain
from toolreplay.linter.entries import Exchange
from toolreplay.linter.files import is_log
from toolreplay.linter.lines import DamagedError
from toolreplay.linter.sources import Log, open_source, read_exchanges, read_line
from toolreplay.transcript.model import Transcript
from toolreplay.transcript.read import Asked, read_transcript, transcript


def read_named(path: Path) -> Transcript:
    """The transcript of a file.

    Raises:
        UsageError: there is no such file.
        UnreadableError: it cannot be read, or holds nothing of the kind.
    """
    if not path.exists():
        raise UsageError(f"{path}: no such file")
    if is_log(path.name):
        exchanges = list(_log(path))
        if not exchanges:
            raise NotARecording(str(path), 1, "holds no recorded exchanges and no request bodies")
        return _of_exchanges(str(path), exchanges)
    try:
        return read_transcript(path)
    except NotARecording:
        return _of_exchanges(str(path), list(read_exchanges(read_bytes(path), str(path))))


def _log(path: Path) -> Iterator[Exchange]:
    with open_plain(path) as stream:
        source = open_source(stream, str(path))
        assert isinstance(source, Log)  # by its name
        try:
            for line in source.lines:
                if line.text != b"":
                    yield from read_line(line, str(path)) or ()
        except DamagedError as error:
            raise UnreadableError(str(path), error.index + 1, error.reason) from None


def _of_exchanges(file: str, exchanges: list[Exchange]) -> Transcript:
    asked = [Asked(one.index, one.request, one.reply, one.line) for one in exchanges if one.request is not None]
    return transcript(file, asked, others=len(exchanges) - len(asked))
