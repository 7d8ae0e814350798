"""What a fuzzed run is told of: broken rules, in the layer that they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.finding import Severity
from toolreplay.runner.run import Failure, Outcome, Run, RunFinding

VALIDITY: Final = "validity"
FIDELITY: Final = "fidelity"
OUTCOME: Final = "outcome"
ENDLESS: Final = "TR611"
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
    """

    code: str
    name: str
    where: str
    message: str
    fix: str
    request: int | None = None
    severity: Severity = Severity.ERROR
    api: str = ""

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


def faults_of(run: Run) -> tuple[Fault, ...]:
    """Everything that a run tells of the loop, findings first, in the order of the requests."""
    found = [_of_finding(one) for one in run.findings]
    found += [_of_failure(one) for one in run.failures if one.outcome is Outcome.FAIL]
    return tuple(found)


def crash(message: str, where: str) -> Fault:
    """A loop that raised, or whose process ended."""
    fix = "catch what goes wrong over a call and send it as an error result"
    return Fault("TR609", "loop-crashed", where, message, fix)


def endless(message: str, where: str) -> Fault:
    """A loop that did not come to its end."""
    return Fault(ENDLESS, "loop-endless", where, message, "give waiting for tools and for the model a limit")


def _of_finding(one: RunFinding) -> Fault:
    found = one.finding
    return Fault(
        found.code, found.name, found.path, found.message, found.fix, one.request, found.severity, found.api or ""
    )


def _of_failure(failure: Failure) -> Fault:
    # Generated steps expect nothing, so what else fails a run is an exception, or a conversation beside its own.
    if failure.kind == "raised":
        return crash(failure.message, failure.where)
    rule = all_rules()["TR606"]
    what = "the loop sent a conversation that goes on from nothing it sent before"
    return Fault(rule.code, rule.name, failure.where, what, failure.fix or rule.fix)
