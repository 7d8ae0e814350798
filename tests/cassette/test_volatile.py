# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

import copy
import json
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from toolreplay.cassette.exchange import Exchange
from toolreplay.cassette.likely import LIKELY
from toolreplay.cassette.playback import Match, Playback
from toolreplay.cassette.volatile import Mask, Volatiles
from toolreplay.contract.conversations import Conversations
from toolreplay.files.volatile import volatiles
from toolreplay.runner.miss import explain
from toolreplay.wire.exchange import read_request
from toolreplay.wire.http import HttpRequest, HttpResponse

Json = dict[str, Any]
URL: Final = "https://api.anthropic.com/v1/messages"
DATE: Final = {"regex": r"\d{4}-\d\d-\d\d", "as": "DATE"}
USE: Final = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"day": "2026-11-29", "hours": [1, 2]}}


def _body(prompt: str = "Today is 2026-11-29.", result: object = "rain on 2026-11-29", **fields: object) -> Json:
    messages = [
        {"role": "user", "content": prompt},
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": result}]},
    ]
    return {"model": "m", "max_tokens": 9, "messages": messages, **fields}


@dataclass(frozen=True)
class Put:
    id: str
    declared: Sequence[object]
    value: object
    becomes: object


PUT: Final = (
    Put("nothing declared", [], {"a": "2026-11-29"}, {"a": "2026-11-29"}),
    Put("texts at any depth", [DATE], {"a": ["on 2026-11-29", {"b": "2026-11-29 2026-11-30"}]}, {"a": ["on DATE", {"b": "DATE DATE"}]}),
    Put("neither names nor numbers", [DATE], {"2026-11-29": 2026, "b": None}, {"2026-11-29": 2026, "b": None}),
    Put("two kinds", [DATE, {"regex": r"\bat \d+"}], {"a": "2026-11-29 at 5"}, {"a": "DATE VOLATILE"}),
    Put("a name that reads like a group of the regex", [{"regex": "(x)", "as": r"\1\g<0>"}], "x", r"\1\g<0>"),
    Put("a field", [{"path": "metadata.user_id"}], {"metadata": {"user_id": 5, "b": 6}}, {"metadata": {"user_id": "VOLATILE", "b": 6}}),
    Put("a field that is not there", [{"path": "metadata.user_id"}], {"metadata": {}}, {"metadata": {}}),
    Put("a field of what is no object", [{"path": "a.b"}], {"a": "text"}, {"a": "text"}),
    Put("every item", [{"path": "a[*].b", "as": "B"}], {"a": [{"b": 1}, {"c": 2}, 3]}, {"a": [{"b": "B"}, {"c": 2}, 3]}),
    Put("one item", [{"path": "a[1]"}], {"a": [1, 2, 3]}, {"a": [1, "VOLATILE", 3]}),
    Put("an item that is not there", [{"path": "a[7]"}], {"a": [1]}, {"a": [1]}),
    Put("an item of what is no list", [{"path": "a[0]"}], {"a": {"b": 1}}, {"a": {"b": 1}}),
    Put("one message", [{"path": "messages[1].content"}], {"messages": [{"content": "a"}, {"content": "b"}]}, {"messages": [{"content": "a"}, {"content": "VOLATILE"}]}),
    Put("all messages", [{"path": "messages[*].content"}], {"messages": [{"content": "a"}, {"content": "b"}]}, {"messages": [{"content": "VOLATILE"}, {"content": "VOLATILE"}]}),
    Put("a field and a look", [{"path": "metadata.id"}, DATE], {"metadata": {"id": "2026-11-29", "b": "2026-11-29"}}, {"metadata": {"id": "VOLATILE", "b": "DATE"}}),
)  # fmt: skip


@pytest.mark.parametrize("case", PUT, ids=lambda case: case.id)
def test_what_stands_in_place_of_a_value(case: Put) -> None:
    declared, before = Volatiles(volatiles(case.declared)), copy.deepcopy(case.value)
    assert declared.json(case.value) == case.becomes
    mask = Mask(declared)
    assert (mask.body(case.value), mask.body(case.value)) == (case.becomes, case.becomes)
    assert case.value == before  # what is sent and what is recorded stay as they are


def test_the_same_message_in_another_place_is_another_one() -> None:
    mask = Mask(Volatiles(volatiles([{"path": "messages[0].content"}])))
    message = {"role": "user", "content": "a"}
    assert mask.body({"messages": [message, message]}) == {
        "messages": [{"role": "user", "content": "VOLATILE"}, message]
    }
    assert mask.key({"messages": [message]}) != mask.key({"messages": [{"role": "user", "content": "b"}, message]})


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"b": 1, "a": [True]}, True),
        ({"a": [1], "b": 1}, False),
        ({"a": [True], "b": 1.0}, False),
        ({"a": [True]}, False),
        ({"a": [True], "b": 1, "c": None}, False),
    ],
)
def test_bodies_are_compared_as_json(other: Json, same: bool) -> None:
    mask = Mask(Volatiles(volatiles([DATE])))
    assert (mask.key({"a": [True], "b": 1}) == mask.key(other)) is same


def _exchange(body: object, url: str = URL) -> Exchange:
    answer = {"type": "message", "id": "msg_1", "content": [], "stop_reason": "end_turn"}
    return Exchange("POST", url, {}, body, HttpResponse(200, {}, json.dumps(answer).encode()))


def _asked(body: object, playback: Playback, url: str = URL) -> tuple[bool, str]:
    """Whether a request is answered, and what is proposed if it is not."""
    request = HttpRequest("POST", url, {}, json.dumps(body).encode())
    parsed = read_request(request)
    verdict = Conversations().judge(parsed) if parsed is not None else None
    if playback.take(request, verdict) is not None:
        return True, ""
    return False, explain(request, verdict, playback).fix


@dataclass(frozen=True)
class Matched:
    id: str
    declared: Sequence[object]
    now: Json
    exact: bool
    conversation: bool


_TOMORROW: Final = _body("Today is 2026-11-30.", "rain on 2026-11-30")
MATCHED: Final = (
    Matched("nothing declared", [], _TOMORROW, exact=False, conversation=False),
    Matched("the date", [DATE], _TOMORROW, exact=True, conversation=True),
    Matched("the date, and another result", [DATE], _body("Today is 2026-11-30.", "sun"), exact=False, conversation=True),
    Matched("the date, and another prompt", [DATE], _body("It is 2026-11-30."), exact=False, conversation=False),
    Matched("a field", [{"path": "metadata"}], _body(metadata={"user_id": "b"}), exact=True, conversation=True),
    Matched("another field", [{"path": "metadata"}], _body(metadata={"user_id": "a"}, system="x"), exact=False, conversation=True),
    Matched("the results", [{"path": "messages[*].content[*].content"}], _body(result="sun"), exact=True, conversation=True),
)  # fmt: skip


@pytest.mark.parametrize("case", MATCHED, ids=lambda case: case.id)
def test_what_matches(case: Matched) -> None:
    recorded = [_exchange({**_body(), **({"metadata": {"user_id": "a"}} if "metadata" in case.now else {})})]
    declared = Volatiles(volatiles(case.declared))
    answered = [_asked(case.now, Playback(recorded, match, declared))[0] for match in (Match.EXACT, Match.CONVERSATION)]
    assert answered == [case.exact, case.conversation]


def test_requests_that_are_the_same_but_for_a_date_are_answered_in_order() -> None:
    recorded = [_exchange(_body(f"Today is 2026-11-0{day}.")) for day in (1, 2, 3)]
    playback = Playback(recorded, Match.EXACT, Volatiles(volatiles([DATE])))
    left = []
    for day in (7, 8, 9):
        assert _asked(_body(f"Today is 2026-12-0{day}."), playback)[0]
        left.append(playback.left_over)
    assert left == [(1, 2), (2,), ()]
    assert _asked(_body("Today is 2026-12-09."), playback) == (False, "")


def test_a_body_that_is_no_object_is_compared_too() -> None:
    declared = Volatiles(volatiles([DATE]))
    for recorded, now, same in (
        (["2026-11-29"], ["2026-11-30"], True),
        (["2026-11-29"], ["never"], False),
        (b"a=2026-11-29", b"a=2026-11-30", False),  # nothing is known about other bodies
        (b"a=1", b"a=1", True),
    ):
        playback = Playback([_exchange(recorded, "https://x.example/y")], Match.EXACT, declared)
        data = now if isinstance(now, bytes) else json.dumps(now).encode()
        found = playback.take(HttpRequest("POST", "https://x.example/y", {}, data), None)
        assert (found is not None) is same


@dataclass(frozen=True)
class Proposed:
    id: str
    was: str
    now: str
    names: tuple[str, ...]


PROPOSED: Final = (
    Proposed("a day", "on 2026-11-29", "on 2026-12-01", ("DATE",)),
    Proposed("a moment", "at 2026-11-29T23:59:59.123Z", "at 2026-11-30T00:00:01+02:00", ("DATE",)),
    Proposed("a moment with a space", "at 2026-11-29 23:59", "at 2026-11-30 00:00", ("DATE",)),
    Proposed("a uuid", "id 6f1c4a86-9a0e-4c5b-8d2f-0123456789ab", "id 00000000-1111-2222-3333-444444444444", ("UUID",)),
    Proposed("a temporary folder", "in /tmp/pytest-1/a.txt", "in /tmp/pytest-22/b/a.txt", ("TMP",)),
    Proposed("a temporary folder of a Mac", "in /private/var/folders/ab/T/x", "in /var/folders/cd/T/y", ("TMP",)),
    Proposed("a time", "at 9:05", "at 12:40:01", ("TIME",)),
    Proposed("a time in English", "at 9:05 AM", "at 12:40 PM", ("TIME",)),
    Proposed("seconds of the epoch", "at 1764460800", "at 1764547200.5", ("EPOCH",)),
    Proposed("milliseconds of the epoch", "at 1764460800000", "at 1764547200123", ("EPOCH",)),
    Proposed("a digest", "etag 0123456789abcdef", "etag fedcba9876543210", ("HEX",)),
    Proposed("a day with dots", "am 29.11.2026", "am 1.12.2026", ("DATE",)),
    Proposed("a day in words", "Today is Sunday, November 29, 2026.", "Today is Tuesday, December 1, 2026.", ("DAY",)),
    Proposed("a day in other words", "Sun, 29 Nov 2026", "Mon, 30 Nov 2026", ("DAY",)),
    Proposed("a day and a time", "Sun, 29 Nov 2026 17:54:41 GMT", "Mon, 30 Nov 2026 09:00:00 GMT", ("TIME", "DAY")),
    Proposed("a uuid and a date", "6f1c4a86-9a0e-4c5b-8d2f-0123456789ab 2026-11-29", "00000000-1111-2222-3333-444444444444 2026-11-30", ("DATE", "UUID")),
    Proposed("a date and other words", "on 2026-11-29 rain", "on 2026-11-30 sun", ()),
    Proposed("a date and something more", "on 2026-11-29", "on 2026-11-30, later", ()),
    Proposed("a number", "18 degrees", "19 degrees", ()),
    Proposed("four kinds", "2026-11-29 /tmp/a 9:05 0123456789abcdef", "2026-11-30 /tmp/b 9:06 fedcba9876543210", ()),
)  # fmt: skip


def _entries(fix: str) -> Any:
    """What the proposed line would declare; it is pasted as it stands."""
    if not fix:
        return []
    line = fix.partition("in pyproject.toml: ")[2]
    return tomllib.loads(line)["volatile"]


@pytest.mark.parametrize("match", [Match.EXACT, Match.CONVERSATION])
@pytest.mark.parametrize("case", PROPOSED, ids=lambda case: case.id)
def test_a_miss_proposes_the_line_that_makes_it_match(case: Proposed, match: Match) -> None:
    recorded, now = [_exchange(_body(case.was))], _body(case.now)
    answered, fix = _asked(now, Playback(recorded, match))
    entries = _entries(fix)
    assert (answered, tuple(entry["as"] for entry in entries)) == (False, case.names)
    again, _ = _asked(now, Playback(recorded, match, Volatiles(volatiles(entries))))
    assert again is bool(case.names)
    assert len(f"fix: {fix}") < 400  # what a report shows of a line


def test_a_result_is_proposed_for_where_results_are_compared() -> None:
    recorded, now = [_exchange(_body())], _body(result="rain on 2026-11-30")
    assert _entries(_asked(now, Playback(recorded, Match.EXACT))[1])[0]["as"] == "DATE"
    assert _asked(now, Playback(recorded, Match.CONVERSATION)) == (True, "")


def test_what_the_match_does_not_compare_may_differ() -> None:
    recorded, now = [_exchange(_body())], _body("Today is 2026-11-30.", "sun", system="Be brief.")
    assert _asked(now, Playback(recorded, Match.EXACT)) == (False, "")
    assert _entries(_asked(now, Playback(recorded, Match.CONVERSATION))[1])[0]["as"] == "DATE"


def test_what_is_declared_is_no_difference_and_what_is_missing_is_to_be_added() -> None:
    recorded = [_exchange(_body("2026-11-29 at 9:05, in Oslo"))]
    playback = Playback(recorded, Match.EXACT, Volatiles(volatiles([DATE])))
    now = _body("2026-11-30 at 9:06, in Oslo", "rain on 2026-11-30")
    request = HttpRequest("POST", URL, {}, json.dumps(now).encode())
    parsed = read_request(request)
    assert parsed is not None
    miss = explain(request, Conversations().judge(parsed), playback)
    assert "recorded `DATE at 9:05, in Oslo`, now `DATE at 9:06, in Oslo`" in miss.text
    assert miss.fix == f"if that changes with every run, add to volatile in pyproject.toml: {LIKELY[3].toml}"


def test_nothing_is_proposed_for_a_reply_that_was_played_already() -> None:
    other = {**_body("Something else."), "model": "other"}
    playback = Playback([_exchange(_body()), _exchange(other)], Match.EXACT)
    assert _asked(_body(), playback)[0]
    answered, fix = _asked(_body("Today is 2026-11-30."), playback)
    assert (answered, fix) == (False, "")


def test_another_endpoint_is_no_matter_of_a_date() -> None:
    playback = Playback([_exchange(_body(model="other"))], Match.EXACT)
    assert _asked(_body("Today is 2026-11-30."), playback) == (False, "")


def test_a_message_is_looked_at_once_however_long_the_conversation() -> None:
    looked: list[str] = []

    class Counting(Volatiles):
        def text(self, text: str) -> str:
            looked.append(text)
            return super().text(text)

    mask, messages = Mask(Counting(volatiles([DATE]))), []
    for number in range(100):
        messages.append({"role": "user", "content": f"{number}: 2026-11-29"})
        mask.key({"messages": list(messages)})
    assert sum(text.endswith("2026-11-29") for text in looked) == 100


def test_a_long_miss_is_explained_at_once() -> None:
    prompts = [f"{number}: 2026-11-29" for number in range(400)]

    def body(day: str) -> Json:
        return {
            "model": "m",
            "messages": [{"role": "user", "content": prompt.replace("-29", day)} for prompt in prompts],
        }

    started = time.perf_counter()
    answered, fix = _asked(body("-30"), Playback([_exchange(body("-29"))], Match.EXACT))
    assert (answered, _entries(fix)[0]["as"]) == (False, "DATE")
    assert time.perf_counter() - started < 5
