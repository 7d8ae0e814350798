"""The JSON of `check --format json`: its fields are a contract with CI jobs."""

from __future__ import annotations

import json
from typing import Any

from ..linter import Located, Report


def render_json(report: Report) -> str:
    """The report as one JSON object with a newline at its end.

    `{"files", "requests", "tool_uses", "findings": [{"code", "name", "severity", "file", "exchange", "path",
    "message", "fix"}], "unreadable": [{"file", "line", "reason"}]}`; severity is `error`, `warning` or
    `info`.
    """
    data = {
        "files": report.files,
        "requests": report.requests,
        "tool_uses": report.tool_uses,
        "findings": [_finding(located) for located in report.findings],
        "unreadable": [
            {"file": entry.file, "line": entry.line, "reason": entry.reason} for entry in report.unreadable
        ],
    }
    return json.dumps(data, indent=2) + "\n"


def _finding(located: Located) -> dict[str, Any]:
    finding = located.finding
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "file": located.file,
        "exchange": located.exchange,
        "path": finding.path,
        "message": finding.message,
        "fix": finding.fix,
    }
