"""Runs as the JSON of `run --format json`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from toolreplay.runner.run import Outcome, Run, RunFinding

if TYPE_CHECKING:
    from collections.abc import Sequence


def runs_json(runs: Sequence[Run]) -> dict[str, object]:
    """`{"scenarios": [...], "counts": {...}}`; counts has every outcome, in lower case."""
    return {
        "scenarios": [_run(run) for run in runs],
        "counts": {outcome.lower(): sum(run.outcome is outcome for run in runs) for outcome in Outcome},
    }


def _run(run: Run) -> dict[str, object]:
    return {
        "id": run.id,
        "outcome": run.outcome,
        "turns": run.turns,
        "tool_calls": len(run.calls),
        "requests": run.requests,
        "findings": [_finding(found) for found in run.findings],
        "failures": [
            {
                "outcome": failure.outcome,
                "where": failure.where,
                "message": failure.message,
                "fix": failure.fix,
            }
            for failure in run.failures
        ],
        "notes": list(run.notes),
        "seconds": round(run.seconds, 4),
    }


def _finding(found: RunFinding) -> dict[str, object]:
    return {**dataclasses.asdict(found.finding), "request": found.request}
