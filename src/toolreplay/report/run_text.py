"""A run as lines for a terminal or a pytest failure: turn, rule, the API's words and the fix, in 25 lines."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from toolreplay.contract.finding import Severity
from toolreplay.runner.run import Failure, Outcome, Run, RunFinding
from toolreplay.wire.model import Reply

from .printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_LINES: Final = 25
_WIDTH: Final = 400


def summary_line(run: Run) -> str:
    """One line: the outcome, the scenario, turns, calls, requests."""
    return f"{run.outcome:<5} {printable(run.id)}  ({counts(run)}, {run.seconds:.2f} s)"


def counts(run: Run) -> str:
    """`2 turns, 3 calls, 2 requests checked`."""
    parts = (_count(run.turns, "turn"), _count(len(run.calls), "call"), _count(run.requests, "request"))
    return f"{', '.join(parts)} checked"


def headline(run: Run) -> str:
    """Why a run did not pass, on one line: the first of what `details` tells; empty for a clean pass."""
    untrusted = [one for one in run.failures if one.outcome is Outcome.ERROR]
    broken = next((found.finding for found in run.findings if found.finding.is_error), None)
    if broken is not None and not untrusted:
        return _short(f"{broken.code} {broken.name}: {broken.message}")
    return next((line for failure in untrusted or run.failures for line in _failure(failure)), "")


def details(run: Run, *, most: int = MOST_LINES) -> list[str]:
    """Why a run did not pass, or what it passed with; nothing to say for a clean pass.

    What cannot be trusted comes first, then what failed the run, then what did not; at most `most` lines.
    """
    lines = [line for failure in run.failures if failure.outcome is Outcome.ERROR for line in _failure(failure)]
    told: set[str] = set()
    lines += _findings(run, [found for found in run.findings if found.finding.is_error], told)
    lines += [line for failure in run.failures if failure.outcome is not Outcome.ERROR for line in _failure(failure)]
    # A habit worth knowing is no reason to look at a run that passed.
    least = (Severity.WARNING,) if run.outcome is Outcome.PASS else (Severity.WARNING, Severity.INFO)
    lines += _findings(run, [found for found in run.findings if found.finding.severity in least], told)
    lines += [f"note: {_short(note)}" for note in run.notes]
    if len(lines) > most:
        hidden = len(lines) - most + 1
        lines = [*lines[: most - 1], f"... {hidden} more lines; toolreplay run --format json shows all"]
    return lines


def totals(runs: Sequence[Run]) -> str:
    """The last line of a command: how many scenarios came to which outcome, and what was checked."""
    numbers = {outcome: sum(run.outcome is outcome for run in runs) for outcome in Outcome}
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in numbers.items() if number)
    requests, calls = sum(run.requests for run in runs), sum(len(run.calls) for run in runs)
    checked = f"{_count(requests, 'request')} checked, {_count(calls, 'tool call')}"
    return f"{_count(len(runs), 'scenario')}: {outcomes}; {checked}"


def _findings(run: Run, found: Sequence[RunFinding], told: set[str]) -> Iterator[str]:
    """The findings in their order; of one rule in one request the first in full, the others on a line each.

    Args:
        told: the API's words that were printed before, which are not repeated.
    """
    ordered = sorted(found, key=lambda one: _key(one, found))
    for _, group in groupby(ordered, key=lambda one: (one.request, one.finding.code)):
        first, *others = group
        yield from _finding(run, first, told)
        for other in others:
            yield f"  also {printable(other.finding.path)}: {_short(other.finding.message)}"


def _key(one: RunFinding, found: Sequence[RunFinding]) -> int:
    """Where the first finding of the same rule and request stands."""
    return next(
        index
        for index, other in enumerate(found)
        if (other.request, other.finding.code) == (one.request, one.finding.code)
    )


def _finding(run: Run, found: RunFinding, told: set[str]) -> Iterator[str]:
    finding = found.finding
    place = ", ".join(part for part in (_turn(run, found.request), printable(finding.path)) if part)
    yield f"{finding.severity} {finding.code} {finding.name}{f': {place}' if place else ''}"
    yield f"  {_short(finding.message)}"
    if finding.api and finding.api not in told:
        told.add(finding.api)
        yield f"  the API answers 400: {_short(finding.api)}"
    yield f"  fix: {_short(finding.fix)}"


def _turn(run: Run, request: int | None) -> str:
    """The turn that a request opens; with the request's own number where retries make it another."""
    if request is None:
        return ""
    turn = 1 + sum(isinstance(one.reply, Reply) for one in run.exchanges if one.number < request)
    return f"turn {turn}" if turn == request else f"turn {turn}, request {request}"


def _failure(failure: Failure) -> Iterator[str]:
    first, *rest = failure.message.splitlines() or [""]
    told = not failure.where or first.startswith(failure.where.partition(":")[0])
    yield _short(first) if told else f"{printable(failure.where)}: {_short(first)}"
    yield from (f"  {_short(line)}" for line in rest)
    if failure.fix:
        yield f"  fix: {_short(failure.fix)}"


def _short(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
