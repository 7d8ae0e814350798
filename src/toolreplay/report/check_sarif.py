"""`check` as SARIF 2.1.0 (OASIS), as GitHub's code scanning and editors read it.

Which properties are used and how many results are taken: docs.github.com, "SARIF support for code scanning".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final
from urllib.parse import quote

from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.finding import Severity
from toolreplay.linter import FileResult, Kind, Located, Totals, Unreadable
from toolreplay.linter.baseline import fingerprint, relative

from .check_report import notes

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_MOST: Final = 25_000
"""Results of a run; GitHub refuses a file with more."""

_NOTIFICATIONS: Final = 1_000


class SarifReport:
    """One run.

    Args:
        root: the folder of the checkout, which places are relative to.
        version: of toolreplay.
    """

    keep: int | None = _MOST

    def __init__(self, root: Path, version: str) -> None:
        self._root = root
        self._version = version
        self._by_level: dict[Severity, list[tuple[int, Located]]] = {severity: [] for severity in Severity}
        self._seen = 0
        self._unreadable: list[Unreadable] = []

    def add(self, result: FileResult) -> None:
        """Take in the next result."""
        for located in result.findings:
            kept = self._by_level[located.finding.severity]
            if len(kept) < _MOST:
                kept.append((self._seen, located))
            self._seen += 1
        self._unreadable += result.unreadable[: max(0, _NOTIFICATIONS - len(self._unreadable))]

    def render(self, totals: Totals) -> Iterator[str]:
        """The log, in order; where there are more results than are taken, the worst."""
        worst = [one for severity in Severity for one in self._by_level[severity]][:_MOST]
        results = [located for _, located in sorted(worst, key=lambda one: one[0])]
        rules = _rules(totals)
        places = {rule["id"]: index for index, rule in enumerate(rules)}
        told = list(notes(totals))
        if hidden := totals.counts.total() - len(results):
            told.append(f"{hidden:,} more findings are not in this file; --format json has all")
        driver = {"name": "toolreplay", "semanticVersion": self._version, "rules": rules}
        run = {
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "invocations": [self._invocation(told, successful=not totals.unreadable)],
            "results": [self._result(located, places[located.finding.code]) for located in results],
        }
        log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
        yield from json.JSONEncoder(indent=1).iterencode(log)
        yield "\n"

    def _invocation(self, told: list[str], *, successful: bool) -> dict[str, Any]:
        failed = [
            {
                "level": "error",
                "message": {"text": entry.reason},
                "locations": [self._location(entry.file, entry.line)],
            }
            for entry in self._unreadable
        ]
        remarks = [{"level": "note", "message": {"text": text}} for text in told]
        return {"executionSuccessful": successful, "toolExecutionNotifications": [*failed, *remarks]}

    def _result(self, located: Located, rule: int) -> dict[str, Any]:
        finding = located.finding
        place = ", ".join(part for part in (f"exchange {located.exchange}", finding.path) if part)
        location = self._location(located.file, located.line)
        location["logicalLocations"] = [{"fullyQualifiedName": place}]
        key = "\0".join(fingerprint(located, self._root))
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return {
            "ruleId": finding.code,
            "ruleIndex": rule,
            "level": _LEVELS[finding.severity],
            "message": {"text": f"{place}: {finding.message}\n\nFix: {finding.fix}"},
            "locations": [location],
            "partialFingerprints": {"toolreplay/v1": digest},
        }

    def _location(self, file: str, line: int) -> dict[str, Any]:
        return {
            "physicalLocation": {
                "artifactLocation": _artifact(relative(file, self._root)),
                "region": {"startLine": line},
            }
        }


def _artifact(path: str) -> dict[str, Any]:
    """A place in the checkout relative to it; one outside by its whole path."""
    if path == "-":
        return {"uri": "stdin"}
    if path.startswith("../") or PurePath(path).is_absolute():
        return {"uri": Path(path).absolute().as_uri() if PurePath(path).is_absolute() else _quoted(path)}
    return {"uri": _quoted(path), "uriBaseId": "%SRCROOT%"}


def _quoted(path: str) -> str:
    try:
        return quote(path.encode("utf-8", "surrogateescape"))  # the bytes of the name
    except UnicodeEncodeError:
        return quote(path.encode("utf-8", "surrogatepass"))


def _rules(totals: Totals) -> list[dict[str, Any]]:
    """Every rule of the catalogue, and what else findings name."""
    found = {code: _rule(code, rule.name, rule.what, rule.fix) for code, rule in all_rules().items()}
    for kind in totals.counts:
        found.setdefault(kind.code, _bare(kind))
    return list(found.values())


def _rule(code: str, name: str, what: str, fix: str) -> dict[str, Any]:
    return {
        "id": code,
        "name": name,
        "shortDescription": {"text": f"{code} {name}"},
        "fullDescription": {"text": what},
        "help": {"text": f"{what}\n\nFix: {fix}\n\ntoolreplay explain {code} tells more."},
    }


def _bare(kind: Kind) -> dict[str, Any]:
    return {"id": kind.code, "name": kind.name, "shortDescription": {"text": f"{kind.code} {kind.name}"}}
