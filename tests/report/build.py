"""Results of `check`, and how a report shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolreplay.contract.finding import Finding, Severity
from toolreplay.linter import FileResult, Located, Totals, Unreadable
from toolreplay.linter.result import kind_of
from toolreplay.report.check_report import CheckReport

ORPHAN = Finding(
    code="TR102",
    name="orphan-tool-result",
    severity=Severity.ERROR,
    path="messages[2].content[0]",
    message="tool_result answers toolu_9",
    fix="send the right id.",
    api="messages.2.content.0: unexpected",
)
HABIT = Finding(
    code="TR110", name="text-after-results", severity=Severity.INFO, path="", message="text", fix="send none."
)
LOST = replace(HABIT, code="TR999", name="unheard-of", severity=Severity.WARNING)
NASTY = "a\nb: \x1b[31m,%\r\ud800\u202e<x>\ufffe"
ROOT = Path("/checkout").absolute()


def result(
    *findings: Finding,
    file: str = "a.yaml",
    line: int = 7,
    unreadable: Sequence[Unreadable] = (),
    unchecked: int = 0,
    redacted: int = 0,
    passed: int = 0,
    known: int = 0,
    alike: int = 1,
) -> FileResult:
    """A file with a finding in each request; of the first one there are `alike`, one of which was kept."""
    located = tuple(Located(one, file, index, line + index) for index, one in enumerate(findings))
    counts = Counter(map(kind_of, findings))
    counts.update({kind_of(one): alike - 1 for one in findings[:1]})
    return FileResult(
        file=file,
        files=1,
        requests=3,
        tool_uses=1,
        unchecked=unchecked,
        redacted=redacted,
        passed=passed,
        findings=located,
        counts=counts,
        unreadable=tuple(unreadable),
        known=known,
    )


LATE = result(file="c.yaml", unreadable=[Unreadable("c.yaml", 3, "is no YAML")])


def rendered(report: CheckReport, *results: FileResult, gone: int = 0) -> str:
    totals = Totals(gone=gone)
    for one in results:
        totals.add(one)
        report.add(one)
    return "".join(report.render(totals))
