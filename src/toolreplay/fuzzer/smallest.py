"""What a search hands back: the smallest case of each fault, and whether others will see the fault in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from .case import Case
from .faults import Fault
from .playing import Played, Player
from .result import Found
from .search import MOST_HANGS, Search
from .tidy import lone_calls, tidy
from .worker import Worker


def smallest(player: Player, search: Search, seen: Iterable[Found]) -> Iterator[Found]:
    """The faults that were seen, and the loop that does not end if there was one, each with less around it.

    Two faults that turn out to be of one kind once nothing else is left are one.
    """
    kinds: set[str] = set()
    for one in seen:
        small = tidy(one.case, one.fault.kind, _Patience(search).play)
        found = _in_full(player, search, replace(one, case=small))
        if not found.replays and small.key != one.case.key:
            whole = _in_full(player, search, one)  # `run` is stricter than the search
            found = whole if whole.replays else found
        if found.fault.kind not in kinds:
            kinds.add(found.fault.kind)
            yield found
    hang = _smallest_hang(player, search.hangs)
    if hang is not None:
        yield hang


def _smallest_hang(player: Player, hangs: Iterable[Found]) -> Found | None:
    """The first case in which the loop does not end in much more time either, with less around it where it can."""
    with Worker(player.patient()) as patient:
        for found in hangs:
            for case in (*lone_calls(found.case), found.case):
                played = patient.play(case)
                if played.hung:
                    return replace(found, fault=played.faults[0], case=case)
    return None


def _in_full(player: Player, search: Search, found: Found) -> Found:
    """The fault as the smallest case shows it, with that case's calls; and whether others will see it there."""
    with Worker(replace(player, in_full=True)) as worker:
        played = worker.play(found.case)
    fault = _of_kind(played, found.fault.kind)
    if fault is None:
        return replace(found, rows=played.rows, repeats=False, replays=False)
    case = _allowing(found.case, [one for one in played.faults if one.is_error and search.is_known(one)])
    with Worker(replace(player, strict=True)) as worker:
        replays = _of_kind(worker.play(case), fault.kind) is not None
    shown = frozenset(one.kind for one in played.faults if one.is_error)
    return replace(found, fault=fault, case=case, rows=played.rows, shown=shown, replays=replays)


def _of_kind(played: Played, kind: str) -> Fault | None:
    return next((one for one in played.faults if one.kind == kind), None)


def _allowing(case: Case, known: Iterable[Fault]) -> Case:
    """The case with what is known in it allowed: it would be refused, and end the conversation before the fault."""
    allow = [{"rule": code, "reason": "known when this was found"} for code in sorted({one.code for one in known})]
    return Case({**case.document, "allow": allow}, case.hostile) if allow else case


@dataclass
class _Patience:
    """Plays what is tried while a case is made smaller; after a few that hang, nothing that could."""

    search: Search
    hung: int = 0

    def play(self, case: Case) -> Played:
        """Play a case."""
        if self.hung >= MOST_HANGS and case.risky:
            return Played()
        played = self.search.play(case)
        self.hung += played.hung
        return played
