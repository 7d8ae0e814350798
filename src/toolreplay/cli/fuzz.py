"""`toolreplay fuzz`: fuzz a loop around scenarios."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext, redirect_stdout
from typing import Final

from toolreplay.contract.catalogue import all_rules
from toolreplay.errors import ToolreplayError, UsageError
from toolreplay.files.project import Project, find_project
from toolreplay.fuzzer.engine import Result
from toolreplay.fuzzer.entry import fuzz_scenario
from toolreplay.fuzzer.known import FOLDER
from toolreplay.report.fuzz_json import fuzz_json
from toolreplay.report.fuzz_text import fuzz_details, fuzz_line, policy_line
from toolreplay.report.printable import printable
from toolreplay.report.run_text import details
from toolreplay.scenario.model import Scenario
from toolreplay.testing.fuzzing import write_regressions

from .scenarios import collect

_FAILED: Final = 1
_BROKEN: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders; FILE::NAME for one scenario of a file"
    )
    parser.add_argument("--loop", metavar="MODULE:FUNCTION", help="the loop under test (default: toolreplay.loop:run)")
    parser.add_argument("-k", dest="keyword", metavar="TEXT", help="only scenarios whose id contains the text")
    parser.add_argument(
        "--max-examples", type=int, default=200, metavar="N", help="conversations for each scenario (default: 200)"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="make the search repeatable")
    parser.add_argument("--hostile", action="store_true", help="let the model side say what the API never would")
    parser.add_argument("--strict", action="store_true", help="answer broken requests with the API's own 400")
    parser.add_argument("--ignore", default="", metavar="CODES", help="rules that stop nothing: TR105,TR602")
    parser.add_argument("--no-write", action="store_true", help=f"write no files to scenarios/{FOLDER}")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def call(options: argparse.Namespace) -> int:
    """Fuzz each scenario and print a line each, and its faults."""
    if options.max_examples < 1:
        raise UsageError(f"--max-examples {options.max_examples} plays nothing; give 1 or more")
    project = find_project()
    collected = collect(options.paths, project, options.keyword)
    scenarios = [one for one in collected.scenarios if f"/{FOLDER}/" not in f"/{one.path}"]
    text = options.format == "text"
    for run in collected.broken:
        print(f"{run.outcome:<5} {printable(run.id)}", *details(run), sep="\n      ", file=sys.stderr)
    results: dict[str, Result] = {}
    files: dict[str, tuple[str, ...]] = {}
    broken = bool(collected.broken)
    for scenario in scenarios:
        try:
            # What a loop or a tool prints must not stand in the middle of a report for machines.
            with nullcontext() if text else redirect_stdout(sys.stderr):
                result = _fuzz(scenario, project, options)
        except ToolreplayError as error:
            broken = True
            print(f"ERROR {printable(scenario.id)}", printable(str(error)), sep="\n      ", file=sys.stderr)
            continue
        results[scenario.id] = result
        files[scenario.id] = () if options.no_write else write_regressions(result, project)
        if text:
            _show(scenario.id, result, files[scenario.id])
    if text:
        for line in (policy_line(list(results.values()), strict=options.strict),) if results else ():
            print(line)
    else:
        print(json.dumps(fuzz_json(results, files), indent=2))
    if not scenarios:
        print("toolreplay: no scenarios found", file=sys.stderr)
    if any(result.failed for result in results.values()):
        return _FAILED
    return _BROKEN if broken or not results else 0


def _fuzz(scenario: Scenario, project: Project, options: argparse.Namespace) -> Result:
    return fuzz_scenario(
        scenario,
        project,
        loop=options.loop,
        max_examples=options.max_examples,
        seed=options.seed,
        hostile=options.hostile,
        strict=options.strict,
        ignored=_codes(options.ignore),
    )


def _codes(text: str) -> tuple[str, ...]:
    codes = tuple(code.strip().upper() for code in text.split(",") if code.strip())
    unknown = next((code for code in codes if code not in all_rules()), None)
    if unknown is not None:
        raise UsageError(f"--ignore: no rule {unknown!r}; toolreplay explain lists them")
    return codes


def _show(name: str, result: Result, files: tuple[str, ...]) -> None:
    print(f"{'FAIL' if result.failed else 'PASS':<5} {printable(name)}  ({fuzz_line(result)})")
    for line in fuzz_details(result, files):
        print(f"      {line}")
    sys.stdout.flush()
