from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from toolreplay.errors import ToolreplayError
from toolreplay.linter.pool import in_order


def later_first(number: int) -> int:
    time.sleep(0.02 * (number % 3 == 0))
    return number * number


def die(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


def test_results_come_in_the_order_of_the_tasks_and_few_wait() -> None:
    given: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(60):
            given.append(number)
            yield number

    found = in_order(later_first, tasks(), 2)
    assert next(found) == 0
    assert len(given) <= 16
    assert list(found) == [number * number for number in range(1, 60)]


def test_a_process_that_dies_is_no_smaller_report() -> None:
    with pytest.raises(ToolreplayError) as caught:
        list(in_order(die, range(9), 2))

    assert str(caught.value) == (
        "a process that checked files died, perhaps for lack of memory; check again with --jobs 1"
    )
