"""The JSON of `check --format json`: its fields are a contract with CI jobs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from typing import IO, Any, Final

from toolreplay.linter import FileResult, Located, Totals, Unreadable

_IN_MEMORY: Final = 16 * 2**20
_PIECE: Final = 2**20


class JsonReport:
    """One JSON object.

    `{"files", "requests", "tool_uses", "findings": [{"code", "name", "severity", "file", "line", "exchange",
    "path", "message", "fix"}], "unreadable": [{"file", "line", "reason"}], "damaged": [...], "unchecked",
    "redacted", "passed", "known"}`; severity is `error`, `warning` or `info`. Findings wait in a temporary file, since
    the counts stand before them.
    """

    keep: int | None = None

    def __init__(self) -> None:
        self._findings = _Spool()
        self._unreadable = _Spool()
        self._damaged = _Spool()

    def add(self, result: FileResult) -> None:
        """Take in the next result."""
        for located in result.findings:
            self._findings.write(_finding(located))
        for entry in result.unreadable:
            self._unreadable.write(_unreadable(entry))
        for entry in result.damaged:
            self._damaged.write(_unreadable(entry))

    def render(self, totals: Totals) -> Iterator[str]:
        """The object."""
        yield (
            f'{{\n  "files": {totals.files},\n  "requests": {totals.requests},\n'
            f'  "tool_uses": {totals.tool_uses},\n  "findings": ['
        )
        yield from self._findings.read()
        yield '],\n  "unreadable": ['
        yield from self._unreadable.read()
        yield '],\n  "damaged": ['
        yield from self._damaged.read()
        yield (
            f'],\n  "unchecked": {totals.unchecked},\n  "redacted": {totals.redacted},\n'
            f'  "passed": {totals.passed},\n  "known": {totals.known}\n}}\n'
        )


class _Spool:
    """Entries of a JSON list, in memory as long as they are few."""

    def __init__(self) -> None:
        self._file: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115  (read closes it)
            _IN_MEMORY, "w+", encoding="ascii"
        )
        self._empty = True

    def write(self, entry: dict[str, Any]) -> None:
        fields = ",\n".join(f"      {json.dumps(name)}: {json.dumps(value)}" for name, value in entry.items())
        self._file.write(f"{'' if self._empty else ','}\n    {{\n{fields}\n    }}")
        self._empty = False

    def read(self) -> Iterator[str]:
        with self._file as file:
            file.seek(0)
            while piece := file.read(_PIECE):
                yield piece
        if not self._empty:
            yield "\n  "


def _finding(located: Located) -> dict[str, Any]:
    finding = located.finding
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "file": located.file,
        "line": located.line,
        "exchange": located.exchange,
        "path": finding.path,
        "message": finding.message,
        "fix": finding.fix,
    }


def _unreadable(entry: Unreadable) -> dict[str, Any]:
    return {"file": entry.file, "line": entry.line, "reason": entry.reason}
