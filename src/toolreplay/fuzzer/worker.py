"""A child process that plays cases: a loop that hangs, ends its process or eats memory takes the child and not us."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from .case import Case
from .faults import THE_PROCESS, crash
from .playing import Played, Player, silence

_GRACE: Final = 2.0  # seconds that a child gets to say that the loop was stopped
_MEMORY: Final = 2 << 30  # bytes that a child may take beside what it was started with
# A thread of somebody else's could hold a lock for ever in a forked child. But only a fork carries over a loop that has
# no name to import.
_CAN_FORK: Final = sys.platform not in {"win32", "emscripten", "wasi"}


class Worker:
    """Plays cases in a child, one after the other. A child that may be spoiled is replaced.

    Where there is no fork, and the loop cannot be carried into another process, cases are played in this one.
    """

    def __init__(self, player: Player) -> None:
        self._player = player
        self._context: Any = multiprocessing.get_context("fork" if _CAN_FORK else "spawn")
        self._child: Any = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._let_go()

    def play(self, case: Case) -> Played:
        """Play a case.

        Raises:
            ValidationError: it is none.
        """
        case.scenario()  # what is wrong with the case itself is told here, and not by a child that dies of it
        pipe = self._started()
        if pipe is None:
            return self._player.here(case)
        try:
            pipe.send(case)
            if not pipe.poll(self._player.deadline + _GRACE):
                self._let_go()
                return self._player.hung(case)
            found: Played | Exception = pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._child.join()
            what = _ended(self._child.exitcode)
            self._let_go()
            return Played((crash(what, THE_PROCESS),))
        if isinstance(found, Exception):
            self._let_go()
            raise found
        if found.hung or case.risky:
            self._let_go()
        return found

    def _started(self) -> Connection | None:
        if self._child is not None or not (_CAN_FORK or _is_portable(self._player)):
            return self._pipe
        ours, theirs = self._context.Pipe()
        # Not a daemon: those may have no children, and tools that start processes are no fault.
        self._child = self._context.Process(target=_serve, args=(theirs, self._player, ours if _CAN_FORK else None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: see `_CAN_FORK`
            self._child.start()
        theirs.close()
        self._pipe = ours
        return self._pipe

    def _let_go(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.join()
        if self._pipe is not None:
            self._pipe.close()
        self._child = self._pipe = None


def _is_portable(player: Player) -> bool:
    try:
        pickle.dumps(player)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _ended(code: int) -> str:
    if code < 0:
        why = "killed, as where memory is out" if -code == signal.SIGKILL else signal.Signals(-code).name
        return f"the loop's process was ended by a signal ({why})"
    return f"the loop's process ended with exit code {code}"


def _serve(pipe: Connection, player: Player, other_end: Connection | None) -> None:
    """What the child does: play what it is given, until nobody gives any more.

    Args:
        other_end: the parent's end, which a fork copies. While it is open here, the child does not see the parent go.
    """
    if other_end is not None:
        other_end.close()
    gc.freeze()  # else its first collection writes to, and so copies, every page that it was born with
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the parent to hear
    # What a loop prints it prints hundreds of times.
    sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open as long as the child)
    _limit_memory()
    while True:
        try:
            case: Case = pipe.recv()
        except EOFError:
            return
        try:
            with silence():
                found: Played | Exception = player.here(case)
        except Exception as error:  # noqa: BLE001  (a fault of ours must not look like a loop that died)
            found = RuntimeError(f"{type(error).__name__}: {error}")
        pipe.send(found)


def peak_memory() -> int:
    """The bytes that this process has held at most. getrusage(2) counts them as bytes on macOS, else in kB."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    most = peak_memory() + _MEMORY
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    stricter = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([most, *stricter]), hard))
