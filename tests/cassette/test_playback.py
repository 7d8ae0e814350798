# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from toolreplay.cassette.exchange import Exchange
from toolreplay.cassette.playback import Match, Playback
from toolreplay.contract.conversations import Conversations
from toolreplay.runner.miss import Miss, explain
from toolreplay.wire.exchange import read_request
from toolreplay.wire.http import HttpRequest, HttpResponse

Json = dict[str, Any]
URL: Final = "https://api.anthropic.com/v1/messages"
TOOLS: Final = [{"name": "get_weather", "input_schema": {"type": "object"}}]


def _user(content: object) -> Json:
    return {"role": "user", "content": content}


def _calls(**cities: str) -> Json:
    uses = [
        {"type": "tool_use", "id": use, "name": "get_weather", "input": {"city": city}} for use, city in cities.items()
    ]
    return {"role": "assistant", "content": uses}


def _results(**contents: object) -> Json:
    return _user([{"type": "tool_result", "tool_use_id": use, "content": content} for use, content in contents.items()])


ASK: Final = _user("Weather?")
CALLS: Final = _calls(t1="Oslo", t2="Rome")
RESULTS: Final = _results(t1="rain", t2="sun")


def _body(*messages: Json, **fields: object) -> Json:
    return {"model": "m", "max_tokens": 9, "tools": TOOLS, "messages": list(messages), **fields}


def _exchange(body: object, reply: str = "", url: str = URL) -> Exchange:
    answer = {"type": "message", "id": f"msg_{reply}", "content": [], "stop_reason": "end_turn"}
    return Exchange("POST", url, {}, body, HttpResponse(200, {}, json.dumps(answer).encode()))


RECORDED: Final = (_exchange(_body(ASK), "0"), _exchange(_body(ASK, CALLS, RESULTS), "1"))


def _request(body: object, url: str = URL) -> HttpRequest:
    return HttpRequest("POST", url, {}, json.dumps(body).encode())


def _take(match: Match, recorded: Sequence[Exchange], *bodies: Json, url: str = URL) -> list[int | None]:
    """The indexes of the exchanges that answer the bodies, asked for one after the other."""
    playback, conversations = Playback(recorded, match), Conversations()
    taken: list[int | None] = []
    for body in bodies:
        request = _request(body, url)
        parsed = read_request(request)
        exchange = playback.take(request, conversations.judge(parsed) if parsed else None)
        taken.append(None if exchange is None else recorded.index(exchange))
    return taken


@dataclass(frozen=True)
class Case:
    id: str
    body: Json
    exact: int | None = None
    conversation: int | None = None


CASES: Final = (
    Case("the same", _body(ASK, CALLS, RESULTS), exact=1, conversation=1),
    Case("fields in another order", dict(reversed(_body(ASK, CALLS, RESULTS).items())), exact=1, conversation=1),
    Case("another system text", _body(ASK, CALLS, RESULTS, system="Be brief."), conversation=1),
    Case("other schemas", _body(ASK, CALLS, RESULTS, tools=[]), conversation=1),
    Case("another model", _body(ASK, CALLS, RESULTS, model="other"), conversation=1),
    Case(
        "results worded otherwise",
        _body(ASK, CALLS, _results(t1=[{"type": "text", "text": "RAIN"}], t2="")),
        conversation=1,
    ),
    Case("results in another order", _body(ASK, CALLS, _results(t2="sun", t1="rain")), conversation=1),
    Case(
        "a reminder beside the results",
        _body(ASK, CALLS, _user([*RESULTS["content"], {"type": "text", "text": "Hurry."}])),
        conversation=1,
    ),
    Case(
        "text beside the calls",
        _body(ASK, {**CALLS, "content": [{"type": "text", "text": "I look."}, *CALLS["content"]]}, RESULTS),
        conversation=1,
    ),
    Case(
        "the prompt as a block",
        _body(_user([{"type": "text", "text": "Weather?"}]), CALLS, RESULTS),
        conversation=1,
    ),
    Case("another prompt", _body(_user("Weather!"), CALLS, RESULTS)),
    Case("a result less", _body(ASK, CALLS, _results(t1="rain"))),
    Case("results of other calls", _body(ASK, CALLS, _results(t1="rain", t3="sun"))),
    Case("calls of other ids", _body(ASK, _calls(a="Oslo", b="Rome"), _results(a="rain", b="sun"))),
    Case(
        "a turn more",
        _body(ASK, CALLS, RESULTS, {"role": "assistant", "content": "Rain."}, _user("And now?")),
    ),
    Case("no messages", {"model": "m"}),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_a_request_matches(case: Case) -> None:
    assert (
        _take(Match.EXACT, RECORDED, case.body),
        _take(Match.CONVERSATION, RECORDED, case.body),
        _take(Match.ORDER, RECORDED, case.body),
    ) == ([case.exact], [case.conversation], [0])


@pytest.mark.parametrize("match", list(Match))
def test_the_recorded_order_is_played_in_order(match: Match) -> None:
    bodies = [exchange.body for exchange in RECORDED]
    assert _take(match, RECORDED, *bodies, bodies[0]) == [0, 1, None]  # type: ignore[arg-type]


@pytest.mark.parametrize("match", [Match.EXACT, Match.CONVERSATION])
def test_another_order_is_found_too(match: Match) -> None:
    bodies = [exchange.body for exchange in reversed(RECORDED)]
    assert _take(match, RECORDED, *bodies) == [1, 0]  # type: ignore[arg-type]


@pytest.mark.parametrize("match", list(Match))
def test_equal_requests_are_answered_in_the_recorded_order(match: Match) -> None:
    recorded = [_exchange(_body(ASK), str(number)) for number in range(3)]
    assert _take(match, recorded, *[_body(ASK)] * 4) == [0, 1, 2, None]


def test_equal_requests_between_others_keep_their_order() -> None:
    recorded = [_exchange(_body(ASK), "0"), RECORDED[1], _exchange(_body(ASK), "2")]
    assert _take(Match.EXACT, recorded, _body(ASK, CALLS, RESULTS), _body(ASK), _body(ASK)) == [1, 0, 2]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://127.0.0.1:8000/case-7/v1/messages", [0]),
        ("https://gateway.example/v1/messages?beta=true", [0]),
        ("https://api.anthropic.com/v1/messages/count_tokens", [None]),
    ],
)
def test_the_host_does_not_count_and_the_operation_does(url: str, found: list[int | None]) -> None:
    assert _take(Match.EXACT, RECORDED, _body(ASK), url=url) == found


@pytest.mark.parametrize("match", [Match.EXACT, Match.CONVERSATION])
def test_a_count_of_tokens_is_matched_by_its_body(match: Match) -> None:
    url = f"{URL}/count_tokens"
    recorded = [_exchange({"model": "m", "messages": [ASK]}, "0", url), _exchange({}, "1", url)]
    assert _take(match, recorded, {}, {"model": "m", "messages": [ASK]}, {}, url=url) == [1, 0, None]


def test_a_thread_is_matched_by_the_whole_conversation() -> None:
    first = _exchange(_body(ASK, thread={"type": "start"}), "a")
    reply = {"type": "message", "id": "msg_a", "role": "assistant", "stop_reason": "tool_use", **CALLS}
    first = Exchange("POST", URL, {}, first.body, HttpResponse(200, {}, json.dumps(reply).encode()))
    go_on = {"type": "continue", "previous_message_id": "msg_a"}
    second = _exchange(_body(RESULTS, thread=go_on), "b")
    playback, conversations = Playback((first, second), Match.CONVERSATION), Conversations()
    whole = [_body(ASK), _body(ASK, CALLS, _results(t1="RAIN", t2="SUN"))]  # a loop that repeats the history
    taken = []
    for body in whole:
        parsed = read_request(_request(body))
        assert parsed is not None
        taken.append(playback.take(_request(body), conversations.judge(parsed)))
    assert taken == [first, second]


def test_what_was_not_played_is_left_over() -> None:
    playback = Playback(RECORDED, Match.EXACT)
    before = playback.left_over
    playback.take(_request(RECORDED[1].body), None)
    assert (before, playback.left_over) == ((0, 1), (0,))


def _miss(
    match: Match, recorded: Sequence[Exchange], body: Json, *, played: Sequence[Json] = (), url: str = URL
) -> Miss:
    playback, conversations = Playback(recorded, match), Conversations()
    for earlier in played:
        parsed = read_request(_request(earlier))
        assert parsed is not None
        assert playback.take(_request(earlier), conversations.judge(parsed)) is not None
    request = _request(body, url)
    parsed = read_request(request) if url == URL else None
    verdict = conversations.judge(parsed) if parsed is not None else None
    assert playback.take(request, verdict) is None
    return explain(request, verdict, playback)


@dataclass(frozen=True)
class Words:
    id: str
    body: Json
    text: str
    played: int = 1
    recorded: Sequence[Exchange] = RECORDED
    url: str = URL


_NEAREST = "no recorded exchange answers this request; nearest is exchange "
_BODIES: Final[list[Json]] = [_body(ASK), _body(ASK, CALLS, RESULTS)]
MISSES: Final = (
    Words("another result", _body(ASK, CALLS, _results(t1="snow", t2="sun")), _NEAREST + "1: turn 2, result of get_weather for Oslo: recorded `rain`, now `snow`; all before it equal"),
    Words("another status", _body(ASK, CALLS, _user([{**RESULTS["content"][0], "is_error": True}, RESULTS["content"][1]])), _NEAREST + "1: turn 2, result of get_weather for Oslo: recorded `success: rain`, now `error: rain`; all before it equal"),
    Words("another id", _body(ASK, CALLS, _results(t9="rain", t2="sun")), _NEAREST + "1: turn 2, id of the result of get_weather for Oslo: recorded `t1`, now `t9`; all before it equal"),
    Words("a result less", _body(ASK, CALLS, _results(t1="rain")), _NEAREST + "1: turn 2, result of get_weather for Rome: recorded `sun`, now nothing; all before it equal"),
    Words("another call", _body(ASK, _calls(t1="Bergen", t2="Rome"), RESULTS), _NEAREST + "1: turn 1, call of get_weather for Oslo, city: recorded `Oslo`, now `Bergen`; all before it equal"),
    Words("another role", _body(ASK, _user("Hello?")), _NEAREST + "1: turn 1, role of message 1: recorded `assistant`, now `user`; all before it equal"),
    Words("another prompt", _body(_user("Weather now?")), _NEAREST + "0: turn 1, user text: recorded `Weather?`, now `Weather now?`", played=0),
    Words("a long text", _body(_user("x" * 500)), _NEAREST + f"0: turn 1, user text: recorded `Weather?`, now `{'x' * 80}…`", played=0),
    Words("a result's form", _body(ASK, CALLS, _results(t1=[{"type": "text", "text": "rain"}], t2="sun")), _NEAREST + '1: turn 2, result of get_weather for Oslo, content: recorded `rain`, now `[{"text": "rain", "type": "text"}]`; all before it equal'),
    Words("what only Python takes for equal", _body(ASK, CALLS, RESULTS, max_tokens=9.0), _NEAREST + "1: max_tokens: recorded `9`, now `9.0`; all messages equal"),
    Words("results in another order", _body(ASK, CALLS, _results(t2="sun", t1="rain")), _NEAREST + "1: turn 2, order: recorded `result of get_weather for Oslo; result of get_weather for Rome`, now `result of get_weather for Rome; result of get_weather for Oslo`; all before it equal"),
    Words("another field", _body(ASK, CALLS, RESULTS, system="New."), _NEAREST + "1: system: recorded nothing, now `New.`; all messages equal"),
    Words("a field that went", {key: value for key, value in _body(ASK, CALLS, RESULTS).items() if key != "max_tokens"}, _NEAREST + "1: max_tokens: recorded `9`, now nothing; all messages equal"),
    Words("messages more", _body(ASK, CALLS, RESULTS, {"role": "assistant", "content": "Hm."}, _user("Go on.")), _NEAREST + "1: it ends with turn 2, this request with turn 3"),
    Words("messages less", _body(ASK, CALLS), _NEAREST + "1: it ends with turn 2, this request with turn 1"),
    Words("the first request again", _body(ASK), _NEAREST + "1: it ends with turn 2, this request with turn 1"),
    Words("used up", _body(ASK), "the recording is used up: its 2 exchanges were played and the loop asked once more", played=2),
    Words("no conversation", {"model": "m"}, f"no recorded exchange answers POST {URL}/count_tokens", played=0, url=f"{URL}/count_tokens"),
    Words("no messages", {"model": "m"}, _NEAREST + "0: it ends with turn 1, this request with turn 0", played=0),
    Words("a lone surrogate", _body(_user("\ud800")), _NEAREST + "0: turn 1, user text: recorded `Weather?`, now `\\ud800`", played=0),
)  # fmt: skip


@pytest.mark.parametrize("case", MISSES, ids=lambda case: case.id)
def test_a_miss_says_what_is_nearest_and_where_it_differs(case: Words) -> None:
    miss = _miss(Match.EXACT, case.recorded, case.body, played=_BODIES[: case.played], url=case.url)
    assert miss.text == case.text
    miss.text.encode()


@pytest.mark.parametrize(
    "body", [{"messages": 5}, {"messages": [5]}, {"messages": [{"role": 5, "content": {}}]}], ids=str
)
@pytest.mark.parametrize("match", [Match.EXACT, Match.CONVERSATION])
def test_hostile_requests_are_misses_too(match: Match, body: Json) -> None:
    assert _miss(match, RECORDED, body).text.startswith(_NEAREST)


def test_any_order_takes_time_in_proportion() -> None:
    recorded = [_exchange(_body(_user(f"prompt {number}")), str(number)) for number in range(3000)]
    playback = Playback(recorded, Match.EXACT)
    taken = [playback.take(_request(exchange.body), None) for exchange in reversed(recorded)]
    assert (taken, playback.left_over) == (recorded[::-1], ())


@pytest.mark.parametrize("match", [Match.EXACT, Match.CONVERSATION])
def test_a_count_of_tokens_answers_no_turn(match: Match) -> None:
    recorded = [_exchange(_body(ASK), "count", f"{URL}/count_tokens"), _exchange(_body(ASK), "turn")]
    assert _take(match, recorded, _body(ASK), _body(ASK)) == [1, None]
    assert _take(match, recorded, _body(ASK), _body(ASK), url=f"{URL}/count_tokens") == [0, None]


def _given(value: object, *more: Json) -> Json:
    use = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"days": value}}
    return _body(ASK, {"role": "assistant", "content": [use]}, _results(t1="rain"), *more)


@pytest.mark.parametrize(("recorded", "sent"), [(1, True), (True, 1), (1, 1.0), (0, False), ([1], [True])])
def test_what_only_python_takes_for_equal_is_another_request(recorded: object, sent: object) -> None:
    assert _take(Match.EXACT, [_exchange(_given(recorded))], _given(sent)) == [None]
    assert _take(Match.EXACT, [_exchange(_body(ASK, top_k=recorded))], _body(ASK, top_k=sent)) == [None]


def test_a_history_that_is_changed_to_what_only_python_takes_for_equal_is_told() -> None:
    recorded = [_exchange(_given(1)), _exchange(_given(1, _user("And now?")))]
    assert _take(Match.EXACT, recorded, _given(1), _given(True, _user("And now?"))) == [0, None]


@pytest.mark.parametrize("match", [Match.EXACT, Match.CONVERSATION])
def test_a_request_keeps_saying_what_it_said(match: Match) -> None:
    playback, conversations = Playback([_exchange(_given(1)), _exchange(_given(1))], match), Conversations()
    for body in (_given(1), _given(True)):
        request = _request(body)
        parsed = read_request(request)
        assert parsed is not None
        playback.take(request, conversations.judge(parsed))
        assert json.dumps(request.json) == json.dumps(body)


def test_a_model_that_is_no_text_is_a_miss() -> None:
    assert _take(Match.EXACT, RECORDED, _body(ASK, model=["m"])) == [None]
