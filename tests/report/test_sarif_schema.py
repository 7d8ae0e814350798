from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import ValidationError

from tests.report.build import ORPHAN, ROOT, rendered, result
from tests.report.sarif_schema import validated
from toolreplay.report.check_sarif import SarifReport


def _log() -> dict[str, Any]:
    log: dict[str, Any] = json.loads(rendered(SarifReport(ROOT, "1.2.3"), result(ORPHAN)))
    return log


def test_the_schema_refuses_what_is_no_sarif() -> None:
    wrong = [_log() for _ in range(4)]
    wrong[0]["version"] = "2.0.0"
    wrong[1]["runs"][0]["results"][0]["level"] = "fatal"
    wrong[2]["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    wrong[3]["runs"][0]["tool"]["driver"]["rules"][0]["severity"] = "error"
    for log in wrong:
        with pytest.raises(ValidationError):
            validated(json.dumps(log))


def test_a_uri_with_a_space_is_refused() -> None:
    log = _log()
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "a b.json"
    with pytest.raises(AssertionError):
        validated(json.dumps(log))
