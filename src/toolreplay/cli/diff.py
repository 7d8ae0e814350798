"""`toolreplay diff`: compare two recordings in words of the conversation."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from toolreplay.errors import CassetteError
from toolreplay.report.diff_text import diff_lines
from toolreplay.report.lines import rendered
from toolreplay.transcript.comparison import compare

from .recorded import named_transcript, read_named

_DIFFERENT: Final = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("first", metavar="A", type=Path, help="a recording, a request body, or a log")
    parser.add_argument("second", metavar="B", type=Path, help="what to compare it with")


def call(options: argparse.Namespace) -> int:
    """Print what differs; 1 if anything does."""
    first, second = (named_transcript(read_named(path), str(path)) for path in (options.first, options.second))
    for one in (first, second):
        if not one.conversations:
            raise CassetteError(f"{one.file}: holds no request to the model; name a recording that does")
    comparison = compare(first, second)
    for line in rendered(diff_lines(comparison, first, second)):
        sys.stdout.write(line)
    return _DIFFERENT if comparison.differs else 0
