"""Checking files: what `check` does, from paths to a stream of results."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from toolreplay.cassette.reading import NotARecording, UnreadableError, entry_lines, unopenable
from toolreplay.contract.finding import Profile
from toolreplay.files.opening import open_plain
from toolreplay.wire.model import Wire

from .files import Target, find
from .judging import Judging, Options, why_failed
from .lines import DamagedError, Line, begin_at, read_lines
from .parts import PART, Part, parts, tasks
from .pool import in_order
from .result import FileResult, Report, Unreadable, moved
from .sources import Log, open_source, read_exchanges, read_line

_NOTHING = "holds no recorded exchanges and no request bodies"


@dataclass(frozen=True, slots=True)
class _Piece:
    """The result of a part, whose places count from the part's first line, and how many lines it has."""

    result: FileResult
    named: bool
    lines: int = 0
    first: bool = True
    last: bool = True


def check_paths(
    paths: Sequence[Path],
    *,
    profile: Profile | None = None,
    wire: Wire | None = None,
    jobs: int = 1,
    on_file: Callable[[str], None] | None = None,
) -> Report:
    """Check files, and folders with all recordings below them, and keep everything that was found.

    Args:
        paths: a file that is named itself must be a recording, a request body or a log, else it is
            unreadable; in a folder other YAML and JSON is passed over.
        profile: whose contract is held; None for the one of each request's wire.
        wire: the wire of request bodies whose shape does not tell.
        jobs: processes to share the files among.
        on_file: called with the name of each file (and part of a long log) that is done.
    """
    return Report.of(_told(check_files(find(paths), Options(profile, wire), jobs=jobs), on_file))


def check_file(path: Path, *, profile: Profile | None = None, wire: Wire | None = None) -> Report:
    """Check one file that was named itself."""
    return check_paths([path], profile=profile, wire=wire)


def check_text(data: bytes, name: str, *, profile: Profile | None = None, wire: Wire | None = None) -> Report:
    """Check bytes under a name; a name in `.jsonl` makes them a log."""
    return Report.of(check_stream(io.BytesIO(data), name, Options(profile, wire)))


def check_files(targets: Iterable[Target], options: Options, *, jobs: int = 1) -> Iterator[FileResult]:
    """Check files; each one's results come as soon as those before it are there, in the targets' order."""
    if jobs > 1:
        judge = partial(_judge_task, options=options)
        return _joined(chain.from_iterable(in_order(judge, tasks(targets), jobs)))
    in_turn = (part for target in targets for part in parts(target))
    return _joined(piece for part in in_turn for piece in _judge_part(part, options))


def check_stream(stream: BinaryIO, name: str, options: Options) -> Iterator[FileResult]:
    """Check what comes from a stream, such as standard input; of a log each part as soon as it was read."""
    return _joined(_judge_stream(stream, name, options))


def _judge_task(task: Sequence[Part], options: Options) -> list[_Piece]:
    return [piece for part in task for piece in _judge_part(part, options)]


def _judge_part(part: Part, options: Options) -> Iterator[_Piece]:
    name = str(part.path)
    options = replace(options, named=options.named and part.named)
    try:
        with open_plain(part.path, pipes=part.named) as stream:
            if part.start or part.end is not None:
                yield _judge_range(stream, part, options)
            else:
                yield from _judge_stream(stream, name, options, part.size)
    except (OSError, ValueError) as error:
        yield _refused(unopenable(name, error), options)


def _judge_range(stream: BinaryIO, part: Part, options: Options) -> _Piece:
    """Judge the lines of a plain log that begin in a range of it."""
    judging = Judging(str(part.path), options, log=True)
    place = begin_at(stream, part.start, part.end)
    lines = 0
    if part.end is None or place < part.end:
        for line in read_lines(stream):
            _judge_line(line, judging, options)
            lines = line.index + 1
            if part.end is not None and place + line.end >= part.end:
                break
    return _Piece(judging.result(part.size), options.named, lines, first=part.start == 0, last=part.end is None)


def _judge_stream(stream: BinaryIO, name: str, options: Options, size: int = 0) -> Iterator[_Piece]:
    try:
        source = open_source(stream, name)
        if isinstance(source, Log):
            yield from _judge_log(source, name, options, size)
            return
        judging = Judging(name, options, log=False, lines=partial(entry_lines, source, name))
        for exchange in read_exchanges(source, name, named=options.named, wire=options.wire, leaks=judging.leaks):
            judging.take(exchange)
        judging.known = True
    except UnreadableError as error:
        yield _refused(error, options, size)
        return
    except Exception as error:  # noqa: BLE001  (a fault of ours must not end the check of all other files)
        yield _refused(UnreadableError(name, 1, why_failed(error)), options, size)
        return
    yield _Piece(judging.result(size), options.named)


def _judge_log(source: Log, name: str, options: Options, size: int) -> Iterator[_Piece]:
    """Judge a log that comes as a stream, in the parts that a plain file of the same text is cut into."""
    judging = Judging(name, options, log=True)
    first = begun = 0
    bound = PART
    try:
        for line in source.lines:
            if begun >= bound:
                yield _Piece(judging.result(0), options.named, line.index - first, first=first == 0, last=False)
                first = line.index
                bound += (begun - bound) // PART * PART + PART
            _judge_line(replace(line, index=line.index - first), judging, options)
            begun = line.end
    except DamagedError as error:
        judging.refuse(error.index - first + 1, error.reason)
    yield _Piece(judging.result(size), options.named, first=first == 0)


def _judge_line(line: Line, judging: Judging, options: Options) -> None:
    if line.text == b"":
        return
    try:
        exchanges = read_line(line, "", options.wire, judging.leaks)
    except UnreadableError as error:
        judging.refuse(error.line, error.reason)
        return
    except Exception as error:  # noqa: BLE001  (a fault of ours must not end the check of all other lines)
        judging.refuse(line.index + 1, why_failed(error))
        return
    if exchanges is None:
        judging.pass_over()
        return
    for exchange in exchanges:
        judging.take(exchange, len(line.text or b""))


def _refused(error: UnreadableError, options: Options, size: int = 0) -> _Piece:
    if isinstance(error, NotARecording) and not options.named:
        return _Piece(FileResult(error.file, skipped=True, size=size), named=False)
    entry = Unreadable(error.file, error.line, error.reason)
    return _Piece(FileResult(error.file, unreadable=(entry,), size=size), options.named)


def _joined(pieces: Iterable[_Piece]) -> Iterator[FileResult]:
    """The results of parts as those of files: lines count from the file's first, each file counts once."""
    lines = passed = 0
    known = spoken = False
    for piece in pieces:
        if piece.first:
            lines = passed = 0
            known = spoken = False
        result = moved(piece.result, lines)
        if known:
            result = replace(result, files=0)
        lines += piece.lines
        known = known or bool(result.files)
        # What a log holds beside requests is told once it is known that it holds any.
        passed += result.passed
        result = replace(result, passed=passed if known else 0)
        passed = 0 if known else passed
        spoken = spoken or bool(result.unreadable)
        if piece.last and not known and not spoken and not result.skipped:
            result = _foreign(result, named=piece.named)
        yield result


def _foreign(result: FileResult, *, named: bool) -> FileResult:
    """The end of a log in which nothing was a request."""
    if named:
        return replace(result, unreadable=(Unreadable(result.file, 1, _NOTHING),))
    return replace(result, skipped=True)


def _told(results: Iterable[FileResult], on_file: Callable[[str], None] | None) -> Iterator[FileResult]:
    for result in results:
        if on_file is not None:
            on_file(result.file)
        yield result
