"""What fuzzing found, as the JSON of `fuzz --format json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from toolreplay.fuzzer.result import Found, Result


def fuzz_json(results: Mapping[str, Result], files: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    """`{"scenarios": [{"id", "loop", "examples", "faults": [...], ...}]}`.

    Args:
        files: by scenario, where the regressions were written, by the codes of their faults.
    """
    return {"scenarios": [_result(name, result, files.get(name, {})) for name, result in results.items()]}


def _result(name: str, result: Result, files: Mapping[str, str]) -> dict[str, object]:
    return {
        "id": name,
        "loop": result.target.name,
        "examples": result.examples,
        "tool_calls": result.calls,
        "requests": result.requests,
        "after_failure": result.after_failure,
        "unplayed": result.unplayed,
        "faults": [_found(found, files.get(found.fault.code)) for found in result.found],
        "known": [{"path": one.path, "codes": sorted(one.codes)} for one in result.regressions],
        "warnings": dict(result.warnings.most_common()),
        "seconds": round(result.seconds, 4),
    }


def _found(found: Found, file: str | None) -> dict[str, object]:
    return {
        **asdict(found.fault),
        "layer": found.fault.layer,
        "example": found.example,
        "calls": [asdict(row) for row in found.rows],
        "file": file,
    }
