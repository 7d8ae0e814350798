"""Looking at one case after the other: what is counted, what is raised to Hypothesis, and when hangs are enough."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from toolreplay.contract.finding import Severity

from .case import Case
from .faults import Fault
from .playing import Played, Player
from .result import Found
from .tidy import lone_calls, tidy
from .worker import Worker

_OF_THE_MODEL: Final = frozenset({"TR205", "TR206"})  # calls that the model side was made to ask for
_MOST_HANGS: Final = 3  # each costs its deadline
_WARM_UP: Final = 30.0  # seconds in which a loop imports and builds what it needs once


class Broken(Exception):
    """An example that shows a fault. Each rule has a class of its own, by which Hypothesis tells faults apart."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.fault.message)
        self.found = found


class Stopped(Exception):
    """The harness cannot play the case at all."""


@dataclass
class Search:
    """One search with one player.

    Attributes:
        worker: plays the cases.
        known: codes that stop nothing; `met` are those that were seen.
        told: codes of faults that the sweep has found.
        hangs: cases in which the loop did not end. They are shrunk here and not by Hypothesis, which would ask for
            hundreds.
    """

    player: Player
    worker: Worker
    known: frozenset[str]
    met: set[str] = field(default_factory=set)
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
    _first: dict[str, int] = field(default_factory=dict)  # by code, the number of the example that showed it
    _played: dict[str, Played] = field(default_factory=dict)

    def warm_up(self, plain: Case) -> Found | None:
        """Play the plainest conversation, with much time. A loop that does not end there is not fuzzed."""
        patient = replace(self.player, deadline=_WARM_UP)
        if threading.current_thread() is threading.main_thread():
            played = patient.here(plain)  # so that the children that follow are born with what it imports
        else:  # which nobody can interrupt
            with Worker(patient) as worker:
                played = worker.play(plain)
        return Found(played.faults[0], plain) if played.hung else None

    def sweep(self, cases: Iterable[Case]) -> Iterator[Found]:
        """Play cases as they are, and go on past those that show a fault which was told."""
        for case in cases:
            found = next(self._shown(case), None)
            if found is not None:
                self.told.add(found.fault.code)
                yield found

    def look_at(self, case: Case) -> None:
        """Play a case; raise the first fault that it shows."""
        for found in self._shown(case):
            raise broken(found.fault.code)(found)

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
        self.met.update(self.known.intersection(fault.code for fault in counted))
        if any(fault.code in self.told for fault in counted):
            return  # the rest may follow from it, and is told once that is mended if it does not
        for fault in counted:
            if fault.code in self.known:
                continue
            found = Found(fault, case, self._first.setdefault(fault.code, self.examples))
            if played.hung:
                self.hangs.append(found)
                continue
            self._failing.add(case.key)
            yield found

    def play(self, case: Case) -> Played:
        """Play a case, counted as an example. While faults are shrunk, four of ten cases have been played before."""
        key = case.key if self._failing else ""
        played = self._played.get(key)
        if played is None:
            self.examples += 1
            played = self.worker.play(case)
            if key:
                self._played[key] = played
        return played

    def _is_spared(self, case: Case) -> bool:
        """Whether no more cases like it are played: after a few that hung, those that could; all, where any may."""
        if len(self.hangs) < _MOST_HANGS or case.key in self._failing:
            return False
        return case.risky or not all(found.case.risky for found in self.hangs)

    def found(self, seen: Iterable[Found]) -> Iterator[Found]:
        """Faults that were seen, and the loop that does not end if there was one, each with less around it."""
        yield from (self._in_full(self._smallest(one)) for one in seen)
        hang = self._smallest_hang()
        if hang is not None:
            yield hang

    def _smallest(self, found: Found) -> Found:
        return replace(found, case=tidy(found.case, found.fault.code, _Patience(self).play))

    def _smallest_hang(self) -> Found | None:
        """The first case in which the loop does not end in much more time either, with less around it where it can."""
        with Worker(self.player.patient()) as patient:
            for found in self.hangs:
                for case in (*lone_calls(found.case), found.case):
                    played = patient.play(case)
                    if played.hung:
                        return replace(found, fault=played.faults[0], case=case)
        return None

    def _in_full(self, found: Found) -> Found:
        """The fault as the smallest case shows it, with that case's calls."""
        with Worker(replace(self.player, in_full=True)) as worker:
            played = worker.play(found.case)
        fault = next((one for one in played.faults if one.code == found.fault.code), found.fault)
        return replace(found, fault=fault, rows=played.rows)


@dataclass
class _Patience:
    """Plays what is tried while a case is made smaller; after a few that hang, nothing that could."""

    search: Search
    hung: int = 0

    def play(self, case: Case) -> Played:
        if self.hung >= _MOST_HANGS and case.risky:
            return Played()
        played = self.search.play(case)
        self.hung += played.hung
        return played


@cache
def broken(code: str) -> type[Broken]:
    """The exception class of a rule."""
    return type(f"Broken{code}", (Broken,), {})


def _warns(fault: Fault, case: Case) -> bool:
    return fault.code not in _OF_THE_MODEL and (fault.severity is Severity.WARNING or (case.hostile and fault.is_error))


def _counts(fault: Fault, case: Case) -> bool:
    return fault.is_error and not case.hostile
