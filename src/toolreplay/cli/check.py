"""`toolreplay check`: check recordings and requests that exist."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..contract.finding import Profile
from ..errors import UsageError
from ..linter import Report, check_paths, check_text
from ..report.check_json import render_json
from ..report.check_text import render_text
from ..wire.model import Wire


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="recordings, request bodies or folders; - for standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument("--profile", choices=[str(one) for one in Profile], help="whose contract (default: by the wire)")
    parser.add_argument("--wire", choices=[str(one) for one in Wire], help="of request bodies whose shape does not tell")


def call(options: argparse.Namespace) -> int:
    """Check the files and print the report; 1 if there is an error finding, 3 if nothing could be read."""
    paths = options.paths or ["."]
    missing = [path for path in paths if path != "-" and not Path(path).exists()]
    if missing:
        raise UsageError(f"{missing[0]}: no such file or folder")
    profile = Profile(options.profile) if options.profile else None
    wire = Wire(options.wire) if options.wire else None
    report = _check(paths, profile, wire)
    sys.stdout.write(render_json(report) if options.format == "json" else render_text(report))
    if any(located.finding.is_error for located in report.findings):
        return 1
    return 3 if report.unreadable or not report.requests else 0


def _check(paths: list[str], profile: Profile | None, wire: Wire | None) -> Report:
    if paths == ["-"]:
        return Report.of([check_text(sys.stdin.buffer.read(), "-", profile=profile, wire=wire)])
    if "-" in paths:
        raise UsageError("standard input (-) is checked alone; leave out the other paths")
    return check_paths([Path(path) for path in paths], profile=profile, wire=wire)
