"""The text of `check`: findings by file, the worst first where there are more than a screen shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolreplay.contract.finding import Severity
from toolreplay.linter import FileResult, Kind, Located, Totals, Unreadable

from .check_report import notes, summary
from .printable import printable

_OF_A_FILE: Final = 8
"""Findings of one file that are shown: with the API's words and the fix, about as many as a screen holds."""

_OF_A_CODE: Final = 10
"""Findings of one code that are shown in all; a log of a million requests has one fault a million times."""

_UNREADABLE: Final = 20
_WIDTH: Final = 400
_RANK: Final = {severity: rank for rank, severity in enumerate(Severity)}


class TextReport:
    """Lines for a terminal or a log.

    Args:
        statistics: how many findings there are of each kind, in place of the findings.
    """

    def __init__(self, *, statistics: bool = False) -> None:
        self.keep: int | None = 0 if statistics else _OF_A_FILE
        self._statistics = statistics
        self._lines: list[str] = []
        self._unreadable: list[Unreadable] = []
        self._shown: Counter[str] = Counter()
        self._file = ""
        self._group: list[Located] = []
        self._in_file = 0

    def add(self, result: FileResult) -> None:
        """Take in the next result."""
        if result.file != self._file:
            self._end_file()
            self._file = result.file
        self._in_file += sum(result.counts.values())
        self._group = sorted((*self._group, *result.findings), key=_rank)[:_OF_A_FILE]
        self._unreadable += result.unreadable[: max(0, _UNREADABLE - len(self._unreadable))]

    def render(self, totals: Totals) -> Iterator[str]:
        """The lines, a summary last."""
        self._end_file()
        lines = [*_table(totals.counts)] if self._statistics else [*self._lines, *self._hidden(totals.counts)]
        lines += [_line(f"{entry.file}:{entry.line}: {entry.reason}") for entry in self._unreadable]
        if totals.unreadable > len(self._unreadable):
            lines.append(f"{totals.unreadable - len(self._unreadable):,} more are unreadable")
        lines += [*notes(totals), summary(totals)]
        yield "".join(f"{line}\n" for line in lines)

    def _end_file(self) -> None:
        shown = []
        for located in self._group:
            code = located.finding.code
            if self._shown[code] < _OF_A_CODE:
                self._shown[code] += 1
                shown.append(located)
        told: set[str] = set()
        for located in sorted(shown, key=lambda one: (one.exchange, _rank(one))):
            self._lines += _finding(located, told)
        if shown and self._in_file > len(shown):
            self._lines.append(_line(f"{self._file}: {self._in_file - len(shown):,} more"))
        self._group = []
        self._in_file = 0

    def _hidden(self, counts: Counter[Kind]) -> Iterator[str]:
        """Which findings are not shown."""
        by_code: Counter[str] = Counter()
        for kind, number in counts.items():
            by_code[kind.code] += number
        names = {kind.code: kind.name for kind in counts}
        hidden = by_code - self._shown
        if hidden:
            told = ", ".join(f"{hidden[code]:,} {code} {names[code]}" for code in sorted(hidden))
            yield f"not shown: {told}; --format json shows all, --statistics counts"


def _rank(located: Located) -> int:
    return _RANK[located.finding.severity]


def _finding(located: Located, told: set[str]) -> Iterator[str]:
    """A finding; the API's words only at a file's first of its code, the fix where it is another one."""
    finding = located.finding
    where = f"{located.file}:{located.line}: exchange {located.exchange}"
    if finding.path:
        where += f", {finding.path}"
    yield _line(f"{where}: {finding.severity} {finding.code} {finding.name}: {finding.message}")
    for title, text, key in (("the API", finding.api, finding.code), ("fix", finding.fix, finding.fix)):
        if text and key not in told:
            told.add(key)
            yield _line(f"    {title}: {text}")


def _line(text: str) -> str:
    """Text of recordings and names of files on one line, not too long, without what a terminal acts upon."""
    line = printable(text)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."


def _table(counts: Counter[Kind]) -> Iterator[str]:
    """A line for each kind, the most frequent first."""
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    width = max((len(f"{number:,}") for _, number in rows), default=0)
    for kind, number in rows:
        yield f"{number:>{width},} {kind.severity:<7} {kind.code} {kind.name}"
