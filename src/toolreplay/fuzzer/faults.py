"""What a fuzzed run is told of: broken rules, in the layer that they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.finding import Severity
from toolreplay.runner.run import Failure, Run, RunFinding

from .case import Case

VALIDITY: Final = "validity"
FIDELITY: Final = "fidelity"
OUTCOME: Final = "outcome"
ENDLESS: Final = "TR611"
CRASHED: Final = "TR609"
THE_PROCESS: Final = "the process"
"""Where a fault is that ended the process of the loop."""
LAYERS: Final = (VALIDITY, FIDELITY, OUTCOME)
# The rules that tell how a run ended; the other TR6xx tell whether what was sent is what happened.
_ENDINGS: Final = frozenset({"TR609", "TR610", "TR611"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with the loop.

    Attributes:
        code: the rule's; `TR609` for an exception of the loop's own, `TR611` for one that does not end.
        where: the place in the request, or the turn.
        api: what the API answers, where it refuses.
        request: the request it was found in, from 1; None for the run as a whole.
        cause: what an exception came of: `a tool`, `a value` that cannot be sent, or the exception's name.
    """

    code: str
    name: str
    where: str
    message: str
    fix: str
    request: int | None = None
    severity: Severity = Severity.ERROR
    api: str = ""
    cause: str = ""

    @property
    def kind(self) -> str:
        """What faults are told apart by: the rule, and of crashes the cause."""
        return f"{self.code} {self.cause}" if self.cause else self.code

    @property
    def is_error(self) -> bool:
        """Whether it fails the loop; a warning does not."""
        return self.severity is Severity.ERROR

    @property
    def layer(self) -> str:
        """`validity` of a request, `fidelity` to what happened, or the `outcome` of the loop."""
        if self.code in _ENDINGS:
            return OUTCOME
        return FIDELITY if self.code.startswith("TR6") else VALIDITY


def faults_of(run: Run, case: Case) -> tuple[Fault, ...]:
    """Everything that a run tells of the loop, findings first, in the order of the requests."""
    cause = _cause(run, case)
    found = [_of_finding(one, cause) for one in run.findings]
    for failure in run.failures:
        if failure.kind == "raised":
            found.append(crash(failure.message, failure.where, cause))
        elif failure.kind == "undeclared":
            found.append(_rewritten(failure))
    return tuple(found)


def _cause(run: Run, case: Case) -> str:
    """What an exception came of. Those of one cause are one fault, whatever they are called."""
    if run.raised_by_tool:
        return "a tool"
    if any("garbage" in case.entry_for(call.name, call.input) for call in run.calls if call.ran and call.name):
        return "a value"
    return (run.raised or "").partition(":")[0]


def crash(message: str, where: str, cause: str = "") -> Fault:
    """A loop that raised, or whose process ended."""
    fix = "catch what goes wrong over a call and send it as an error result"
    return Fault(CRASHED, "loop-crashed", where, message, fix, cause=cause)


def endless(message: str, where: str) -> Fault:
    """A loop that did not come to its end."""
    return Fault(ENDLESS, "loop-endless", where, message, "give waiting for tools and for the model a limit")


def _of_finding(one: RunFinding, cause: str) -> Fault:
    found = one.finding
    return Fault(
        code=found.code,
        name=found.name,
        where=found.path,
        message=found.message,
        fix=found.fix,
        request=one.request,
        severity=found.severity,
        api=found.api or "",
        cause=cause if found.code == CRASHED else "",
    )


def _rewritten(failure: Failure) -> Fault:
    rule = all_rules()["TR606"]
    what = "the loop sent a conversation that goes on from nothing it sent before"
    return Fault(rule.code, rule.name, failure.where, what, rule.fix)
