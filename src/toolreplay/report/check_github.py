"""`check` as GitHub Actions' workflow commands, which GitHub shows beside the lines of a pull request.

Format and escapes: docs.github.com, "Workflow commands for GitHub Actions"; actions/toolkit,
packages/core/src/command.ts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolreplay.contract.finding import Severity
from toolreplay.linter import FileResult, Located, Totals, Unreadable
from toolreplay.linter.baseline import relative

from .check_report import notes, summary
from .printable import printable

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_MOST: Final = 50
"""Annotations of each command: GitHub shows ten of each for a step and fifty for a job."""


class GithubReport:
    """A workflow command for each finding, and a summary as plain text.

    Args:
        root: the folder of the checkout, which GitHub takes paths to be relative to.
    """

    keep: int | None = _MOST

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lines: list[str] = []
        self._told: Counter[str] = Counter()

    def add(self, result: FileResult) -> None:
        """Take in the next result."""
        for located in result.findings:
            self._add(_COMMANDS[located.finding.severity], located)
        for entry in result.unreadable:
            self._add("error", entry)

    def render(self, totals: Totals) -> Iterator[str]:
        """The commands, the errors first."""
        for command in _COMMANDS.values():
            yield from (line for line in self._lines if line.startswith(f"::{command} "))
        hidden = totals.counts.total() + totals.unreadable - len(self._lines)
        if hidden:
            yield f"{hidden:,} more are not annotated; --format json shows all\n"
        yield from (f"{line}\n" for line in (*notes(totals), summary(totals)))

    def _add(self, command: str, about: Located | Unreadable) -> None:
        self._told[command] += 1
        if self._told[command] > _MOST:
            return
        if isinstance(about, Unreadable):
            title, message = "unreadable", about.reason
        else:
            finding = about.finding
            title = f"{finding.code} {finding.name}"
            place = ", ".join(part for part in (f"exchange {about.exchange}", finding.path) if part)
            message = f"{place}: {finding.message}\nfix: {finding.fix}"
        file = _property(relative(about.file, self._root))
        where = f"file={file},line={about.line},title={_property(title)}"
        self._lines.append(f"::{command} {where}::{_data(message)}\n")


def _data(text: str) -> str:
    lines = "\n".join(map(printable, text.split("\n")))
    return lines.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
