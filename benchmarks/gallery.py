"""The fuzzer against loops with a known fault: examples until it is seen, size of what is handed back, seconds.

Run as `python -m benchmarks.gallery [SEED ...]`. It takes about two minutes a seed, so it is no part of `make bench`.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.fuzzer.play import calls, fuzzed
from tests.fuzzer.test_gallery import FOUND, Case
from tests.fuzzer.test_good_loops import GOOD

from toolreplay.fuzzer.result import Found
from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.router import INTERCEPTOR

SEEDS = (1, 2, 3, 4, 5)
SURVIVED = 500


@dataclass(frozen=True)
class Row:
    """One search: the fault of the loop's own rule, or None; the other rules told of it; and its seconds."""

    found: Found | None
    others: frozenset[str]
    seconds: float

    @property
    def calls(self) -> int:
        return len(calls(self.found.case)) if self.found else 0


def faulty_rows(seeds: Sequence[int]) -> Iterator[str]:
    """A line for each loop; figures of several seeds as `least-most`, or the median where it says so."""
    yield f"{'loop':58} {'rule':6} {'found':>5} {'examples':>9} {'calls':>5} {'median s':>8}  other rules"
    for case in FOUND:
        rows = [_row(case, seed) for seed in seeds]
        found = [row for row in rows if row.found]
        others = sorted(set().union(*(row.others for row in rows)) - case.follows)
        examples = _span([row.found.example for row in found if row.found])
        size = _span([row.calls for row in found])
        seconds = statistics.median(row.seconds for row in rows)
        hits = f"{len(found)}/{len(rows)}"
        yield f"{case.id:58} {case.code:6} {hits:>5} {examples:>9} {size:>5} {seconds:8.1f}  {', '.join(others)}"


def good_rows() -> Iterator[str]:
    """A line for each right loop: examples played, errors, seconds."""
    for case in GOOD:
        started = time.perf_counter()
        result = fuzzed(case.loop, case.ground, examples=SURVIVED)
        told = ", ".join(f"{one.fault.code} ({one.fault.message})" for one in result.found) or "none"
        warned = ", ".join(f"{code} {count}x" for code, count in sorted(result.warnings.items())) or "none"
        seconds = time.perf_counter() - started
        yield f"{case.id:58} {result.examples} examples, errors: {told}, warnings: {warned}, {seconds:.1f} s"


def _row(case: Case, seed: int) -> Row:
    started = time.perf_counter()
    result = fuzzed(case.function, case.ground, seed=seed, deadline=case.deadline)
    own = next((one for one in result.found if one.fault.code == case.code), None)
    others = frozenset(one.fault.code for one in result.found) - {case.code}
    return Row(own, others, time.perf_counter() - started)


def _span(values: Sequence[int]) -> str:
    return f"{min(values)}-{max(values)}" if values else "-"


def main() -> None:
    """Print the table, then the right loops."""
    seeds = tuple(map(int, sys.argv[1:])) or SEEDS
    with dummy_credentials(), INTERCEPTOR.hold():
        for line in itertools.chain(faulty_rows(seeds), good_rows()):
            print(line, flush=True)


if __name__ == "__main__":
    main()
