"""Timing two things against each other, in turn, so that a machine whose speed drifts does not decide.

Processor time, that of child processes too, and not the clock: neither side waits for anything, and other work on the
machine does not count.
"""

from __future__ import annotations

import resource
import statistics
from collections.abc import Callable


def ratio(thing: Callable[[], object], floor: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """Median seconds of the thing, of the floor, and the median of their ratios round by round."""
    thing(), floor()
    pairs = [(_seconds(thing), _seconds(floor)) for _ in range(rounds)]
    things, floors = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return statistics.median(things), statistics.median(floors), statistics.median(a / b for a, b in pairs)


def _seconds(call: Callable[[], object]) -> float:
    started = _spent()
    call()
    return _spent() - started


def _spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
