from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

from tests.report.build import HABIT, LATE, ORPHAN, rendered, result
from toolreplay.linter import FileResult
from toolreplay.report.check_junit import JunitReport


def test_junit() -> None:
    suite = ET.fromstring(
        rendered(
            JunitReport(),
            result(ORPHAN, HABIT),
            replace(result(ORPHAN, alike=70), files=0),
            result(file="good.yaml"),
            LATE,
            FileResult("other.json", skipped=True),
            result(HABIT, file="habit.yaml"),
        )
    )

    assert suite.attrib == {
        "name": "toolreplay check",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == ["a.yaml", "good.yaml", "c.yaml", "habit.yaml"]
    assert [child.tag for case in cases.values() for child in case] == [
        "failure",
        "system-out",
        "error",
        "system-out",
    ]
    failure = cases["a.yaml"].find("failure")
    assert failure is not None
    assert failure.get("message") == "71 errors: TR102"
    assert (failure.text or "").startswith(
        "a.yaml:7: exchange 0, messages[2].content[0]: error TR102 orphan-tool-result: "
        "tool_result answers toolu_9\n    fix: send the right id.\n"
    )
    error = cases["c.yaml"].find("error")
    assert error is not None
    assert error.get("message") == "c.yaml:3: is no YAML"
