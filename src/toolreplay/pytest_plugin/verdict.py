"""A played scenario as pytest sees it: what to report, what to count, where to point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolreplay.report.run_text import MOST_LINES, counts, details, headline
from toolreplay.runner.run import Failure, Outcome, Run

from .tally import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from toolreplay.scenario.model import Scenario

    from .playing import Played


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a scenario.

    Attributes:
        headline: the reason on one line; empty for a pass.
        lines: the reason in full, at most 24 lines.
        line: where in the scenario file it went wrong, from 1.
        facts: what the report carries; plain data, since xdist sends it from process to process.
    """

    outcome: Outcome
    headline: str
    lines: list[str]
    line: int
    facts: Mapping[str, object]


def judge(played: Played, scenario: Scenario) -> Verdict:
    """The verdict on a run. A run that passed without a request checked nothing, and is an ERROR."""
    run = played.run
    outcome, reason, told = run.outcome, headline(run), details(run, most=MOST_LINES - 2)
    if outcome is Outcome.PASS and not run.requests:
        outcome, reason = Outcome.ERROR, "it passed without a request, so nothing was checked"
        told = [reason, "  fix: send through the client that is offered, or any HTTP client"]
    line = _line(run, scenario)
    facts = _facts(run, outcome)
    if played.recorded is not None:
        facts["recorded"] = played.recorded.name
    head = f"{outcome} {scenario.path}:{line}: {scenario.name} ({counts(run)})"
    return Verdict(outcome, reason, [head, *told], line, facts)


def _line(run: Run, scenario: Scenario) -> int:
    """The line of the prompt whose request broke a rule, of the expectation not met, else of the scenario."""
    prompts = {exchange.number: exchange.prompt for exchange in run.exchanges}
    for found in run.findings:
        if found.finding.is_error and found.request in prompts:
            return scenario.line_of("conversation", prompts[found.request] - 1)
    return next((line for failure in run.failures if (line := _line_in(failure, scenario))), scenario.line)


def _line_in(failure: Failure, scenario: Scenario) -> int | None:
    place = failure.where.removeprefix(f"{scenario.path}:")
    return int(place) if place != failure.where and place.isdecimal() else None


def note(item: pytest.Item, run: Run, recorded: Path | None = None) -> None:
    """Put what a session in a user's own test came to in the test's report; several sessions add up."""
    before = {name: value for name, value in item.user_properties if name.startswith(PREFIX)}
    facts = {f"{PREFIX}{name}": value for name, value in _facts(run, run.outcome).items()}
    if recorded is not None:
        facts[f"{PREFIX}recorded"] = recorded.name
    for name, value in facts.items():
        if isinstance(value, int):
            facts[name] = value + int(str(before.get(name, 0)))
    if before.get(f"{PREFIX}outcome", str(Outcome.PASS)) != Outcome.PASS:
        facts[f"{PREFIX}outcome"] = before[f"{PREFIX}outcome"]
    item.user_properties[:] = [pair for pair in item.user_properties if pair[0] not in facts]
    item.user_properties.extend(facts.items())


def _facts(run: Run, outcome: Outcome) -> dict[str, object]:
    return {
        "outcome": str(outcome),
        "requests": run.requests,
        "tool_calls": len(run.calls),
        "findings": len(run.findings),
    }
