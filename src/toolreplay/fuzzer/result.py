"""What comes of fuzzing one loop."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from toolreplay.runner.loops import Target

from .case import Case
from .faults import Fault
from .known import Known
from .table import Row


@dataclass(frozen=True)
class Found:
    """A fault, the smallest case that shows it, and the calls of that case.

    Attributes:
        example: the number, from 1, of the example that first showed it.
    """

    fault: Fault
    case: Case
    example: int = 0
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Result:
    """What came of fuzzing one loop on one scenario.

    Attributes:
        target: the loop.
        found: the faults, one for each rule.
        regressions: faults that were found before and are in the project still.
        known: codes that were met, and stopped nothing because they are known or ignored.
        warnings: how often each rule was broken that is a warning.
        examples: cases that were played, those of shrinking counted.
        calls: calls the model asked for; `results` are those whose result was seen on the wire.
        after_failure: cases in which a tool failed and the model side went on as if nothing had happened.
        unplayed: cases that were drawn and not played, because others like them had hung.
    """

    target: Target
    found: tuple[Found, ...] = ()
    regressions: tuple[Known, ...] = ()
    known: frozenset[str] = frozenset()
    warnings: Counter[str] = field(default_factory=Counter)
    examples: int = 0
    calls: int = 0
    results: int = 0
    requests: int = 0
    after_failure: int = 0
    unplayed: int = 0
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether the loop has faults, new or known."""
        return bool(self.found or self.regressions)

    @property
    def checked(self) -> bool:
        """Whether tool calls were seen on the wire at all: a loop that flattens them to text was not checked."""
        return self.results > 0 or not self.calls or self.failed
