"""What came of playing a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toolreplay.contract.finding import Finding, Severity
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import ApiError, Reply


class Outcome(StrEnum):
    """How a run ended. In an exit code a FAIL outweighs an ERROR, and an ERROR a STALE."""

    PASS = "PASS"  # noqa: S105  (no password)
    FAIL = "FAIL"
    STALE = "STALE"
    SKIP = "SKIP"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class CallResult:
    """What was sent for a call: `success` or `error`, and the content as sent."""

    status: str
    content: object


@dataclass(frozen=True, slots=True)
class Call:
    """One call the model asked for.

    Attributes:
        ran: whether the tool was run.
        did: what it did, in words: `raised: no such city`; "" where it was not run.
        result: what was sent for it; None when nothing was.
        turn: the reply that asked for it, from 1 over the whole run.
    """

    id: str | None
    name: str | None
    input: object
    ran: bool
    result: CallResult | None
    turn: int
    did: str = ""


@dataclass(frozen=True, slots=True)
class RunFinding:
    """A finding and the request it was found in, counted from 1; None for a finding on the whole run."""

    finding: Finding
    request: int | None

    @property
    def code(self) -> str:
        """See `Finding`, as for the other fields."""
        return self.finding.code

    @property
    def name(self) -> str:
        """See `Finding`."""
        return self.finding.name

    @property
    def severity(self) -> Severity:
        """See `Finding`."""
        return self.finding.severity

    @property
    def path(self) -> str:
        """See `Finding`."""
        return self.finding.path

    @property
    def message(self) -> str:
        """See `Finding`."""
        return self.finding.message

    @property
    def fix(self) -> str:
        """See `Finding`."""
        return self.finding.fix


@dataclass(frozen=True)
class RunExchange:
    """One request of the loop and what it was answered.

    Attributes:
        number: from 1 over the whole run.
        prompt: the prompt it belongs to, from 1.
        reply: the answer parsed; None where it is no reply of a model.
        checked: whether it was judged; a count of tokens is no conversation and was not.
        agent: the sub-agent whose conversation it belongs to; "" for the scenario's own.
        served: False when the harness itself answered, with a refusal or a miss.
    """

    number: int
    prompt: int
    request: HttpRequest
    response: HttpResponse
    reply: Reply | ApiError | None
    served: bool = True
    agent: str = ""
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """Something else than a broken rule: an expectation that was not met, a miss, a broken file.

    Attributes:
        outcome: what it makes of the run: FAIL, STALE, SKIP or ERROR.
        where: file and line, or the part of the run.
        kind: tells apart what callers treat apart: `no cassette`, `raised`, `miss`, `undeclared`.
    """

    outcome: Outcome
    where: str
    message: str
    fix: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """A result that differs from the recorded one."""

    id: str | None
    name: str | None
    recorded: str
    now: str


@dataclass(frozen=True)
class Run:
    """A played scenario.

    Attributes:
        id: `scenarios/weather.yaml::two cities`.
        findings: the broken rules, in the order of the requests.
        failures: everything else that kept the run from passing.
        exchanges: what went over the wire, in order.
        calls: every call the model asked for, in order.
        allowed: findings that the scenario allows, with a reason.
        notes: what is worth knowing and no fault: a model whose days are numbered.
        drift: results that differ from those recorded, where the model was replayed and the tools were others.
        raised: what left the loop and was not expected to, `LookupError: no city`; else None.
        raised_by_tool: whether that is a tool's own exception, or was raised because of one.
    """

    id: str
    outcome: Outcome
    findings: tuple[RunFinding, ...] = ()
    failures: tuple[Failure, ...] = ()
    exchanges: tuple[RunExchange, ...] = ()
    calls: tuple[Call, ...] = ()
    allowed: tuple[RunFinding, ...] = ()
    drift: tuple[Drift, ...] = ()
    notes: tuple[str, ...] = ()
    raised: str | None = None
    raised_by_tool: bool = False
    seconds: float = 0.0

    @property
    def turns(self) -> int:
        """How many replies of the model were served."""
        return sum(1 for exchange in self.exchanges if isinstance(exchange.reply, Reply))

    @property
    def requests(self) -> int:
        """How many requests were checked."""
        return sum(exchange.checked for exchange in self.exchanges)


def outcome_of(findings: tuple[RunFinding, ...], failures: tuple[Failure, ...]) -> Outcome:
    """The outcome that the findings and failures of one run add up to."""
    outcomes = {failure.outcome for failure in failures}
    if Outcome.ERROR in outcomes:
        return Outcome.ERROR  # the harness is broken: what else was seen cannot be trusted
    if any(found.finding.is_error for found in findings):
        return Outcome.FAIL
    return next((one for one in (Outcome.FAIL, Outcome.STALE, Outcome.SKIP) if one in outcomes), Outcome.PASS)


def exit_code(outcomes: list[Outcome]) -> int:
    """The exit code of a command that came to these outcomes: 1 any FAIL, 3 any ERROR or nothing run, 4 any STALE."""
    if Outcome.FAIL in outcomes:
        return 1
    if Outcome.ERROR in outcomes or not set(outcomes) - {Outcome.SKIP}:
        return 3
    return 4 if Outcome.STALE in outcomes else 0
