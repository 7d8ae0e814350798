"""A run as lines for a terminal or a pytest failure: at most 25, with the turn, the rule, the API's words and the fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ..runner.run import Failure, Outcome, Run, RunFinding

MOST_LINES: Final = 25
_WIDTH: Final = 400


def summary_line(run: Run) -> str:
    """One line: the outcome, the scenario, turns, calls, requests."""
    counts = f"{_count(run.turns, 'turn')}, {_count(len(run.calls), 'call')}, {_count(run.requests, 'request')} checked"
    return f"{run.outcome:<5} {run.id}  ({counts}, {run.seconds:.2f} s)"


def details(run: Run) -> list[str]:
    """Why a run did not pass, or what it passed with; nothing to say for a clean pass."""
    lines = [line for found in _worst_first(run.findings) for line in _finding(found)]
    for failure in run.failures:
        lines += _failure(failure)
    if len(lines) > MOST_LINES:
        hidden = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES - 1], f"... {hidden} more lines; see --format json"]
    return lines


def totals(runs: Sequence[Run]) -> str:
    """The last line of a command: how many scenarios came to which outcome, and what was checked."""
    counts = ", ".join(f"{sum(run.outcome is one for run in runs)} {one}" for one in Outcome if any(run.outcome is one for run in runs))
    requests, calls = sum(run.requests for run in runs), sum(len(run.calls) for run in runs)
    return f"{_count(len(runs), 'scenario')}: {counts}; {_count(requests, 'request')} checked, {_count(calls, 'tool call')}"


def _worst_first(findings: Iterable[RunFinding]) -> list[RunFinding]:
    return sorted(findings, key=lambda found: not found.finding.is_error)


def _finding(found: RunFinding) -> Iterator[str]:
    finding = found.finding
    where = f"request {found.request}, {finding.path}" if found.request is not None else finding.path
    yield f"{finding.severity} {finding.code} {finding.name}: {where}"
    yield f"  {_short(finding.message)}"
    if finding.api:
        yield f"  the API answers 400: {_short(finding.api)}"
    yield f"  fix: {_short(finding.fix)}"


def _failure(failure: Failure) -> Iterator[str]:
    first, *rest = failure.message.splitlines() or [""]
    yield f"{failure.where}: {_short(first)}" if not first.startswith(failure.where.partition(":")[0]) else _short(first)
    yield from (f"  {_short(line)}" for line in rest)
    if failure.fix:
        yield f"  fix: {failure.fix}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
