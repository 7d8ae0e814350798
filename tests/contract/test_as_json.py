from __future__ import annotations

import datetime as dt
from types import MappingProxyType

import pytest
from anthropic.types import ToolUseBlock

import toolreplay
from toolreplay.errors import UsageError

USE = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
HISTORY = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [USE]}, {"role": "user", "content": "b"}]


@pytest.mark.parametrize(
    "request_",
    [
        HISTORY,
        tuple(HISTORY),
        iter(HISTORY),
        {"messages": tuple(HISTORY)},
        MappingProxyType({"messages": HISTORY}),
        [HISTORY[0], {"role": "assistant", "content": [ToolUseBlock(**USE)]}, HISTORY[2]],  # type: ignore[arg-type]
    ],
    ids=["list", "tuple", "iterator", "body", "mapping", "blocks of the SDK"],
)
def test_what_people_hold_in_their_hands_is_judged(request_: object) -> None:
    assert [finding.code for finding in toolreplay.check(request_)] == ["TR101"]


@pytest.mark.parametrize("request_", [None, 3, "messages", b"{}"])
def test_what_is_no_request_is_refused(request_: object) -> None:
    with pytest.raises(UsageError, match="a request is a mapping, or a list of messages, and not "):
        toolreplay.check(request_)


KEYS: dict[str, object] = {
    "1": 1,
    "true": True,
    "null": None,
    "1.5": 1.5,
    "b'x'": b"x",
    "(1, 2)": (1, 2),
    "datetime.date(2026, 1, 2)": dt.date(2026, 1, 2),
    "int too large to show": 10**5000,
}


@pytest.mark.parametrize("told", KEYS)
def test_a_key_that_is_no_string(told: str) -> None:
    key = KEYS[told]
    message = {"role": "user", "content": "a", key: 2}
    tool = {"name": "t", "input_schema": {"type": "object", "properties": {key: {"type": "string"}}}, key: 3}
    found = toolreplay.check({"messages": [message], "tools": [tool]})

    assert [(one.code, one.path) for one in found] == [("TR207", f"messages[0].{told}"), ("TR207", f"tools[0].{told}")]


def _nested(depth: int) -> object:
    value: object = {"type": "object"}
    for _ in range(depth):
        value = {"type": "object", "properties": {"a": value}}
    return value


def _lists(depth: int) -> object:
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


HUGE = 10**5000
DEEP = _lists(5_000)
ROOT = "the input schema of weather"
FIT = "the input of toolu_1 (weather) does not fit its schema"
LARGE: dict[str, tuple[dict[str, object], list[str]]] = {
    "properties": ({"properties": HUGE}, [f"{ROOT} is not valid: int too large to show is not an object"]),
    "a type": ({"type": HUGE}, [f"{ROOT} has the type int too large to show; it must be object"]),
    "a list": ({"properties": DEEP}, [f"{ROOT} is not valid: list too large to show is not an object"]),
    "a schema": (
        {"properties": {"a": DEEP}},
        [f"{ROOT} is not valid: list too large to show is no schema; a schema is an object or a boolean"],
    ),
    "schemas": ({"properties": {"d": _nested(100_000)}}, []),
    "a limit": (
        {"properties": {"a": {"maximum": 1}}},
        [f"{FIT}: input.a is int too large to show, above the maximum 1"],
    ),
    "a length": (
        {"properties": {"b": {"minLength": HUGE}}},
        [f"{FIT}: input.b has the length 1, less than int too large to show"],
    ),
    "types": (
        {"properties": {"a": {"type": [HUGE]}}},
        [f"{ROOT} is not valid: list too large to show is not a list of different JSON types"],
    ),
    "choices": ({"properties": {"c": {"enum": [DEEP]}}}, []),
}


@pytest.mark.parametrize("kind", LARGE)
def test_what_is_too_large_to_show_or_nested_too_deeply(kind: str) -> None:
    schema, told = LARGE[kind]
    use = {**USE, "input": {"a": HUGE, "b": "x", "c": _lists(5_000)}}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]}
    tools = [{"name": "weather", "input_schema": {"type": "object", **schema}}]
    body = {"messages": [HISTORY[0], {"role": "assistant", "content": [use]}, answer], "tools": tools}

    assert [finding.message for finding in toolreplay.check(body)] == told
