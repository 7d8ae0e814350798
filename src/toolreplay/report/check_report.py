"""What every form of a `check` report offers: it takes results as they come, and keeps few of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from toolreplay.contract.finding import Severity
from toolreplay.linter import FileResult, Totals

from .lines import count
from .printable import printable

_MOST_DAMAGED = 10  # that are told one by one


class CheckReport(Protocol):
    """A report.

    Attributes:
        keep: findings of each kind that it needs of a file, or of a part of a log; None for all.
    """

    keep: int | None

    def add(self, result: FileResult) -> None:
        """Take in the next result; results of one file come one after the other."""

    def render(self, totals: Totals) -> Iterator[str]:
        """The report in pieces, a newline at its end."""


def summary(totals: Totals) -> str:
    """One line: what was checked and what was found."""
    checked = ", ".join(
        (
            count(totals.files, "file"),
            count(totals.requests, "request"),
            count(totals.tool_uses, "tool call"),
        )
    )
    words = ("error", "warning", "info")
    found = ", ".join(count(totals.of(severity), word) for severity, word in zip(Severity, words, strict=True))
    parts = [f"checked {checked}: {found}"]
    if totals.unreadable:
        parts.append(f"{totals.unreadable} unreadable")
    if totals.known:
        parts.append(f"{totals.known} known")
    return "; ".join(parts)


def notes(totals: Totals) -> Iterator[str]:
    """Lines on what was not checked, and on a baseline that says too much."""
    if totals.unchecked:
        yield (
            f"not checked: {count(totals.unchecked, 'request')} of a tool loop without any tool block; "
            "the recording turned them into text"
        )
    if totals.redacted:
        yield f"not checked: {count(totals.redacted, 'request')} whose body the recorder took out"
    for one in totals.damaged[:_MOST_DAMAGED]:
        yield f"not checked: {printable(one.file)}:{one.line}: {printable(one.reason)}"
    if len(totals.damaged) > _MOST_DAMAGED:
        yield f"not checked: {len(totals.damaged) - _MOST_DAMAGED} more requests with such bodies"
    if totals.passed:
        lines = count(totals.passed, "line")
        yield f"passed over: {lines} or list items without a request, in files that hold requests"
    if totals.gone:
        yield f"{count(totals.gone, 'finding')} of the baseline are gone; --write-baseline leaves them out"
    if not totals.requests:
        yield "nothing was checked: no request to the model was found"
