"""`toolreplay convert`: recordings in our format or in plain vcrpy's."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from toolreplay.cassette.converting import Format, beside, convert
from toolreplay.cassette.reading import read_bytes
from toolreplay.cassette.store import write_whole
from toolreplay.errors import CassetteError, RecordingError, UsageError

from . import BROKEN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="recordings of any tool")
    parser.add_argument("--to", required=True, choices=[str(one) for one in Format], help="the format to write")
    parser.add_argument(
        "--output", metavar="PATH", help="the file to write, be it the original; a folder for several files"
    )
    parser.add_argument("--force", action="store_true", help="replace files that stand where others are written")


def call(options: argparse.Namespace) -> int:
    """Convert file by file, a line for each; 3 if one could not be. Originals stay, unless --output names them."""
    to = Format(options.to)
    code = 0
    for source, target in _targets(options.files, options.output, to):
        replaces = options.force or options.output is not None
        try:
            print(_convert(source, target, to, replaces=replaces), flush=True)
        except (CassetteError, RecordingError) as error:
            print(error, file=sys.stderr)
            code = BROKEN
    return code


def _targets(files: Sequence[Path], output: str | None, to: Format) -> list[tuple[Path, Path]]:
    """What is read and what is written, in order; no two files are written to the same place."""
    if output is None:
        found = [(file, beside(file, to)) for file in files]
    elif output.endswith(("/", "\\")) or Path(output).is_dir():
        found = [(file, Path(output) / beside(file, to).name) for file in files]
    elif len(files) == 1:
        found = [(files[0], Path(output))]
    else:
        raise UsageError(f"--output {output}: several files need a folder; name one that exists, or end it with /")
    taken: dict[Path, Path] = {}
    for source, target in found:
        other = taken.setdefault(target.absolute(), source)
        if other is not source:
            raise UsageError(f"{source}: {other} is written to {target} too; convert them one by one, with --output")
    return found


def _convert(source: Path, target: Path, to: Format, *, replaces: bool) -> str:
    data = read_bytes(source)
    if target.exists() and not replaces:
        raise RecordingError(f"{target}: exists already; replace it with --force, or name another with --output")
    converted = convert(data, str(source), to)
    write_whole(target, converted.text)
    counted = f"{converted.exchanges} exchange{'' if converted.exchanges == 1 else 's'}"
    sizes = f"{_size(len(data))} -> {_size(len(converted.text.encode()))}"
    left = f"; left out, without a response: {converted.unanswered}" if converted.unanswered else ""
    return f"{source} -> {target}  ({counted}, {sizes}{left})"


def _size(count: int) -> str:
    return f"{count / 1000:.1f} kB" if count < 10**6 else f"{count / 10**6:.1f} MB"
