"""`toolreplay show`: print a recorded conversation."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from toolreplay.linter import check_text
from toolreplay.report.lines import rendered
from toolreplay.report.show_json import show_json
from toolreplay.report.show_text import show_lines

from .recorded import named_transcript, read_named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a recording, a request body, or a log")
    parser.add_argument("--full", action="store_true", help="show long texts to their end")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def call(options: argparse.Namespace) -> int:
    """Print the conversations of a file, with what `check` finds in them."""
    data, name = read_named(options.file), str(options.file)
    transcript = named_transcript(data, name)
    findings = check_text(data, name).findings
    if options.format == "json":
        print(json.dumps(show_json(transcript, findings), indent=2))
        return 0
    for line in rendered(show_lines(transcript, findings, full=options.full)):
        sys.stdout.write(line)
    return 0
