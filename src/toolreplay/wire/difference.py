"""One thing in which two conversations differ, in words, and where two JSON values part."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .model import MISSING, Missing
from .sameness import same_json
from .words import contrast, value_words, visible

Keys: TypeAlias = Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs. The first side is called recorded, the second one now.

    Attributes:
        turn: a request and its reply, from 1: the results of a call are in the turn whose request sends them. None
            for what is not said in a turn, such as `system`.
        what: `result of get_weather for Oslo`.
        recorded: the value on the first side, on one line and cut to what matters; None where it has none.
        now: the same of the second side.
    """

    turn: int | None
    what: str
    recorded: str | None
    now: str | None

    @property
    def place(self) -> str:
        """`turn 3, result of get_weather for Oslo`."""
        return self.what if self.turn is None else f"turn {self.turn}, {self.what}"

    def __str__(self) -> str:
        return f"{self.place}: recorded {_quoted(self.recorded)}, now {_quoted(self.now)}"


def differ(turn: int | None, what: str, recorded: object, now: object) -> Difference:
    """The difference of two values, shown around the first character in which they differ; MISSING is no value."""
    first, second = contrast(value_words(recorded), value_words(now))
    return Difference(
        turn, what, None if isinstance(recorded, Missing) else first, None if isinstance(now, Missing) else second
    )


def json_differences(turn: int | None, what: str, recorded: object, now: object) -> Iterator[Difference]:
    """The fields in which two JSON values differ, each by its path: `call of get_weather, city`."""
    for path, old, new in parted(recorded, now):
        yield differ(turn, f"{what}, {visible(path)}" if path else what, old, new)


def parted(recorded: object, now: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    """The innermost values in which two JSON values differ, by path; MISSING for one that a side has not.

    Lists that differ in their length or in more than one item are told whole.
    """
    if same_json(recorded, now):
        return
    if isinstance(recorded, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*recorded, *now)):
            inner = f"{path}.{name}" if path else str(name)
            yield from parted(recorded.get(name, MISSING), now.get(name, MISSING), inner)
        return
    if isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        apart = [index for index, pair in enumerate(zip(recorded, now, strict=True)) if not same_json(*pair)]
        if len(apart) == 1:
            yield from parted(recorded[apart[0]], now[apart[0]], f"{path}[{apart[0]}]")
            return
    yield path, recorded, now


def paired(recorded: Sequence[Keys], now: Sequence[Keys]) -> list[tuple[int | None, int | None]]:
    """Which item of one side stands for which of the other.

    Args:
        recorded: the keys of each item, the strictest first: items with equal first keys are paired before all
            others, then those with equal second keys, and so on; of equal ones the first with the first.
        now: the same of the other side.

    Returns:
        Pairs of indexes in the order of the first side; at the end those that the second side alone has.
    """
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for level in range(max(map(len, (*recorded, *now)), default=0)):
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for index, keys in enumerate(now):
            if index not in taken and level < len(keys):
                waiting[keys[level]].append(index)
        for index, keys in enumerate(recorded):
            if index not in partner and level < len(keys) and waiting[keys[level]]:
                partner[index] = waiting[keys[level]].popleft()
                taken.add(partner[index])
    left: list[tuple[int | None, int | None]] = [(index, partner.get(index)) for index in range(len(recorded))]
    return left + [(None, index) for index in range(len(now)) if index not in taken]


def _quoted(value: str | None) -> str:
    return "nothing" if value is None else f"`{value}`"
