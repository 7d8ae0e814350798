"""`toolreplay record`: record the scenarios' cassettes from the live API."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from urllib.parse import urlsplit

from toolreplay.errors import CassetteError, UsageError
from toolreplay.files.project import Project, find_project
from toolreplay.report.run_text import details, summary_line
from toolreplay.runner.play import play_scenario
from toolreplay.runner.record import record_scenario
from toolreplay.runner.replacing import refuse_place
from toolreplay.runner.replay import cassette_of, shown_path
from toolreplay.runner.router import INTERCEPTOR
from toolreplay.runner.run import Outcome, exit_code
from toolreplay.scenario.model import Scenario
from toolreplay.wire.model import Wire

from .scenarios import collect, nothing_found, refuse_empty


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders; FILE::NAME for one scenario of a file"
    )
    parser.add_argument("--base-url", metavar="URL", help="where to send requests (default: the SDK's own)")
    parser.add_argument("--loop", metavar="MODULE:FUNCTION", help="record another loop's own cassette")
    parser.add_argument("--stale", action="store_true", help="only scenarios whose recording is stale or missing")
    parser.add_argument(
        "--keep-failed", action="store_true", help="write what a failed run recorded, beside the cassette"
    )
    parser.add_argument("-k", dest="keyword", metavar="TEXT", help="only scenarios whose id contains the text")


def call(options: argparse.Namespace) -> int:
    """Record, a line for each scenario. A run that does not pass leaves the old cassette as it was."""
    refuse_empty(options.loop)
    _refuse_no_address(options.base_url)
    project = find_project()
    collected = collect(options.paths, project, options.keyword)
    needs_key = any(one.wire is Wire.MESSAGES and not one.scripted for one in collected.scenarios)
    has_key = any(os.environ.get(name) for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"))
    if needs_key and not has_key and options.base_url is None and options.loop is None:
        raise UsageError("recording needs a key: set ANTHROPIC_API_KEY, or name a server with --base-url")
    for scenario in collected.scenarios if options.loop is None else ():
        _refuse_replacing_another(scenario, project)
    outcomes = [run.outcome for run in collected.broken]
    for run in collected.broken:
        _show(details(run))
    with INTERCEPTOR.hold():
        for scenario in collected.scenarios:
            if options.stale and _is_fresh(play_scenario(scenario, project, loop=options.loop).outcome):
                continue
            run, path = record_scenario(
                scenario,
                project,
                base_url=options.base_url,
                loop=options.loop,
                keep_failed=options.keep_failed,
            )
            outcomes.append(run.outcome)
            print(f"{summary_line(run)}  {f'-> {shown_path(path, project)}' if path else 'nothing written'}")
            _show(details(run))
    if not collected.scenarios and not collected.broken:
        print(nothing_found(options.paths, options.keyword))
    elif options.stale and not outcomes:
        print("every recording is up to date")
        return 0
    return exit_code(outcomes)


def _refuse_no_address(base_url: str | None) -> None:
    if base_url is None:
        return
    try:
        url = urlsplit(base_url)
        good = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:  # of brackets that are left open, a port that is no number
        good = False
    if not good or not base_url.isprintable() or " " in base_url:
        raise UsageError(f"--base-url {base_url!r}: is no address of a server; write http://HOST or https://HOST")


def _refuse_replacing_another(scenario: Scenario, project: Project) -> None:
    """Raise UsageError where something else lies in the place of a cassette, before any is recorded."""
    with suppress(CassetteError):  # what cannot be read is told by its own scenario's run
        if not scenario.scripted:
            refuse_place(cassette_of(scenario, project), scenario, project)


def _is_fresh(outcome: Outcome) -> bool:
    return outcome not in (Outcome.STALE, Outcome.ERROR)


def _show(lines: list[str]) -> None:
    for line in lines:
        print(f"      {line}")
    sys.stdout.flush()
