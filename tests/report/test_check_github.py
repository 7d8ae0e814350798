from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tests.report.build import HABIT, LOST, ORPHAN, ROOT, rendered, result
from toolreplay.contract.finding import Finding
from toolreplay.linter import Unreadable
from toolreplay.report.check_github import GithubReport


@dataclass(frozen=True)
class Case:
    """A finding, the command it becomes, and what is said."""

    finding: Finding
    command: str
    title: str
    message: str


CASES = [
    Case(
        ORPHAN,
        "error",
        "TR102 orphan-tool-result",
        "exchange 0, messages[2].content[0]: tool_result answers toolu_9%0Afix: send the right id.",
    ),
    Case(LOST, "warning", "TR999 unheard-of", "exchange 0: text%0Afix: send none."),
    Case(
        replace(HABIT, message="50% of a,b:c\nd\re"),
        "notice",
        "TR110 text-after-results",
        "exchange 0: 50%25 of a,b:c%0Ad\\re%0Afix: send none.",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_github(case: Case) -> None:
    text = rendered(GithubReport(ROOT), result(case.finding, file=str(ROOT / "a.yaml")))

    assert text.splitlines()[0] == f"::{case.command} file=a.yaml,line=7,title={case.title}::{case.message}"


def test_github_escapes_names() -> None:
    bad = result(file="x", unreadable=[Unreadable(str(ROOT / "a,b:50%\n\x1b.yaml"), 3, "is no YAML: 5%")])

    assert rendered(GithubReport(ROOT), bad).splitlines() == [
        "::error file=a%2Cb%3A50%25%0A\\x1b.yaml,line=3,title=unreadable::is no YAML: 5%25",
        "checked 1 file, 3 requests, 1 tool call: 0 errors, 0 warnings, 0 info; 1 unreadable",
    ]


def test_github_shows_the_errors_of_many_first() -> None:
    many = [replace(HABIT, message=str(number)) for number in range(60)]
    lines = rendered(GithubReport(ROOT), result(*many, *[ORPHAN] * 60, LOST, file=str(ROOT / "a.yaml"))).splitlines()

    kinds = [line.split()[0] for line in lines[:101]]
    assert kinds == ["::error"] * 50 + ["::warning"] + ["::notice"] * 50
    assert lines[101:] == [
        "20 more are not annotated; --format json shows all",
        "checked 1 file, 3 requests, 1 tool call: 60 errors, 1 warning, 60 info",
    ]
