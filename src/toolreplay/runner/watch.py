"""A limit on the time that a loop may take."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from .session import LoopStopped


@dataclass
class Watch:
    """Throws `LoopStopped` into a block when its time is over.

    Only the main thread can be interrupted, and only where there are signals; elsewhere there is no limit.

    Attributes:
        seconds: the time; None for no limit.
        rang: whether it was over.
        keeping: whether the block runs.
    """

    seconds: float | None
    rang: bool = False
    keeping: bool = False

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Keep watch over the block."""
        here = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        if self.seconds is None or not here:
            yield
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        self.keeping = True
        # Again and again: a loop may catch anything, once.
        signal.setitimer(signal.ITIMER_REAL, self.seconds, 0.2)
        try:
            yield
        finally:
            self.keeping = False  # a bell that rings from here on finds nobody
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _ring(self, _signal: int, frame: FrameType | None) -> None:
        # Python drops what is raised in a callback of its garbage collector, and says so: better at the next bell.
        collecting = frame is not None and frame.f_code.co_name == "gc_callback"
        if self.keeping and not collecting:
            self.rang = True
            raise LoopStopped(f"the loop did not end within {self.seconds:g} s")
