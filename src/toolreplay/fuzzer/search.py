"""Looking at one case after the other: what is counted, what is raised to Hypothesis, and when hangs are enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from toolreplay.contract.finding import Severity

from .case import Case
from .faults import Fault
from .playing import Played
from .result import Found
from .worker import Worker

_OF_THE_MODEL: Final = frozenset({"TR205", "TR206"})  # calls that the model side was made to ask for
MOST_HANGS: Final = 3  # each costs its deadline


class Broken(Exception):
    """An example that shows a fault. Each kind has a class of its own, by which Hypothesis tells faults apart."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.fault.message)
        self.found = found


class Stopped(Exception):
    """The harness cannot play the case at all."""


@dataclass
class Search:
    """One search.

    Attributes:
        worker: plays the cases.
        ignored: codes of rules that stop nothing.
        known: kinds of fault that stop nothing.
        met: the known and ignored faults that were seen, by kind.
        told: kinds of fault that the sweep has found.
        watch: is told how many examples were played so far.
        hangs: cases in which the loop did not end. They are shrunk by ourselves and not by Hypothesis, which would ask
            for hundreds.
    """

    worker: Worker
    ignored: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    watch: Callable[[int], None] | None = None
    met: dict[str, Fault] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    hangs: list[Found] = field(default_factory=list)
    warnings: Counter[str] = field(default_factory=Counter)
    examples: int = 0
    calls: int = 0
    results: int = 0
    requests: int = 0
    after_failure: int = 0
    unplayed: int = 0
    _failing: set[str] = field(default_factory=set)
    _first: dict[str, int] = field(default_factory=dict)  # by kind, the number of the example that showed it
    _played: dict[str, Played] = field(default_factory=dict)

    def sweep(self, cases: Iterable[Case]) -> Iterator[Found]:
        """Play cases as they are, and go on past those that show a fault which was told."""
        for case in cases:
            found = next(self._shown(case), None)
            if found is not None:
                self.told.add(found.fault.kind)
                yield found

    def look_at(self, case: Case) -> None:
        """Play a case; raise the first fault that it shows."""
        for found in self._shown(case):
            raise broken(found.fault.kind)(found)

    def is_known(self, fault: Fault) -> bool:
        """Whether a fault stops nothing."""
        return fault.code in self.ignored or fault.kind in self.known

    def play(self, case: Case) -> Played:
        """Play a case, counted as an example. While faults are shrunk, four of ten cases have been played before."""
        key = case.key if self._failing else ""
        played = self._played.get(key)
        if played is None:
            self.examples += 1
            if self.watch is not None:
                self.watch(self.examples)
            played = self.worker.play(case)
            if key:
                self._played[key] = played
        return played

    def _shown(self, case: Case) -> Iterator[Found]:
        """Play a case and count it; give what it shows that stops the search. What hung is kept for later."""
        if self._is_spared(case):
            self.unplayed += 1
            return
        played = self.play(case)
        self.calls += played.calls
        self.results += played.results
        self.requests += played.requests
        self.after_failure += played.failed
        if played.trouble is not None:
            raise Stopped(played.trouble)
        self.warnings.update(one.code for one in played.faults if _warns(one, case))
        counted = [fault for fault in played.faults if _counts(fault, case)]
        self.met.update((fault.kind, fault) for fault in counted if self.is_known(fault))
        if any(fault.kind in self.told for fault in counted):
            return  # the rest may follow from it, and is told once that is mended if it does not
        for fault in counted:
            if self.is_known(fault):
                continue
            found = Found(fault, case, self._first.setdefault(fault.kind, self.examples))
            if played.hung:
                self.hangs.append(found)
                continue
            self._failing.add(case.key)
            yield found

    def _is_spared(self, case: Case) -> bool:
        """Whether no more cases like it are played: after a few that hung, those that could; all, where any may."""
        if len(self.hangs) < MOST_HANGS or case.key in self._failing:
            return False
        return case.risky or not all(found.case.risky for found in self.hangs)


@cache
def broken(kind: str) -> type[Broken]:
    """The exception class of a kind of fault."""
    return type(f"Broken {kind}", (Broken,), {})


def _warns(fault: Fault, case: Case) -> bool:
    return fault.code not in _OF_THE_MODEL and (fault.severity is Severity.WARNING or (case.hostile and fault.is_error))


def _counts(fault: Fault, case: Case) -> bool:
    return fault.is_error and not case.hostile
