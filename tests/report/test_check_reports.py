from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.report.build import HABIT, LATE, NASTY, ORPHAN, ROOT, rendered, result
from toolreplay.contract.finding import Severity
from toolreplay.linter import FileResult, Unreadable
from toolreplay.report.check_github import GithubReport
from toolreplay.report.check_json import JsonReport
from toolreplay.report.check_junit import JunitReport
from toolreplay.report.check_report import CheckReport
from toolreplay.report.check_sarif import SarifReport
from toolreplay.report.check_text import TextReport


def test_json() -> None:
    text = rendered(JsonReport(), result(ORPHAN, unchecked=2), result(ORPHAN, known=4, redacted=3, passed=5), LATE)

    entry = {
        "code": "TR102",
        "name": "orphan-tool-result",
        "severity": "error",
        "file": "a.yaml",
        "line": 7,
        "exchange": 0,
        "path": "messages[2].content[0]",
        "message": "tool_result answers toolu_9",
        "fix": "send the right id.",
    }
    assert json.loads(text) == {
        "files": 3,
        "requests": 9,
        "tool_uses": 3,
        "findings": [entry, entry],
        "unreadable": [{"file": "c.yaml", "line": 3, "reason": "is no YAML"}],
        "damaged": [],
        "unchecked": 2,
        "redacted": 3,
        "passed": 5,
        "known": 4,
    }
    assert text == json.dumps(json.loads(text), indent=2) + "\n"


def test_json_of_nothing() -> None:
    text = rendered(JsonReport())

    assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert json.loads(text)["findings"] == []


def test_json_that_does_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolreplay.report.check_json._IN_MEMORY", 64)
    report = JsonReport()

    assert len(json.loads(rendered(report, result(*[ORPHAN] * 500)))["findings"]) == 500


def test_text() -> None:
    assert rendered(TextReport(), result(ORPHAN), result(HABIT, file="b.yaml", line=1), LATE) == (
        "a.yaml:7: exchange 0, messages[2].content[0]: error TR102 orphan-tool-result: "
        "tool_result answers toolu_9\n"
        "    the API: messages.2.content.0: unexpected\n"
        "    fix: send the right id.\n"
        "b.yaml:1: exchange 0: info TR110 text-after-results: text\n"
        "    fix: send none.\n"
        "c.yaml:3: is no YAML\n"
        "checked 3 files, 9 requests, 3 tool calls: 1 error, 0 warnings, 1 info; 1 unreadable\n"
    )


def test_text_of_nothing_found() -> None:
    line = "checked 1 file, 3 requests, 1 tool call: 0 errors, 0 warnings, 0 info\n"
    assert rendered(TextReport(), result()) == line


def test_text_says_what_was_not_checked() -> None:
    assert rendered(
        TextReport(), FileResult("a", 1, unchecked=1, redacted=1, passed=2, known=2), gone=1
    ).splitlines() == [
        "not checked: 1 request of a tool loop without any tool block; the recording turned them into text",
        "not checked: 1 request whose body the recorder took out",
        "passed over: 2 lines or list items without a request, in files that hold requests",
        "1 finding of the baseline are gone; --write-baseline leaves them out",
        "nothing was checked: no request to the model was found",
        "checked 1 file, 0 requests, 0 tool calls: 0 errors, 0 warnings, 0 info; 2 known",
    ]


def test_text_tells_fix_and_the_apis_words_once_a_file() -> None:
    other = replace(ORPHAN, api="messages.9", message="again")
    lines = rendered(TextReport(), result(ORPHAN, other), result(ORPHAN, file="b.yaml")).splitlines()

    assert [line.strip()[:12] for line in lines[:-1]] == [
        "a.yaml:7: ex",
        "the API: mes",
        "fix: send th",
        "a.yaml:8: ex",
        "b.yaml:7: ex",
        "the API: mes",
        "fix: send th",
    ]


def test_text_of_a_file_with_many_findings_shows_the_worst() -> None:
    lines = rendered(TextReport(), result(*[HABIT] * 30, ORPHAN)).splitlines()

    assert len(lines) <= 25
    assert [line.partition(":")[2][:2] for line in lines if "exchange" in line] == [
        "7:",
        "8:",
        "9:",
        "10",
        "11",
        "12",
        "13",
        "37",
    ]
    assert lines[-3:] == [
        "a.yaml: 23 more",
        "not shown: 23 TR110 text-after-results; --format json shows all, --statistics counts",
        "checked 1 file, 3 requests, 1 tool call: 1 error, 0 warnings, 30 info",
    ]


def test_text_of_a_log_whose_parts_kept_few() -> None:
    parts = [replace(result(ORPHAN, alike=1_000), files=int(number == 0)) for number in range(50)]
    report = TextReport()
    lines = rendered(report, *parts).splitlines()

    assert report.keep == 8
    assert len(lines) <= 25
    assert lines[-3:] == [
        "a.yaml: 49,992 more",
        "not shown: 49,992 TR102 orphan-tool-result; --format json shows all, --statistics counts",
        "checked 1 file, 150 requests, 50 tool calls: 50,000 errors, 0 warnings, 0 info",
    ]


def test_text_of_many_files_with_one_fault_is_short() -> None:
    results = [result(ORPHAN, file=f"{number}.yaml") for number in range(500)]
    lines = rendered(TextReport(), *results).splitlines()

    assert len(lines) == 3 * 10 + 2
    assert lines[-2].startswith("not shown: 490 TR102 orphan-tool-result; ")


def test_text_of_many_unreadable_files_is_short() -> None:
    late = [replace(LATE, file=f"{number}.yaml") for number in range(500)]
    lines = rendered(TextReport(), *late).splitlines()

    assert len(lines) == 22
    assert lines[-2] == "480 more are unreadable"


def test_statistics() -> None:
    report = TextReport(statistics=True)
    text = rendered(
        report, result(ORPHAN, HABIT, HABIT, alike=1_200), result(replace(ORPHAN, severity=Severity.WARNING))
    )

    assert report.keep == 0
    assert text == (
        "1,200 error   TR102 orphan-tool-result\n"
        "    2 info    TR110 text-after-results\n"
        "    1 warning TR102 orphan-tool-result\n"
        "checked 2 files, 6 requests, 2 tool calls: 1,200 errors, 1 warning, 2 info\n"
    )


def test_nothing_reaches_a_terminal_that_it_acts_upon() -> None:
    nasty = replace(ORPHAN, message=NASTY, path=NASTY, api=NASTY, fix=NASTY)
    bad = result(nasty, file=NASTY, unreadable=[Unreadable(NASTY, 1, NASTY)])
    reports: list[CheckReport] = [
        TextReport(),
        GithubReport(ROOT),
        JunitReport(),
        JsonReport(),
        SarifReport(ROOT, "1"),
    ]
    for report in reports:
        text = rendered(report, bad)
        text.encode()
        assert {"\x1b", "\r", "\u202e", "\ud800", "\ufffe"} & set(text) <= {"\ufffe"}
    assert len(rendered(TextReport(), bad).splitlines()) == 5
