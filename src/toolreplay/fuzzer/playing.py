"""Playing one case, with a limit on its time."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from toolreplay.contract.facts import Did
from toolreplay.errors import ToolreplayError
from toolreplay.runner.cast import Cast
from toolreplay.runner.loops import Target
from toolreplay.runner.play import play_with
from toolreplay.runner.run import Outcome, Run
from toolreplay.runner.script import ScriptSide
from toolreplay.runner.session import LoopStopped
from toolreplay.runner.watch import Watch

from .case import Case
from .faults import Fault, endless, faults_of
from .table import Row, rows_of

_FAILURES: Final = (str(Did.RAISED), str(Did.FAILED), str(Did.INTERRUPTED))


@dataclass(frozen=True)
class Played:
    """What came of a case.

    Attributes:
        faults: what is wrong with the loop.
        calls: how many calls the model asked for, and how many results of them were seen on the wire.
        trouble: what is wrong with the harness or the scenario.
        failed: whether a tool failed.
        hung: whether the loop had to be stopped.
        rows: the calls, where the player was asked for them.
    """

    faults: tuple[Fault, ...] = ()
    calls: int = 0
    results: int = 0
    requests: int = 0
    trouble: str | None = None
    failed: bool = False
    hung: bool = False
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Player:
    """Plays cases with one loop.

    Args:
        strict: answer a broken request with the API's own 400, instead of the next reply.
        deadline: seconds that a case may take.
        in_full: give the calls of each case too.
    """

    target: Target
    strict: bool = False
    deadline: float = 2.0
    in_full: bool = False

    def patient(self) -> Player:
        """The same with more time, for a verdict on a loop that did not end on a busy machine."""
        return replace(self, deadline=5 * self.deadline)

    def here(self, case: Case) -> Played:
        """Play a case in this process; a loop that swallows everything, or that is called in a thread, may hang it."""
        scenario = case.scenario()
        cast = Cast(scenario)
        watch = Watch(self.deadline)
        with warnings.catch_warnings(), suppress(LoopStopped):
            warnings.simplefilter("ignore")  # coroutines that a broken loop forgets are the loop's own fault
            try:
                with watch.keep():
                    run = play_with(scenario, self.target, ScriptSide(scenario, cast), cast=cast, strict=self.strict)
            except ToolreplayError as error:  # the loop does not speak the wire, or asks for what is not offered
                return Played(trouble=str(error))
        return self.hung(case) if watch.rang else _played(run, case, in_full=self.in_full)

    def hung(self, case: Case) -> Played:
        """What comes of a case in which the loop had to be stopped."""
        causes = [entry["raise"]["type"] for entry in case.entries() if "raise" in entry]
        after = f" after a tool raised {' and '.join(causes)}" if causes else ""
        return Played((endless(f"the loop did not end within {self.deadline:g} s{after}", "the loop"),), hung=True)


def _played(run: Run, case: Case, *, in_full: bool) -> Played:
    trouble = next((one.message for one in run.failures if one.outcome is Outcome.ERROR), None)
    results = sum(call.result is not None for call in run.calls)
    rows = rows_of(run) if in_full else ()
    failed = any(call.did.startswith(_FAILURES) for call in run.calls)
    return Played(faults_of(run, case), len(run.calls), results, run.requests, trouble, failed, rows=rows)


@contextmanager
def silence() -> Iterator[None]:
    """Have nothing logged: what loops and SDKs say of every injected failure nobody wants to read a hundred times."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
