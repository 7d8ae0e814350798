"""What comes of fuzzing one loop."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from toolreplay.runner.loops import Target

from .case import Case
from .faults import Fault
from .table import Row


@dataclass(frozen=True)
class Found:
    """A fault, the smallest case that shows it, and the calls of that case.

    Attributes:
        example: the number, from 1, of the example that first showed it.
        shown: the kinds of all errors that the smallest case shows; what is not the fault itself follows from it.
        repeats: whether it showed when the smallest case was played once more; else it depends on time or chance.
        replays: whether it shows under `toolreplay run` too, where the API's refusals end a conversation early.
    """

    fault: Fault
    case: Case
    example: int = 0
    rows: tuple[Row, ...] = ()
    shown: frozenset[str] = frozenset()
    repeats: bool = True
    replays: bool = True


@dataclass(frozen=True)
class Known:
    """A regression that still fails.

    Attributes:
        path: its file, as messages show it.
        kinds: the kinds of fault that its run shows.
    """

    path: str
    kinds: frozenset[str]

    @property
    def codes(self) -> frozenset[str]:
        """The rules that its run breaks."""
        return frozenset(kind.partition(" ")[0] for kind in self.kinds)


@dataclass(frozen=True)
class Result:
    """What came of fuzzing one loop on one scenario.

    Attributes:
        target: the loop.
        found: the faults, one for each rule.
        regressions: faults that were found before and are in the project still.
        known: codes that were met, and stopped nothing because they are known or ignored.
        again: codes that were met and told of another scenario before.
        warnings: how often each rule was broken that is a warning.
        examples: cases that were played, those of shrinking counted.
        calls: calls the model asked for; `results` are those whose result was seen on the wire.
        after_failure: cases in which a tool failed and the model side went on as if nothing had happened.
        unplayed: cases that were drawn and not played, because others like them had hung.
        notes: what is worth knowing and no fault: that a recording could not be used.
    """

    target: Target
    found: tuple[Found, ...] = ()
    regressions: tuple[Known, ...] = ()
    known: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    warnings: Counter[str] = field(default_factory=Counter)
    examples: int = 0
    calls: int = 0
    results: int = 0
    requests: int = 0
    after_failure: int = 0
    unplayed: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether the loop has faults, new or known."""
        return bool(self.found or self.regressions or self.again)

    @property
    def checked(self) -> bool:
        """Whether tool calls were seen on the wire at all: a loop that flattens them to text was not checked."""
        return self.results > 0 or not self.calls or self.failed
