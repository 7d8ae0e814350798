"""`toolreplay fuzz`: fuzz a loop around scenarios."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

from toolreplay.errors import NotFuzzed, ToolreplayError, UsageError
from toolreplay.files.project import Project, find_project
from toolreplay.fuzzer.entry import fuzz_scenario, known_codes
from toolreplay.fuzzer.known import FOLDER, Baseline, folder_of
from toolreplay.fuzzer.regression import write_regressions
from toolreplay.fuzzer.result import Result
from toolreplay.report.fuzz_json import fuzz_json
from toolreplay.report.fuzz_progress import fuzz_progress
from toolreplay.report.fuzz_text import fuzz_details, fuzz_summary, loop_line, policy_line
from toolreplay.report.fuzzed import Fuzzed
from toolreplay.report.printable import printable
from toolreplay.report.run_text import details
from toolreplay.runner.clients import NotServed
from toolreplay.runner.replay import shown_path
from toolreplay.runner.run import exit_code
from toolreplay.scenario.model import Scenario

from .scenarios import collect, nothing_found, refuse_empty


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
    refuse_empty(options.loop)
    options.ignore = known_codes([code.strip() for code in options.ignore.split(",") if code.strip()])
    project = find_project()
    collected = collect(options.paths, project, options.keyword)
    chosen = [one for one in collected.scenarios if not _is_regression(project.root / one.path, project)]
    tell = _tell if options.format == "text" else _tell_nothing
    done = [Fuzzed(run.id, errors=tuple(details(run))) for run in collected.broken]
    for broken in done:
        tell(broken)
    baseline = Baseline(project)
    for number, scenario in enumerate(chosen, 1):
        with fuzz_progress(scenario.id, number, len(chosen)) as watch:
            done.append(_fuzz(scenario, project, baseline, watch, options))
        tell(done[-1])
    for line in _passed_over(options, project, left=len(collected.scenarios) - len(chosen), found=len(done)):
        print(line, file=sys.stderr)
    if options.format == "json":
        print(json.dumps(fuzz_json(done), indent=2))
    else:
        _tell_in_the_end([one.result for one in done if one.result is not None], options)
    return exit_code([one.outcome for one in done])


def _fuzz(
    scenario: Scenario, project: Project, baseline: Baseline, watch: Callable[[int], None], options: argparse.Namespace
) -> Fuzzed:
    """Fuzz a scenario and write down what was found."""
    try:
        # What a loop or a tool prints must not stand in the middle of a report for machines.
        with nullcontext() if options.format == "text" else redirect_stdout(sys.stderr):
            result = fuzz_scenario(
                scenario,
                project,
                loop=options.loop,
                max_examples=options.max_examples,
                seed=options.seed,
                hostile=options.hostile,
                strict=options.strict,
                ignored=options.ignore,
                baseline=baseline,
                watch=watch,
            )
    except (NotFuzzed, NotServed) as error:
        return Fuzzed(scenario.id, skipped=str(error))
    except ToolreplayError as error:
        return Fuzzed(scenario.id, errors=(str(error),))
    try:
        return Fuzzed(scenario.id, result, {} if options.no_write else write_regressions(result, project))
    except ToolreplayError as error:
        return Fuzzed(scenario.id, result, errors=(str(error),))


def _is_regression(path: Path, project: Project) -> bool:
    return path.resolve().is_relative_to(folder_of(project).resolve())


def _passed_over(options: argparse.Namespace, project: Project, *, left: int, found: int) -> Iterator[str]:
    """Why what was named was not fuzzed.

    Args:
        left: the number of regressions among what was named, `found` that of everything else.
    """
    named = [path for path in options.paths if _is_regression(Path(path.partition("::")[0]), project)]
    if left and (named or not found):
        where = " ".join(named) or shown_path(folder_of(project), project)
        yield f"{printable(where)}: regressions are not fuzzed; play them: toolreplay run {printable(where)}"
    elif not found:
        yield nothing_found(options.paths, options.keyword)


def _tell(fuzzed: Fuzzed) -> None:
    if fuzzed.errors:
        print(f"ERROR {printable(fuzzed.id)}", *map(printable, fuzzed.errors), sep="\n      ", file=sys.stderr)
    if fuzzed.skipped:
        print(f"SKIP  {printable(fuzzed.id)}", printable(fuzzed.skipped), sep="\n      ")
    if fuzzed.result is not None:
        print(fuzz_summary(fuzzed.id, fuzzed.result))
        for line in fuzz_details(fuzzed.result, fuzzed.files):
            print(f"      {line}")
        sys.stdout.flush()


def _tell_nothing(fuzzed: Fuzzed) -> None:
    """For machines everything is told at the end."""


def _tell_in_the_end(results: Sequence[Result], options: argparse.Namespace) -> None:
    lines = (loop_line(results, named=options.loop is not None), policy_line(results, strict=options.strict))
    print(*filter(None, lines), sep="\n", end="\n" if any(lines) else "")
