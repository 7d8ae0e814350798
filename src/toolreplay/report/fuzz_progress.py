"""How far `fuzz` is, on a terminal's standard error; nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from .printable import printable

_NAME: Final = 60
_PAUSE: Final = 0.1  # seconds between two pictures


@contextmanager
def fuzz_progress(scenario: str, number: int, of: int) -> Iterator[Callable[[int], None]]:
    """Show which scenario is fuzzed for as long as it is.

    Args:
        number: the scenario's, from 1; there are `of`.

    Yields:
        What is told how many examples were played so far.
    """
    if not sys.stderr.isatty():
        yield _say_nothing
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    name = printable(scenario)[-_NAME:].replace("[", r"\[")
    columns = (TextColumn(f"fuzzing {number} of {of}: {name}"), TextColumn("{task.completed} examples"))
    # No thread that draws: the fuzzer forks. And what is printed goes where it went, which may be a file.
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as shown:
        task = shown.add_task("", total=None)
        due = 0.0

        def tell(examples: int) -> None:
            nonlocal due
            shown.update(task, completed=examples)
            if time.monotonic() >= due:
                due = time.monotonic() + _PAUSE
                shown.refresh()

        yield tell


def _say_nothing(examples: int) -> None:
    """In a pipe nobody watches."""
