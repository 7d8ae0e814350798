"""The text of `check`: findings by file, the worst first where a file has more than a screen shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..contract.finding import Severity
from ..linter import Located, Report

_SHOWN = 8
"""Findings of one file that are shown: with the API's words and the fix, about as many as a screen holds."""

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def render_text(report: Report) -> str:
    """The report as lines for a terminal or a log, a summary last; a newline at its end."""
    lines = [
        line
        for file, group in groupby(report.findings, key=lambda located: located.file)
        for line in _file(file, list(group))
    ]
    lines += [f"{entry.file}:{entry.line}: {entry.reason}" for entry in report.unreadable]
    text = "\n".join([*lines, summary(report)]) + "\n"
    # Messages name values of recordings, and those may hold lone surrogates, which no terminal takes.
    return text.encode("utf-8", "backslashreplace").decode()


def summary(report: Report) -> str:
    """One line: what was checked and what was found."""
    counts = [
        _count(sum(located.finding.severity is severity for located in report.findings), word)
        for severity, word in zip(Severity, ("error", "warning", "info"), strict=True)
    ]
    checked = ", ".join(
        (
            _count(report.files, "file"),
            _count(report.requests, "request"),
            _count(report.tool_uses, "tool call"),
        )
    )
    text = f"checked {checked}: {', '.join(counts)}"
    return f"{text}; {_count(len(report.unreadable), 'file')} unreadable" if report.unreadable else text


def _file(file: str, group: list[Located]) -> Iterator[str]:
    shown = group
    if len(group) > _SHOWN:
        worst = sorted(group, key=lambda located: _RANK[located.finding.severity])[:_SHOWN]
        shown = [located for located in group if located in worst]
    for located in shown:
        yield from _finding(located)
    if len(group) > len(shown):
        yield f"{file}: {len(group) - len(shown)} more; toolreplay check --format json shows all"


def _finding(located: Located) -> Iterator[str]:
    finding = located.finding
    where = f"{located.file}: exchange {located.exchange}"
    if finding.path:
        where += f", {finding.path}"
    yield f"{where}: {finding.severity} {finding.code} {finding.name}: {finding.message}"
    if finding.api:
        yield f"    the API: {finding.api}"
    yield f"    fix: {finding.fix}"


def _count(number: int, word: str) -> str:
    plural = word if word == "info" or number == 1 else f"{word}s"
    return f"{number} {plural}"
