from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest

from toolreplay.wire import converse, messages
from toolreplay.wire.difference import Difference, Keys, paired, parted
from toolreplay.wire.model import MISSING, ToolUse
from toolreplay.wire.request_difference import request_differences, turn_numbers
from toolreplay.wire.words import block_words, call_words, contrast, visible

Json = dict[str, Any]


def _user(content: object) -> Json:
    return {"role": "user", "content": content}


def _use(use_id: str, **fields: object) -> Json:
    return {"type": "tool_use", "id": use_id, "name": "get_weather", "input": fields}


def _assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def _result(use_id: str, content: object, **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": use_id, "content": content, **more}


ASK: Final = _user("Weather?")
CALLS: Final = _assistant(_use("t1", city="Oslo"), _use("t2", city="Rome"))
RESULTS: Final = _user([_result("t1", "18"), _result("t2", "25")])


@dataclass(frozen=True)
class Case:
    """Two requests and every difference between them."""

    id: str
    now: list[Json]
    told: list[str]
    recorded: tuple[Json, ...] = (ASK, CALLS, RESULTS)


CASES: Final = (
    Case("the same", [ASK, CALLS, RESULTS], []),
    Case(
        "two results",
        [ASK, CALLS, _user([_result("t1", "19"), _result("t2", "26", is_error=True)])],
        [
            "turn 2, result of get_weather for Oslo: recorded `18`, now `19`",
            "turn 2, result of get_weather for Rome: recorded `success: 25`, now `error: 26`",
        ],
    ),
    Case(
        "a later turn",
        [ASK, CALLS, RESULTS, _assistant({"type": "text", "text": "Sunny."}), _user("And now?")],
        [
            "turn 2, reply: recorded nothing, now `Sunny.`",
            "turn 3, user text: recorded nothing, now `And now?`",
        ],
    ),
    Case(
        "a call of another tool",
        [ASK, _assistant({**_use("t1", city="Oslo"), "name": "get_news"}, _use("t2", city="Rome")), RESULTS],
        ['turn 1, call: recorded `get_weather {"city": "Oslo"}`, now `get_news {"city": "Oslo"}`'],
    ),
    Case(
        "the id of a call",
        [ASK, _assistant(_use("t9", city="Oslo"), _use("t2", city="Rome")), RESULTS],
        ["turn 1, id of the call of get_weather for Oslo: recorded `t1`, now `t9`"],
    ),
    Case(
        "a field of a call",
        [ASK, _assistant({**_use("t1", city="Oslo"), "caller": {"type": "direct"}}, _use("t2", city="Rome")), RESULTS],
        ['turn 1, call of get_weather for Oslo, caller: recorded nothing, now `{"type": "direct"}`'],
    ),
    Case(
        "a text as a block",
        [_user([{"type": "text", "text": "Weather?"}]), CALLS, RESULTS],
        ['turn 1, user text: recorded `Weather?`, now `{"text": "Weather?", "type": "text"}`'],
    ),
    Case(
        "a field of a message",
        [ASK, CALLS, {**RESULTS, "name": "Ann"}],
        ["turn 2, message 2, name: recorded nothing, now `Ann`"],
    ),
    Case(
        "another role ends the comparison",
        [ASK, _user("Hello?"), RESULTS],
        ["turn 1, role of message 1: recorded `assistant`, now `user`"],
    ),
    Case(
        "what only Python takes for equal",
        [_user([{"type": "text", "text": "Hi", "n": True}])],
        ["turn 1, user text, n: recorded `1`, now `true`"],
        recorded=(_user([{"type": "text", "text": "Hi", "n": 1}]),),
    ),
    Case(
        "a block that is none",
        [_user([6])],
        ["turn 1, unknown block: recorded `5`, now `6`"],
        recorded=(_user([5]),),
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_all_differences_between_two_requests_are_told(case: Case) -> None:
    recorded, now = ({"model": "m", "messages": list(some)} for some in (case.recorded, case.now))
    found = request_differences(messages.parse_request(recorded), messages.parse_request(now))
    assert [str(one) for one in found] == case.told


def test_other_fields_come_last_and_each_is_told_by_its_path() -> None:
    recorded = messages.parse_request({"model": "m", "messages": [ASK], "thinking": {"type": "enabled", "budget": 1}})
    now = messages.parse_request(
        {"model": "n", "messages": [_user("Rain?")], "thinking": {"type": "enabled"}, "tools": []}
    )
    assert [str(one) for one in request_differences(recorded, now)] == [
        "turn 1, user text: recorded `Weather?`, now `Rain?`",
        "model: recorded `m`, now `n`",
        "tools: recorded nothing, now `[]`",
        "thinking, budget: recorded `1`, now nothing",
    ]


def test_converse_has_its_own_fields() -> None:
    spec: Json = {"name": "f", "inputSchema": {"json": {}}}
    choices: tuple[Json, Json] = ({"auto": {}}, {"any": {}})
    first, second = (
        {"messages": [], "toolConfig": {"tools": [{"toolSpec": one}], "toolChoice": choice}}
        for one, choice in zip((spec, {**spec, "description": "F."}), choices, strict=True)
    )
    found = request_differences(converse.parse_request(first), converse.parse_request(second))
    assert [str(one) for one in found] == [
        "tool f, toolSpec.description: recorded nothing, now `F.`",
        "toolChoice, auto: recorded `{}`, now nothing",
        "toolChoice, any: recorded nothing, now `{}`",
    ]


def test_a_turn_is_a_request_and_its_reply() -> None:
    roles = ("user", "system", "assistant", "assistant", "user", "user", "assistant")
    parsed = messages.parse_messages([{"role": role, "content": "x"} for role in roles])
    assert turn_numbers(parsed) == [1, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("get_weather", {"city": "Oslo"}, "get_weather for Oslo"),
        ("search", {"query": "cats", "limit": 3, "deep": True, "tags": ["a"]}, "search for cats, 3"),
        ("add", {"a": 1, "b": 2, "c": 3, "d": 4}, "add for 1, 2, 3"),
        ("bash", {"command": "grep -rn something /some/where/else\nls"}, "bash for grep -rn something /some/wher…"),
        ("now", {}, "now"),
        ("now", "no object", "now"),
        (None, {"a": "\x1b[31m"}, "(no name) for \\x1b[31m"),
    ],
    ids=str,
)
def test_a_call_is_told_by_its_tool_and_its_values(name: str | None, fields: object, words: str) -> None:
    (message,) = messages.parse_messages([_assistant({"type": "tool_use", "id": "t", "name": name, "input": fields})])
    (block,) = message.blocks
    assert isinstance(block, ToolUse)
    assert call_words(block) == words


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "text", "text": "Hi"}, "Hi"),
        (_result("t", []), ""),
        (_result("t", {"a": 1}), '{"a": 1}'),
        (_result("t", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "a\nb"),
        ({"type": "thinking", "thinking": "Hm.", "signature": "s"}, "Hm."),
        ({"type": "redacted_thinking", "data": "xyz"}, "[redacted]"),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGkK"}},
            "[image image/png, 3 bytes]",
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "a"}},
            "[image image/png, 1 bytes]",
        ),
        ({"type": "image", "source": {"type": "url", "url": "https://a.b/c"}}, "[image url, https://a.b/c]"),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "four"}},
            "[document text/plain, 4 bytes]",
        ),
        (
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
            'web_search {"query": "x"}',
        ),
        (
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": "u", "encrypted_content": "E"}]},
            '[{"url": "u"}]',
        ),
        ({"type": "huh", "a": 1}, '{"a": 1, "type": "huh"}'),
        (5, "5"),
    ],
    ids=str,
)
def test_a_block_is_told_by_what_it_says(block: object, words: str) -> None:
    (parsed,) = messages.parse_content([block], 0)
    assert block_words(parsed) == words


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"toolResult": {"toolUseId": "t", "content": [{"json": {"a": 1}}]}}, '{"a": 1}'),
        ({"image": {"format": "png", "source": {"bytes": "aGkK"}}}, "[image png, 3 bytes]"),
        ({"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}}, "Hm."),
    ],
    ids=str,
)
def test_a_block_of_converse_is_told_too(block: object, words: str) -> None:
    (message,) = converse.parse_messages([{"role": "user", "content": [block]}])
    assert block_words(message.blocks[0]) == words


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("18", "19", ("18", "19")),
        ("a" * 50 + "b" + "c" * 50, "a" * 50 + "d", (f"…aaaaab{'c' * 14}…", "…aaaaad")),
        ("x" * 40, "x" * 41, ("…xxxxx", "…xxxxxx")),
        ("", "x" * 40, ("", f"{'x' * 20}…")),
        ("a\nb", "a b", ("a\\nb", "a b")),
        ("\ud800", "\u00a0", ("\\ud800", "\\xa0")),
    ],
    ids=ascii,
)
def test_two_texts_are_cut_around_where_they_part(first: str, second: str, shown: tuple[str, str]) -> None:
    assert contrast(first, second, 20) == shown
    assert contrast(second, first, 20) == shown[::-1]


def test_what_cannot_be_seen_is_escaped() -> None:
    assert visible("å…漢 \u200b\x1b[0m") == "å…漢 \\u200b\\x1b[0m"


@pytest.mark.parametrize(
    ("recorded", "now", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, [("a.b[1].c", 2, 3)]),
        ([1, 2, 3], [1, 3, 2], [("", [1, 2, 3], [1, 3, 2])]),
        ([1], [1, 2], [("", [1], [1, 2])]),
        ({"a": None}, {}, [("a", None, MISSING)]),
        (1, True, [("", 1, True)]),
        ({"a": 1}, [1], [("", {"a": 1}, [1])]),
    ],
    ids=str,
)
def test_two_values_part_in_their_innermost_fields(recorded: object, now: object, found: list[object]) -> None:
    assert list(parted(recorded, now)) == found


@pytest.mark.parametrize(
    ("recorded", "now", "pairs"),
    [
        ([["a"], ["b"]], [["b"], ["a"]], [(0, 1), (1, 0)]),
        ([["a", "x"], ["b", "x"]], [["b", "x"]], [(0, None), (1, 0)]),
        ([["a", "x"]], [["c", "x"], ["a", "x"]], [(0, 1), (None, 0)]),
        ([["a"], ["a"]], [["a"], ["a"], ["a"]], [(0, 0), (1, 1), (None, 2)]),
        ([], [], []),
    ],
    ids=str,
)
def test_items_are_paired_by_their_strictest_keys(
    recorded: list[Keys], now: list[Keys], pairs: list[tuple[int | None, int | None]]
) -> None:
    assert paired(recorded, now) == pairs


def test_a_difference_says_where_and_what() -> None:
    found = Difference(3, "result of get_weather for Oslo", "18", None)
    assert (found.place, str(found)) == (
        "turn 3, result of get_weather for Oslo",
        "turn 3, result of get_weather for Oslo: recorded `18`, now nothing",
    )
