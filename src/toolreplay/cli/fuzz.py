"""`toolreplay fuzz`: fuzz a loop around scenarios."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field
from typing import Final

from toolreplay.errors import ToolreplayError, UsageError
from toolreplay.files.project import Project, find_project
from toolreplay.fuzzer.entry import fuzz_scenario, known_codes
from toolreplay.fuzzer.known import FOLDER, folder_of
from toolreplay.fuzzer.regression import write_regressions
from toolreplay.fuzzer.result import Result
from toolreplay.report.fuzz_json import fuzz_json
from toolreplay.report.fuzz_text import fuzz_details, fuzz_line, policy_line
from toolreplay.report.printable import printable
from toolreplay.report.run_text import details
from toolreplay.scenario.model import Scenario

from . import BROKEN
from .scenarios import collect, nothing_found

_FAILED: Final = 1


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
    options.ignore = known_codes([code.strip() for code in options.ignore.split(",") if code.strip()])
    project = find_project()
    collected = collect(options.paths, project, options.keyword)
    done = _Done(project, text=options.format == "text", write=not options.no_write)
    for run in collected.broken:
        done.broke(run.id, details(run))
    for scenario in collected.scenarios:
        if not (project.root / scenario.path).is_relative_to(folder_of(project)):
            done.fuzz(scenario, options)
    if not done.results and not done.broken:
        print(nothing_found(options.paths, options.keyword), file=sys.stderr)
    done.close(strict=options.strict)
    if any(result.failed for result in done.results.values()):
        return _FAILED
    return BROKEN if done.broken or not done.results else 0


@dataclass
class _Done:
    """What was fuzzed so far: in a text each scenario is told at once, for machines all at the end."""

    project: Project
    text: bool
    write: bool
    results: dict[str, Result] = field(default_factory=dict)
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    broken: bool = False

    def fuzz(self, scenario: Scenario, options: argparse.Namespace) -> None:
        """Fuzz a scenario."""
        try:
            # What a loop or a tool prints must not stand in the middle of a report for machines.
            with nullcontext() if self.text else redirect_stdout(sys.stderr):
                result = self.results[scenario.id] = fuzz_scenario(
                    scenario,
                    self.project,
                    loop=options.loop,
                    max_examples=options.max_examples,
                    seed=options.seed,
                    hostile=options.hostile,
                    strict=options.strict,
                    ignored=options.ignore,
                )
        except ToolreplayError as error:
            self.broke(scenario.id, [str(error)])
            return
        try:
            self.files[scenario.id] = write_regressions(result, self.project) if self.write else {}
        except ToolreplayError as error:
            self.broke(scenario.id, [str(error)])
        if self.text:
            print(f"{'FAIL' if result.failed else 'PASS':<5} {printable(scenario.id)}  ({fuzz_line(result)})")
            for line in fuzz_details(result, self.files.get(scenario.id)):
                print(f"      {line}")
            sys.stdout.flush()

    def broke(self, name: str, lines: Sequence[str]) -> None:
        """Tell what could not be fuzzed, or not be written."""
        self.broken = True
        print(f"ERROR {printable(name)}", *map(printable, lines), sep="\n      ", file=sys.stderr)

    def close(self, *, strict: bool) -> None:
        """Print what is told at the end."""
        if not self.text:
            print(json.dumps(fuzz_json(self.results, self.files), indent=2))
            return
        policy = policy_line(list(self.results.values()), strict=strict)
        if policy:
            print(policy)
