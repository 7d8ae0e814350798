"""`toolreplay run`: play scenarios against their cassettes."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext, redirect_stdout

from toolreplay.files.project import find_project
from toolreplay.report.junit import runs_junit
from toolreplay.report.run_json import runs_json
from toolreplay.report.run_text import details, summary_line, totals
from toolreplay.runner.play import play_scenario
from toolreplay.runner.router import GUARD, INTERCEPTOR, ROUTER
from toolreplay.runner.run import Run, exit_code

from .scenarios import collect, nothing_found, refuse_empty


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders; FILE::NAME for one scenario of a file"
    )
    parser.add_argument("--loop", metavar="MODULE:FUNCTION", help="the loop under test (default: toolreplay.loop:run)")
    parser.add_argument("-k", dest="keyword", metavar="TEXT", help="only scenarios whose id contains the text")
    parser.add_argument("--format", choices=("text", "json", "junit"), default="text", help="default: text")


def call(options: argparse.Namespace) -> int:
    """Play the scenarios and print a line each."""
    refuse_empty(options.loop)
    project = find_project()
    collected = collect(options.paths, project, options.keyword)
    runs = list(collected.broken)
    text = options.format == "text"
    for run in runs if text else ():
        _show(run)
    with INTERCEPTOR.hold(), GUARD.hold(), ROUTER.closed(project.allow_hosts):
        for scenario in collected.scenarios:
            # What a loop or a tool prints must not stand in the middle of a report for machines.
            with nullcontext() if text else redirect_stdout(sys.stderr):
                runs.append(play_scenario(scenario, project, loop=options.loop))
            if text:
                _show(runs[-1])
    if text:
        print(totals(runs) if runs else nothing_found(options.paths, options.keyword))
    elif options.format == "json":
        print(json.dumps(runs_json(runs), indent=2))
    else:
        print(runs_junit(runs))
    if not runs and not text:
        print(f"toolreplay: {nothing_found(options.paths, options.keyword)}", file=sys.stderr)
    return exit_code([run.outcome for run in runs])


def _show(run: Run) -> None:
    print(summary_line(run))
    for line in details(run):
        print(f"      {line}")
    sys.stdout.flush()
