"""`toolreplay.fuzz`: fuzzing from a test in Python."""

from __future__ import annotations

from pathlib import Path

from toolreplay.errors import ToolreplayError
from toolreplay.files.project import find_project
from toolreplay.fuzzer.entry import fuzz_scenario
from toolreplay.fuzzer.profile import examples_of
from toolreplay.fuzzer.regression import write_regressions
from toolreplay.fuzzer.result import Result
from toolreplay.report.fuzz_text import fuzz_details, fuzz_line
from toolreplay.runner.loops import Loop
from toolreplay.runner.play import load_one


class FuzzFailure(ToolreplayError, AssertionError):
    """Fuzzing found faults of a loop; the text tells them, `result` holds everything.

    Attributes:
        result: what was played; its `found` are the faults, each with its smallest case.
    """

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


def fuzz(
    loop: Loop | str | None,
    scenario: str | Path | None = None,
    *,
    max_examples: int | None = None,
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
        max_examples: conversations to play; each costs about as much as two runs of a scenario. By default as many as
            the loaded profile of Hypothesis says, where it says another number than Hypothesis's own 100; else 200.
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
        UsageError: `max_examples` or `ignore` ask for what there is not.
        ToolreplayError: the loop or the scenario cannot be found or played.
    """
    examples = examples_of(max_examples)
    project = find_project(root)
    chosen = load_one(scenario, project) if scenario is not None else None
    result = fuzz_scenario(
        chosen,
        project,
        loop=loop,
        max_examples=examples,
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
