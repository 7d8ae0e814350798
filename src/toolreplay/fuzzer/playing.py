"""Playing one case: in this process, or in one of its own where the case could hang, end or spoil it."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, Final

from toolreplay.runner.cast import Cast
from toolreplay.runner.loops import Target
from toolreplay.runner.play import play_with
from toolreplay.runner.run import Outcome, Run
from toolreplay.runner.script import ScriptSide
from toolreplay.runner.session import LoopStopped

from .case import Case
from .faults import Fault, crash, endless, faults_of
from .table import Row, rows_of

_GRACE: Final = 2.0  # seconds that a child gets to say that it was stopped
# A thread of somebody else's could hold a lock for ever in a forked child. But only a fork carries over a loop that has
# no name to import.
_CAN_FORK: Final = sys.platform not in {"win32", "emscripten", "wasi"}
_MEMORY: Final = 2 << 30  # bytes that a child may take beside what it was started with


@dataclass(frozen=True)
class Played:
    """What came of a case.

    Attributes:
        faults: what is wrong with the loop.
        calls: how many calls the model asked for, and how many results of them were seen on the wire.
        trouble: what is wrong with the harness or the scenario.
        hung: whether the loop had to be stopped.
        rows: the calls, where the player was asked for them.
    """

    faults: tuple[Fault, ...] = ()
    calls: int = 0
    results: int = 0
    requests: int = 0
    trouble: str | None = None
    hung: bool = False
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Player:
    """Plays cases with one loop.

    Args:
        strict: answer a broken request with the API's own 400, instead of the next reply.
        deadline: seconds that a case may take; 0 for no limit.
        in_full: give the calls of each case too.
    """

    target: Target
    strict: bool = False
    deadline: float = 2.0
    in_full: bool = False

    def play(self, case: Case) -> Played:
        """Play a case."""
        return self.apart(case) if case.risky and self._can_be_apart() else self.here(case)

    def unlimited(self) -> Player:
        """The same without a limit."""
        return replace(self, deadline=0.0)

    def patient(self) -> Player:
        """The same with more time, for a verdict on a loop that did not end on a busy machine."""
        return replace(self, deadline=5 * self.deadline)

    def here(self, case: Case) -> Played:
        """Play a case in this process."""
        scenario = case.scenario()
        cast = Cast(scenario)
        with _limit(self.deadline) as stopped, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # coroutines that a broken loop forgets are the loop's own fault
            with suppress(LoopStopped):
                run = play_with(scenario, self.target, ScriptSide(scenario, cast), cast=cast, strict=self.strict)
        return Played((self._endless(case),), hung=True) if stopped else _played(run, in_full=self.in_full)

    def apart(self, case: Case) -> Played:
        """Play a case in a child process."""
        context: Any = multiprocessing.get_context("fork" if _CAN_FORK else "spawn")
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_in_child, args=(theirs, self, case), daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads, see `_CAN_FORK`
            child.start()
        theirs.close()
        try:
            if not ours.poll(self.deadline + _GRACE):
                return Played((self._endless(case),), hung=True)
            found: Played = ours.recv()
        except EOFError:
            child.join()
            what = f"the loop's process ended with exit code {child.exitcode}"
            return Played((crash(what, "the process"),))
        finally:
            child.kill()
            child.join()
            ours.close()
        return found

    def _can_be_apart(self) -> bool:
        """Whether the loop can be carried into another process."""
        if _CAN_FORK:
            return True
        try:
            pickle.dumps(self)
        except (pickle.PicklingError, AttributeError, TypeError):
            return False
        return True

    def _endless(self, case: Case) -> Fault:
        causes = [entry["raise"]["type"] for entry in case.entries() if "raise" in entry]
        after = f" after a tool raised {' and '.join(causes)}" if causes else ""
        return endless(f"the loop did not end within {self.deadline:g} s{after}", "the loop")


def _played(run: Run, *, in_full: bool) -> Played:
    trouble = next((one.message for one in run.failures if one.outcome is Outcome.ERROR), None)
    results = sum(call.result is not None for call in run.calls)
    rows = rows_of(run) if in_full else ()
    return Played(faults_of(run), len(run.calls), results, run.requests, trouble, rows=rows)


def _in_child(pipe: Connection, player: Player, case: Case) -> None:
    _limit_memory()
    pipe.send(player.here(case))
    pipe.close()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (used + _MEMORY, hard))


@contextmanager
def _limit(seconds: float) -> Iterator[list[float]]:
    """Throw `LoopStopped` into the block when its time is over; the list that it gives then holds when.

    Only the main thread can be interrupted, and only where there are signals; elsewhere there is no limit.
    """
    stopped: list[float] = []
    if not seconds or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield stopped
        return

    def ring(_signal: int, _frame: Any) -> None:
        stopped.append(time.monotonic())
        raise LoopStopped(f"the loop did not end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    # Again and again: a loop may catch anything, once.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
    try:
        yield stopped
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
