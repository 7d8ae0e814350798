"""`toolreplay convert`: recordings in our format or in plain vcrpy's."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolreplay.cassette.converting import Format, beside, convert
from toolreplay.cassette.reading import read_bytes
from toolreplay.cassette.store import write_whole
from toolreplay.errors import CassetteError, RecordingError, UsageError
from toolreplay.files.project import find_project
from toolreplay.report.lines import count

from . import BROKEN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="recordings of any tool")
    parser.add_argument("--to", required=True, choices=[str(one) for one in Format], help="the format to write")
    parser.add_argument("--output", metavar="PATH", help="the file to write, be it the original; or a folder")
    parser.add_argument("--force", action="store_true", help="replace files that stand where others are written")


def call(options: argparse.Namespace) -> int:
    """Convert file by file, a line for each; 3 if one could not be. Originals stay, unless --output names them."""
    to = Format(options.to)
    secrets = find_project().secrets
    code = 0
    found, replaces = _targets(options.files, options.output, to)
    for source, target in found:
        try:
            print(_convert(source, target, to, replaces=replaces or options.force, secrets=secrets), flush=True)
        except (CassetteError, RecordingError) as error:
            print(error, file=sys.stderr)
            code = BROKEN
    return code


def _targets(files: Sequence[Path], output: str | None, to: Format) -> tuple[list[tuple[Path, Path]], bool]:
    """What is read and what is written, in order; no two files are written to the same place.

    Returns:
        The files, and whether --output names the one to write: then it may stand there, be it the original.
    """
    if output == "":
        raise UsageError("--output is empty; name a file, or a folder such as ./")
    named = False
    if output is None:
        found = [(file, beside(file, to)) for file in files]
    elif output.endswith(("/", "\\")) or os.path.isdir(output):  # noqa: PTH112  (which raises nothing)
        found = [(file, Path(output) / beside(file, to).name) for file in files]
    elif len(files) == 1:
        found, named = [(files[0], Path(output))], True
    else:
        raise UsageError(f"--output {output}: several files need a folder; name one that exists, or end it with /")
    _refuse_collisions(found, in_place=named)
    return found, named


def _refuse_collisions(found: Sequence[tuple[Path, Path]], *, in_place: bool) -> None:
    """Raise UsageError where a file would be written to the place of another, or of one that is read.

    Args:
        in_place: whether a file may be written to its own place.
    """
    read = {_place(source): source for source, _ in found}
    taken: dict[str, Path] = {}
    for source, target in found:
        place = _place(target)
        other = taken.setdefault(place, source)
        if other is not source:
            raise UsageError(f"{source}: {other} is written to {target} too; convert them one by one, with --output")
        replaced = read.get(place)
        if replaced is not None and not (in_place and replaced is source):
            what = f"would be written to {target}, which is one of the files to convert"
            raise UsageError(f"{source}: {what}; name another place with --output")


def _place(path: Path) -> str:
    """Where a path leads, by whatever name; a link that leads to itself is told when it is opened."""
    return os.path.realpath(path)


def _convert(source: Path, target: Path, to: Format, *, replaces: bool, secrets: Iterable[re.Pattern[str]]) -> str:
    data = read_bytes(source)
    if not replaces and os.path.exists(target):  # noqa: PTH110  (where nothing can be known, writing tells why)
        raise RecordingError(f"{target}: exists already; replace it with --force, or name another with --output")
    converted = convert(data, str(source), to, patterns=secrets)
    write_whole(target, converted.text)
    counted = count(converted.exchanges, "exchange")
    sizes = f"{_size(len(data))} -> {_size(len(converted.text.encode()))}"
    left = f"; left out, without a response: {converted.unanswered}" if converted.unanswered else ""
    return f"{source} -> {target}  ({counted}, {sizes}{left})"


def _size(count: int) -> str:
    return f"{count / 1000:.1f} kB" if count < 10**6 else f"{count / 10**6:.1f} MB"
