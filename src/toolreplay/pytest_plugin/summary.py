"""The line at the end of a pytest run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def summary(played: Sequence[Mapping[str, Any]]) -> str:
    """`toolreplay: 12 scenarios (12 PASS), 27 requests checked, 20 tool calls, 0 findings`."""
    outcomes = Counter(str(one["outcome"]) for one in played)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    sums = {name: sum(one[name] for one in played) for name in ("requests", "tool_calls", "findings")}
    line = (
        f"toolreplay: {len(played)} scenarios ({counts}), {sums['requests']} requests checked, "
        f"{sums['tool_calls']} tool calls, {sums['findings']} findings"
    )
    if set(outcomes) == {"SKIP"}:
        line += "; all were skipped, so nothing was checked"
    return line
