from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.runner.matching import Matched, Order, Table, matched


@dataclass(frozen=True)
class Case:
    """Rows of expected calls: `.` another call, `x` the call, `!` the call with the result expected."""

    id: str
    rows: tuple[str, ...]
    order: Order
    found: Matched


CASES: Final = (
    Case("nothing expected", (), "any", []),
    Case("no calls", ("", ""), "in_order", [None, None]),
    Case("the first takes what the second does not need", ("!!", "!."), "any", [1, 0]),
    Case("results before order", ("x!", "!x"), "any", [1, 0]),
    Case("a call before its result", ("!.", "!x"), "any", [0, 1]),
    Case("as many as can be", ("!..", "!..", "..!"), "any", [0, None, 2]),
    Case("exact", ("!..", "!..", ".!."), "exact", [0, None, 1]),
    Case("in order, others between", ("!..", "..!"), "in_order", [0, 2]),
    Case("in order, the result further on", ("x!x", "x.!"), "in_order", [1, 2]),
    Case("in order, the result too far on", ("x.!", ".!!"), "in_order", [0, 1]),
    Case("in order, all the rest before the first", ("..!", "!..", ".!."), "in_order", [None, 0, 1]),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_matched(case: Case) -> None:
    assert matched(*_tables(case.rows), case.order) == case.found


def _tables(rows: tuple[str, ...]) -> tuple[Table, Table]:
    return [[sign != "." for sign in row] for row in rows], [[sign == "!" for sign in row] for row in rows]


@given(
    st.integers(0, 4).flatmap(
        lambda width: st.lists(st.text(".x!", min_size=width, max_size=width), max_size=4).map(tuple)
    ),
    st.sampled_from(["any", "in_order"]),
)
def test_no_other_way_matches_more(rows: tuple[str, ...], order: Order) -> None:
    asks, fits = _tables(rows)
    found = matched(asks, fits, order)
    taken = [column for column in found if column is not None]
    assert len(set(taken)) == len(taken)
    assert order == "any" or taken == sorted(taken)
    best_calls, best_results = max(_worth(asks, fits, way) for way in _ways(rows, order))
    calls, results = _worth(asks, fits, found)
    assert calls == best_calls
    # What decides between pass and fail is exact; where calls are missing anyway, the results are second.
    assert results == best_results or (order == "any" and best_results < len(rows))


def _ways(rows: tuple[str, ...], order: Order) -> list[Matched]:
    columns: Matched = [*range(len(rows[0]) if rows else 0), *[None] * len(rows)]
    ways = [list(way) for way in permutations(columns, len(rows))]
    taken = [[column for column in way if column is not None] for way in ways]
    return [way for way, own in zip(ways, taken, strict=True) if order == "any" or own == sorted(own)]


def _worth(asks: Table, fits: Table, way: Matched) -> tuple[int, int]:
    pairs = [(row, column) for row, column in enumerate(way) if column is not None]
    if not all(asks[row][column] for row, column in pairs):
        return -1, 0
    return len(pairs), sum(fits[row][column] for row, column in pairs)
