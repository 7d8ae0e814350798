"""A limit on the time that a loop may take."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from .session import LoopStopped

_AGAIN: Final = 0.2  # seconds; a loop may catch anything, once
_AT_ONCE: Final = 1e-6  # seconds; none at all would switch the timer off


@dataclass
class Watch:
    """Throws `LoopStopped` into a block when its time is over.

    Only the main thread can be interrupted, and only where there are signals; elsewhere there is no limit. A process
    has one such timer. One that somebody else has set, as pytest-timeout does, rings when the block has ended if it was
    due before: what it raises must not be taken for the loop's doing. Watches within each other ring in their own time.

    Attributes:
        seconds: the time; None for no limit.
        rang: whether it was over.
        keeping: whether the block runs.
    """

    seconds: float | None
    rang: bool = False
    keeping: bool = False
    _due: float = field(default=0.0, init=False, repr=False)
    _around: Watch | None = field(default=None, init=False, repr=False)

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Keep watch over the block."""
        here = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        if self.seconds is None or not here:
            yield
            return
        left, every = signal.setitimer(signal.ITIMER_REAL, 0)  # so that nothing rings until all is in its place
        started = time.monotonic()
        before = signal.signal(signal.SIGALRM, self._ring)
        around = getattr(before, "__self__", None)
        self._around = around if isinstance(around, Watch) else None
        self._due = started + self.seconds
        self.keeping = True
        try:
            signal.setitimer(signal.ITIMER_REAL, max(self.next_bell() - started, _AT_ONCE), _AGAIN)
            yield
        finally:
            self.keeping = False  # a bell that rings from here on finds nobody
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if left:
                signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - started), _AT_ONCE), every)

    def next_bell(self) -> float:
        """When it rings, or one around it does; in seconds of the monotonic clock."""
        return min(self._due, self._around.next_bell()) if self._around is not None else self._due

    def _ring(self, _signal: int, frame: FrameType | None) -> None:
        # Python drops what is raised in a callback of its garbage collector, and says so: better at the next bell.
        collecting = frame is not None and frame.f_code.co_name == "gc_callback"
        if self.keeping and not collecting:
            self.ring(time.monotonic())

    def ring(self, now: float) -> None:
        """Throw if the time is over; the outermost watch first, since it ends the most.

        Raises:
            LoopStopped: it is.
        """
        if self._around is not None:
            self._around.ring(now)
        if now >= self._due:
            self.rang = True
            raise LoopStopped(f"the loop did not end within {self.seconds:g} s")
