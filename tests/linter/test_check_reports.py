from __future__ import annotations

import json

from toolreplay.contract.finding import Finding, Severity
from toolreplay.linter import Located, Report, Unreadable
from toolreplay.report.check_json import render_json
from toolreplay.report.check_text import render_text

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
LATE = Unreadable("c.yaml", 3, "is no YAML")


def _report(*findings: Located, unreadable: tuple[Unreadable, ...] = ()) -> Report:
    return Report(files=2, requests=3, tool_uses=1, findings=findings, unreadable=unreadable)


def test_json() -> None:
    report = _report(Located(ORPHAN, "a.yaml", 1), unreadable=(LATE,))

    assert json.loads(render_json(report)) == {
        "files": 2,
        "requests": 3,
        "tool_uses": 1,
        "findings": [
            {
                "code": "TR102",
                "name": "orphan-tool-result",
                "severity": "error",
                "file": "a.yaml",
                "exchange": 1,
                "path": "messages[2].content[0]",
                "message": "tool_result answers toolu_9",
                "fix": "send the right id.",
            }
        ],
        "unreadable": [{"file": "c.yaml", "line": 3, "reason": "is no YAML"}],
    }


def test_text() -> None:
    report = _report(Located(ORPHAN, "a.yaml", 1), Located(HABIT, "b.yaml", 0), unreadable=(LATE,))

    assert render_text(report) == (
        "a.yaml: exchange 1, messages[2].content[0]: error TR102 orphan-tool-result: "
        "tool_result answers toolu_9\n"
        "    the API: messages.2.content.0: unexpected\n"
        "    fix: send the right id.\n"
        "b.yaml: exchange 0: info TR110 text-after-results: text\n"
        "    fix: send none.\n"
        "c.yaml:3: is no YAML\n"
        "checked 2 files, 3 requests, 1 tool call: 1 error, 0 warnings, 1 info; 1 file unreadable\n"
    )


def test_text_of_nothing_found() -> None:
    assert (
        render_text(_report()) == "checked 2 files, 3 requests, 1 tool call: 0 errors, 0 warnings, 0 info\n"
    )


def test_a_file_with_many_findings_shows_the_worst() -> None:
    habits = [Located(HABIT, "a.yaml", index) for index in range(30)]
    text = render_text(_report(*habits, Located(ORPHAN, "a.yaml", 30)))

    lines = text.splitlines()
    assert len(lines) <= 25
    assert "a.yaml: exchange 30, messages[2].content[0]: error TR102" in text
    assert lines[-2] == "a.yaml: 23 more; toolreplay check --format json shows all"


def test_lone_surrogates_can_be_printed() -> None:
    finding = Finding(
        "TR305", "unencodable-text", Severity.ERROR, "messages[0]", "holds '\ud800'", "mend it."
    )
    report = _report(Located(finding, "a.yaml", 0))

    render_text(report).encode()
    assert json.loads(render_json(report))["findings"][0]["message"] == "holds '\ud800'"
