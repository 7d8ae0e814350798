"""What came of a run: the contract's rules, what went wrong on the way, and the scenario's expectations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from toolreplay.contract.facts import CallFacts, RunFacts
from toolreplay.scenario.model import Scenario
from toolreplay.wire.model import Reply

from .alive import clients_alive
from .drift import drift_of
from .expectations import check_expectations
from .facts import call_facts, judge_run, public_calls
from .miss import Miss
from .run import Failure, Outcome, Run, RunFinding, outcome_of
from .session import Session
from .sides import ModelSide
from .toolbox import Toolbox


@dataclass
class Ending:
    """How the loop came to its end.

    Attributes:
        step: the step of the conversation that was played last, from 1.
        raised: what left the loop, `ValueError: no such key`; None when it returned.
        crashed_by_tool: the same, where it was a tool's own exception.
        left: the steps that an exception left and that is no crash: a tool's KeyboardInterrupt, SystemExit or
            cancellation, or any where the step allows it.
        stopped: why the loop was stopped; None where it ended by itself.
        nothing_pending: whether a decision was to be made and no call was waiting for one.
    """

    step: int = 0
    raised: str | None = None
    crashed_by_tool: str | None = None
    left: set[int] = field(default_factory=set)
    stopped: str | None = None
    nothing_pending: bool = False


def verdict(scenario: Scenario, session: Session, toolbox: Toolbox, ending: Ending, side: ModelSide) -> Run:
    """Judge a run that has ended."""
    facts = call_facts(session, toolbox.log, ending.left)
    run_facts = RunFacts(
        calls=facts,
        turns=sum(isinstance(exchange.reply, Reply) for exchange in session.exchanges),
        crashed=ending.raised if ending.crashed_by_tool or _raised_with_calls_open(session, facts) else None,
        refused=session.refused,
        over_limit=scenario.max_turns if session.over_limit else None,
        stopped=ending.stopped,
        pending_expected=_leaves_calls_open(scenario, ending.step),
    )
    found = [*session.findings, *(RunFinding(finding, None) for finding in judge_run(session, run_facts))]
    allowed = {entry.rule for entry in scenario.allow}
    findings = tuple(one for one in found if one.finding.code not in allowed)
    failures = _on_the_way(scenario, session, toolbox, ending, crashed=run_facts.crashed is not None)
    if not failures and not any(one.finding.is_error for one in findings):
        # What the loop was asked for is compared only when nothing broke on the way, else it repeats the cause.
        failures = check_expectations(scenario, session, facts, ending.step)
        failures = failures or tuple(Failure(Outcome.FAIL, _where(scenario), line) for line in side.left_over())
    return Run(
        id=scenario.id,
        outcome=outcome_of(findings, failures),
        findings=findings,
        failures=failures,
        exchanges=tuple(session.exchanges),
        calls=public_calls(facts),
        allowed=tuple(one for one in found if one.finding.code in allowed),
        drift=drift_of(side, facts),
        raised=ending.raised,
        raised_by_tool=ending.crashed_by_tool is not None,
    )


def _leaves_calls_open(scenario: Scenario, step: int) -> bool:
    expect = scenario.conversation[step - 1].expect if step else None
    return expect is not None and (bool(expect.pending) or expect.stop_reason == "tool_use")


def _raised_with_calls_open(session: Session, facts: Sequence[CallFacts]) -> bool:
    """Whether the loop went wrong over calls that it had been asked for, and not over an answer of the harness."""
    return not session.refused and any(call.left_open for call in facts)


def _on_the_way(
    scenario: Scenario, session: Session, toolbox: Toolbox, ending: Ending, *, crashed: bool
) -> tuple[Failure, ...]:
    where = _where(scenario)
    failures = [Failure(Outcome.ERROR, where, text) for text in (*session.troubles, *toolbox.troubles)]
    again = f"if the change is meant, record again: toolreplay record {scenario.path}" if not scenario.scripted else ""
    failures += [_missed(miss, again) for miss in session.misses]
    failures += [
        Failure(
            Outcome.FAIL, where, f"{label} is none that the scenario has; declare it under subagents", kind="undeclared"
        )
        for label in session.undeclared
    ]
    if ending.nothing_pending:
        line = scenario.line_of("conversation", ending.step - 1)
        text = "no call was waiting for the approval that this step gives"
        failures.append(Failure(Outcome.FAIL, f"{scenario.path}:{line}", text))
    failures += _unraised(scenario, ending)
    if ending.raised is not None and not session.refused and not crashed:
        what = f"the loop raised {ending.raised}"
        failures.append(Failure(Outcome.FAIL, f"prompt {ending.step}", what, kind="raised"))
    elif not session.misses and not any(exchange.checked for exchange in session.exchanges):
        text = "the loop sent no request that toolreplay could see, so nothing was checked"
        fix = "send through the client that is offered, or any HTTP client without a transport of its own"
        failures.append(Failure(Outcome.ERROR, where, text, f"{fix}; {clients_alive()}"))
    return tuple(failures)


def _missed(miss: Miss, again: str) -> Failure:
    outcome = Outcome.STALE if miss.stale else Outcome.FAIL
    return Failure(outcome, f"request {miss.number}", miss.text, miss.fix or again, kind="miss")


def _unraised(scenario: Scenario, ending: Ending) -> Iterator[Failure]:
    """The steps that were to end in an exception and did not."""
    for index, step in enumerate(scenario.conversation[: ending.step]):
        must = step.expect is not None and step.expect.raises == "must"
        if must and index + 1 not in ending.left and ending.raised is None:
            line = scenario.line_of("conversation", index, "expect", "raises")
            yield Failure(Outcome.FAIL, f"{scenario.path}:{line}", "the loop was to raise, and returned")


def _where(scenario: Scenario) -> str:
    return f"{scenario.path}:{scenario.line}"
