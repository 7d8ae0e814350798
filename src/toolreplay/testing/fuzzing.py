"""`toolreplay.fuzz`: fuzzing from a test in Python."""

from __future__ import annotations

from pathlib import Path

from toolreplay.errors import FuzzFailure
from toolreplay.files.project import find_project
from toolreplay.fuzzer.entry import fuzz_scenario
from toolreplay.fuzzer.regression import write_regressions
from toolreplay.fuzzer.result import Result
from toolreplay.report.fuzz_text import fuzz_details, fuzz_line
from toolreplay.runner.loops import Loop
from toolreplay.runner.play import load_one


def fuzz(
    loop: Loop | str | None,
    scenario: str | Path | None = None,
    *,
    max_examples: int = 200,
    seed: int | None = None,
    hostile: bool = False,
    strict: bool = False,
    ignore: tuple[str, ...] = (),
    write: bool = True,
    root: Path | None = None,
) -> Result:
    """Play a loop through conversations in which tools and the model fail, and hold it to the contract in each.

    Args:
        loop: a function, sync or async, or `package.module:function`.
        scenario: gives tools, prompts and recorded replies; without one there are two small tools.
        max_examples: conversations to play; each costs about as much as two runs of a scenario.
        seed: makes the search repeatable.
        hostile: let the model side say what the API never would; what follows is a warning.
        strict: answer a broken request with the API's own 400, so that the loop's recovery is tested.
        ignore: codes of rules that are broken knowingly.
        write: write each fault's smallest conversation to `scenarios/regressions`.
        root: the project's root; by default the one around the current folder.

    Returns:
        What was played, and which rules were broken that are warnings.

    Raises:
        FuzzFailure: a fault was found.
        ToolreplayError: the loop or the scenario cannot be found or played.
    """
    project = find_project(root)
    chosen = load_one(scenario, project) if scenario is not None else None
    result = fuzz_scenario(
        chosen,
        project,
        loop=loop,
        max_examples=max_examples,
        seed=seed,
        hostile=hostile,
        strict=strict,
        ignored=ignore,
    )
    files = write_regressions(result, project) if write else {}
    if result.failed:
        head = f"FAIL {result.target.name} ({fuzz_line(result)})"
        raise FuzzFailure("\n".join((head, *fuzz_details(result, files))), result)
    return result
