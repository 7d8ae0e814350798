"""What fuzzing found, as the JSON of `fuzz --format json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from toolreplay.fuzzer.regression import Written
from toolreplay.fuzzer.result import Found, Result
from toolreplay.fuzzer.table import Row, table_of
from toolreplay.runner.run import Outcome

from .fuzzed import Fuzzed


def fuzz_json(fuzzed: Sequence[Fuzzed]) -> dict[str, object]:
    """`{"scenarios": [...], "counts": {...}}`; counts has every outcome, in lower case, as those of `run` have."""
    return {
        "scenarios": [_scenario(one) for one in fuzzed],
        "counts": {outcome.lower(): sum(one.outcome is outcome for one in fuzzed) for outcome in Outcome},
    }


def _scenario(fuzzed: Fuzzed) -> dict[str, object]:
    result = fuzzed.result
    return {
        "id": fuzzed.id,
        "outcome": fuzzed.outcome,
        "errors": list(fuzzed.errors),
        "skipped": fuzzed.skipped or None,
        **({} if result is None else _result(result)),
        "faults": []
        if result is None
        else [_found(found, fuzzed.files.get(found.fault.kind)) for found in result.found],
    }


def _result(result: Result) -> dict[str, object]:
    return {
        "loop": result.target.name,
        "examples": result.examples,
        "tool_calls": result.calls,
        "requests": result.requests,
        "after_failure": result.after_failure,
        "unplayed": result.unplayed,
        "known": [{"path": one.path, "codes": sorted(one.codes)} for one in result.regressions],
        "again": sorted(result.again),
        "warnings": dict(result.warnings.most_common()),
        "notes": list(result.notes),
        "seconds": round(result.seconds, 4),
    }


def _found(found: Found, file: Written | None) -> dict[str, object]:
    fault = found.fault
    return {
        "code": fault.code,
        "cause": fault.cause or None,
        "name": fault.name,
        "severity": fault.severity,
        "layer": fault.layer,
        "where": fault.where,
        "message": fault.message,
        "fix": fault.fix,
        "api": fault.api or None,
        "request": fault.request,
        "example": found.example,
        "repeats": found.repeats,
        "replays": found.replays,
        "calls": [_call(row) for row in table_of(found.case, found.rows) if isinstance(row, Row)],
        "scenario": found.case.document,
        "file": file.path if file is not None else None,
    }


def _call(row: Row) -> dict[str, object]:
    return {name: value for name, value in asdict(row).items() if name != "reply"}
