"""The line at the end of a pytest run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .tally import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def summary(played: Sequence[Mapping[str, object]]) -> str:
    """`toolreplay: 12 scenarios (11 PASS, 1 STALE), 27 requests checked, 20 tool calls, 0 findings`."""
    outcomes = Counter(str(facts[f"{PREFIX}outcome"]) for facts in played)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    line = (
        f"toolreplay: {_count(len(played), 'scenario')} ({counts}), {_sum(played, 'request')} checked, "
        f"{_sum(played, 'tool call')}, {_sum(played, 'finding')}"
    )
    recorded = sum(f"{PREFIX}recorded" in facts for facts in played)
    return f"{line}, {_count(recorded, 'cassette')} recorded" if recorded else line


def _sum(played: Sequence[Mapping[str, object]], noun: str) -> str:
    name = f"{PREFIX}{noun.replace(' ', '_')}s"
    return _count(sum(int(str(facts.get(name, 0))) for facts in played), noun)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
