"""Which of the calls that were made stands for which of the calls that were expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

Table: TypeAlias = Sequence[Sequence[bool]]  # a row for each call expected, a column for each call made
Order: TypeAlias = Literal["exact", "in_order", "any"]
Matched: TypeAlias = list[int | None]  # for each call expected the index of the call made


def matched(asks: Table, fits: Table, order: Order) -> Matched:
    """Give every expected call a call of its own, if that can be done at all.

    Where it cannot, as many as can be have one. Of equal calls the ones with the results expected are preferred.

    Args:
        asks: whether a call made is what an expected one asks for.
        fits: whether it has the expected result as well.
    """
    match order:
        case "exact":
            return _one_by_one(asks)
        case "in_order":
            return _in_order(asks, fits)
        case "any":
            return _in_any_order(asks, fits)


def _one_by_one(asks: Table) -> Matched:
    found: Matched = []
    position = 0
    for row in asks:
        meets = position < len(row) and row[position]
        found.append(position if meets else None)
        position += meets
    return found


def _in_order(asks: Table, fits: Table) -> Matched:
    """The best of all ways, by the best that can be made of every tail: most calls matched, then most results."""
    rows, columns = len(asks), len(asks[0]) if asks else 0
    taken = [[(-1, 0)] * columns for _ in range(rows)]
    best = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            if asks[row][column]:
                calls, results = best[row + 1][column + 1]
                taken[row][column] = (calls + 1, results + fits[row][column])
            best[row][column] = max(taken[row][column], best[row][column + 1], best[row + 1][column])
    found: Matched = []
    column = 0
    while len(found) < rows:
        row = len(found)
        if column < columns and best[row][column] == taken[row][column]:
            found.append(column)
            column += 1
        elif column < columns and best[row][column] == best[row][column + 1]:
            column += 1
        else:
            found.append(None)
    return found


def _in_any_order(asks: Table, fits: Table) -> Matched:
    """A matching of the calls that fit, made larger along augmenting paths over those that are asked for."""
    found: Matched = [None] * len(asks)
    for table in (fits, asks):
        for row, _ in enumerate(asks):
            if found[row] is None:
                _augment(table, row, found, set())
    return found


def _augment(table: Table, row: int, found: Matched, seen: set[int]) -> bool:
    """Find a column for a row, if need be by finding another one for the row that holds it."""
    columns = [column for column, may in enumerate(table[row]) if may]
    for column in sorted(columns, key=lambda column: column in found):  # a free one costs no other row its own
        if column in seen:
            continue
        seen.add(column)
        if column not in found or _augment(table, found.index(column), found, seen):
            found[row] = column
            return True
    return False
