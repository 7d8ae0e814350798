"""How far `check` is, on a terminal's standard error; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from toolreplay.linter import FileResult

from .printable import printable

_NAME = 40


def with_progress(results: Iterable[FileResult], size: int | None) -> Iterator[FileResult]:
    """The results as they are.

    Args:
        size: bytes of all files; None where that is not known, as of standard input.
    """
    if not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("checking", total=size)
        for result in results:
            name = printable(result.file)[-_NAME:].replace("[", r"\[")
            progress.update(task, advance=result.size, description=name)
            yield result
