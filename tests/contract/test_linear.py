from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from toolreplay.contract.entry import check

SMALL = 1_000
TIMES = 4
USER = {"role": "user", "content": "Weather?"}
TOOLS = [{"name": "f", "input_schema": {"type": "object"}}]


def _use(index: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{index}", "name": "f", "input": {}}


def _result(index: int) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{index}", "content": "4"}


def _uses(size: int) -> dict[str, Any]:
    return {"role": "assistant", "content": [_use(index) for index in range(size)]}


def _all_answered(size: int) -> list[dict[str, Any]]:
    return [USER, _uses(size), {"role": "user", "content": [_result(index) for index in range(size)]}]


def _none_answered(size: int) -> list[dict[str, Any]]:
    return [USER, _uses(size), USER]


def _all_answered_by_wrong_ids(size: int) -> list[dict[str, Any]]:
    return [USER, _uses(size), {"role": "user", "content": [_result(-1 - index) for index in range(size)]}]


def _neighbours(size: int) -> list[dict[str, Any]]:
    return [USER] * size


def _a_call_a_message(size: int) -> list[dict[str, Any]]:
    calls = [{"role": "assistant", "content": [_use(index)]} for index in range(size)]
    return [USER, *calls, *_all_answered(size)[2:]]


def _a_stray_result_a_message(size: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [_result(index)]} for index in range(size)]


def _a_text_before_each_result(size: int) -> list[dict[str, Any]]:
    text = {"type": "text", "text": "Here:"}
    return [USER, _uses(size), *({"role": "user", "content": [text, _result(index)]} for index in range(size))]


def _seconds(messages: list[dict[str, Any]], profile: str) -> float:
    body = {"model": "m", "max_tokens": 9, "tools": TOOLS, "messages": messages}
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        check(body, profile=profile)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("profile", ["messages", "gateway"])
@pytest.mark.parametrize(
    "make",
    [
        _all_answered,
        _none_answered,
        _all_answered_by_wrong_ids,
        _neighbours,
        _a_call_a_message,
        _a_stray_result_a_message,
        _a_text_before_each_result,
    ],
)
def test_what_is_four_times_as_large_takes_no_more_than_twice_four_times_as_long(
    make: Callable[[int], list[dict[str, Any]]], profile: str
) -> None:
    small, large = (_seconds(make(size), profile) for size in (SMALL, SMALL * TIMES))

    assert large < 2 * TIMES * small, "quadratic: sixteen times"
