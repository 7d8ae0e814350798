from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.report.build import HABIT, LATE, LOST, NASTY, ORPHAN, ROOT, rendered, result
from tests.report.sarif_schema import validated
from toolreplay.contract.finding import Finding
from toolreplay.linter import FileResult
from toolreplay.report import check_sarif
from toolreplay.report.check_sarif import SarifReport


def sarif(*results: FileResult) -> dict[str, Any]:
    return validated(rendered(SarifReport(ROOT, "1.2.3"), *results))


def test_sarif() -> None:
    run = sarif(result(ORPHAN, LOST, HABIT, file=str(ROOT / "a b" / "ü.yaml"), unchecked=1), LATE)

    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    told = [(one["ruleId"], one["level"], rules[one["ruleIndex"]]) for one in run["results"]]
    assert told == [("TR102", "error", "TR102"), ("TR999", "warning", "TR999"), ("TR110", "note", "TR110")]
    first = run["results"][0]
    assert first["message"] == {
        "text": "exchange 0, messages[2].content[0]: tool_result answers toolu_9\n\nFix: send the right id."
    }
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b/%C3%BC.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 7},
            },
            "logicalLocations": [{"fullyQualifiedName": "exchange 0, messages[2].content[0]"}],
        }
    ]
    (invocation,) = run["invocations"]
    remarks = [(one["level"], one["message"]["text"]) for one in invocation["toolExecutionNotifications"]]
    assert invocation["executionSuccessful"] is False
    assert [level for level, _ in remarks] == ["error", "note"]
    assert remarks[0][1] == "is no YAML"


def test_sarif_of_nothing_found() -> None:
    run = sarif(result())

    assert (run["results"], run["invocations"][0]["executionSuccessful"]) == ([], True)


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("-", "stdin"),
        (str(ROOT / "a.yaml"), "a.yaml"),
        (str(ROOT.parent / "a.yaml"), "../a.yaml"),
        (str(ROOT / NASTY), "a%0Ab%3A%20%1B%5B31m%2C%25%0D%ED%A0%80%E2%80%AE%3Cx%3E%EF%BF%BE"),
    ],
)
def test_sarif_places(file: str, uri: str) -> None:
    (one,) = sarif(result(ORPHAN, file=file))["results"]

    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_fingerprints_survive_moved_lines() -> None:
    def prints(*findings: Finding, line: int) -> list[str]:
        return [one["partialFingerprints"]["toolreplay/v1"] for one in sarif(result(*findings, line=line))["results"]]

    assert prints(ORPHAN, line=1) == prints(ORPHAN, line=900)
    assert len(set(prints(ORPHAN, HABIT, replace(ORPHAN, message="x"), line=1))) == 3


def test_sarif_has_no_more_results_than_github_takes_and_those_are_the_worst(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert check_sarif._MOST == 25_000
    monkeypatch.setattr(check_sarif, "_MOST", 25)
    run = sarif(result(*[HABIT] * 20, *[ORPHAN] * 10, LOST))

    levels = Counter(one["level"] for one in run["results"])
    assert levels == {"error": 10, "warning": 1, "note": 14}
    assert [one["level"] for one in run["results"][:2]] == ["note", "note"], "in the order of the files"
    (remark,) = run["invocations"][0]["toolExecutionNotifications"]
    assert remark["message"]["text"] == "6 more findings are not in this file; --format json has all"
