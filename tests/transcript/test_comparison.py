from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import pytest

from tests.transcript.build import (
    URL,
    Json,
    assistant,
    body,
    call,
    exchange,
    loop,
    nested,
    reply,
    result,
    text,
    transcript,
    user,
)
from toolreplay.errors import CassetteError
from toolreplay.transcript.comparison import Compared, compare
from toolreplay.transcript.read import Asked
from toolreplay.transcript.read import transcript as read
from toolreplay.wire.messages import parse_request

OTHER_TOOL: Final[Json] = {"name": "get_news", "input_schema": {"type": "object"}}
TYPED: Final[Json] = {"name": "get_weather", "input_schema": {"type": "object", "required": ["city"]}}
WEATHER: Final[Json] = {"name": "get_weather", "input_schema": {"type": "object"}}
OSLO: Final = "get_weather for Oslo"
ROME: Final = "get_weather for Rome"
HELLO: Final = exchange(body(user("Hello?")), reply(assistant(text("Hello."))))
OVERLOADED: Final[Json] = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@dataclass(frozen=True)
class Case:
    """Two recordings, what is told of them, how many turns are equal, and the ids that differ."""

    id: str
    now: list[Json]
    told: list[str]
    equal: tuple[int, int]
    ids: list[tuple[str, str]] = field(default_factory=list)
    recorded: list[Json] = field(default_factory=loop)


def _parallel(*cities: str, found: dict[str, str] | None = None) -> list[Json]:
    """One turn with parallel calls, and a request with their results."""
    asks = assistant(*(call(f"{city}-1", city=city) for city in cities))
    answers = user([result(f"{city}-1", (found or {}).get(city, "4")) for city in cities])
    return [exchange(body(user("Hi")), reply(asks)), exchange(body(user("Hi"), asks, answers), reply(assistant()))]


def _pictured(data: str) -> Json:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    return exchange(body(user([image])), reply(assistant()))


CASES: Final = (
    Case("itself", loop(), [], (2, 2)),
    Case("other ids throughout", loop(ids=("a", "b")), [], (2, 2), [("t1", "a"), ("t2", "b")]),
    Case(
        "another result",
        loop(found="19"),
        ["turn 2, result of get_weather for Oslo: recorded `18`, now `19`"],
        (1, 2),
    ),
    Case(
        "another result under other ids",
        loop(ids=("t2", "t1"), found="19"),
        ["turn 2, result of get_weather for Oslo: recorded `18`, now `19`"],
        (1, 2),
        [("t1", "t2"), ("t2", "t1")],
    ),
    Case(
        "another status",
        loop(lost=result("t2", "no such city")),
        [
            "turn 2, result of get_weather for Atlantis: recorded `error: no such city`, now `success: no such city`",
        ],
        (1, 2),
    ),
    Case("a result in another form", loop(lost=result("t2", [text("no such city")], is_error=True)), [], (2, 2)),
    Case(
        "a result of another call",
        loop(lost=result("t9", "no such city", is_error=True)),
        [
            "turn 2, result of get_weather for Atlantis: recorded `no such city`, now nothing",
            "turn 2, result of t9: recorded nothing, now `no such city`",
        ],
        (1, 2),
    ),
    Case(
        "another input",
        loop(cities=("Oslo", "Avalon")),
        ["turn 1, call of get_weather for Atlantis, city: recorded `Atlantis`, now `Avalon`"],
        (1, 2),
    ),
    Case("another final text", loop(final="19."), ["turn 2, reply: recorded `18 in Oslo.`, now `19.`"], (1, 2)),
    Case(
        "a turn less",
        loop()[:1],
        ["turn 2, all of it: recorded `18; no such city; 18 in Oslo.`, now nothing"],
        (1, 2),
    ),
    Case(
        "a turn more",
        loop(),
        ["turn 2, all of it: recorded nothing, now `18; no such city; 18 in Oslo.`"],
        (1, 2),
        recorded=loop()[:1],
    ),
    Case("another model", loop(model="n"), ["model: recorded `m`, now `n`"], (1, 2)),
    Case("a system text", loop(system="Be brief."), ["system: recorded nothing, now `Be brief.`"], (1, 2)),
    Case("a system text in another form", loop(system=[text("Hi")]), [], (2, 2), recorded=loop(system="Hi")),
    Case(
        "another parameter and tools",
        loop(max_tokens=10, tools=[TYPED, OTHER_TOOL]),
        [
            'tool get_weather, input_schema.required: recorded nothing, now `["city"]`',
            'tool get_news: recorded nothing, now `{"input_schema": {"type": "object"}, "name": "get_news"}`',
            "max_tokens: recorded `9`, now `10`",
        ],
        (1, 2),
    ),
    Case(
        "tools in another order",
        loop(tools=[OTHER_TOOL, WEATHER]),
        ["order of the tools: recorded `get_weather, get_news`, now `get_news, get_weather`"],
        (1, 2),
        recorded=loop(tools=[WEATHER, OTHER_TOOL]),
    ),
    Case("a cache mark on a tool", loop(tools=[{**WEATHER, "cache_control": {"type": "ephemeral"}}]), [], (2, 2)),
    Case(
        "a tool that went",
        loop(tools=[WEATHER]),
        ['tool get_news: recorded `{"input_schema": {"type": "object"}, "name": "get_news"}`, now nothing'],
        (1, 2),
        recorded=loop(tools=[WEATHER, OTHER_TOOL]),
    ),
    Case(
        "calls in another order",
        _parallel("Rome", "Oslo"),
        [
            f"turn 1, order: recorded `call of {OSLO}; call of {ROME}`, now `call of {ROME}; call of {OSLO}`",
            f"turn 2, order: recorded `result of {OSLO}; result of {ROME}`, now `result of {ROME}; result of {OSLO}`",
        ],
        (0, 2),
        recorded=_parallel("Oslo", "Rome"),
    ),
    Case(
        "a call more",
        _parallel("Oslo", "Rome", found={"Rome": "22"}),
        [
            'turn 1, call of get_weather for Rome: recorded nothing, now `get_weather {"city": "Rome"}`',
            "turn 2, result of get_weather for Rome: recorded nothing, now `22`",
        ],
        (0, 2),
        recorded=_parallel("Oslo"),
    ),
    Case(
        "another stop reason",
        [exchange(body(user("Hello?")), reply(assistant(text("Hello.")), stop="max_tokens"))],
        ["turn 1, stop reason: recorded `end_turn`, now `max_tokens`"],
        (0, 1),
        recorded=[HELLO],
    ),
    Case(
        "an error",
        [exchange(body(user("Hello?")), OVERLOADED, status=529)],
        ["turn 1, answer: recorded `a reply: Hello.`, now `error 529 overloaded_error: Overloaded`"],
        (0, 1),
        recorded=[HELLO],
    ),
    Case(
        "an error that was tried again",
        [exchange(body(user("Hello?")), OVERLOADED, status=529), HELLO],
        ["turn 1, all of it: recorded nothing, now `Hello?; error 529 overloaded_error: Overloaded`"],
        (1, 2),
        recorded=[HELLO],
    ),
    Case(
        "other thinking, and another signature",
        [exchange(body(user("Hi")), reply(assistant({"type": "thinking", "thinking": "Two.", "signature": "b"})))],
        ["turn 1, thinking: recorded `One.`, now `Two.`"],
        (0, 1),
        recorded=[
            exchange(body(user("Hi")), reply(assistant({"type": "thinking", "thinking": "One.", "signature": "a"})))
        ],
    ),
    Case(
        "another image of the same size",
        [_pictured("aGEK")],
        ["turn 1, image block, data: recorded `aGkK`, now `aGEK`"],
        (0, 1),
        recorded=[_pictured("aGkK")],
    ),
    Case(
        "content that is none",
        [exchange(body(user({"a": 2})), reply(assistant()))],
        ['turn 1, content that is no content: recorded `{"a": 1}`, now `{"a": 2}`'],
        (0, 1),
        recorded=[exchange(body(user({"a": 1})), reply(assistant()))],
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_two_recordings_are_compared_in_words_of_the_conversation(case: Case) -> None:
    found = compare(transcript(*case.recorded), transcript(*case.now))
    (only,) = found.conversations
    told = [str(difference) for difference in only.differences]
    assert (told, (found.equal, found.turns), list(only.ids)) == (case.told, case.equal, case.ids)
    assert found.differs is bool(case.told)


def test_a_turn_that_was_put_in_moves_no_other() -> None:
    ask = user("Hello?")
    first, second = assistant(text("One.")), assistant(text("Two."))
    before = [exchange(body(ask), reply(first, 1)), exchange(body(ask, first, user("Go on.")), reply(second, 2))]
    paused = exchange(body(ask), reply(assistant(text("Wait.")), 3, "pause_turn"))
    (found,) = compare(transcript(*before), transcript(paused, *before)).conversations
    assert [str(one) for one in found.differences] == ["turn 1, all of it: recorded nothing, now `Hello?; Wait.`"]
    assert (found.equal, found.turns) == (2, 3)


def test_conversations_find_their_own() -> None:
    other = exchange(body(user("And you?")), reply(assistant(text("Fine."))))
    found = compare(transcript(*loop(), HELLO), transcript(other, *loop(found="19"), HELLO))
    assert [(one.recorded, one.now, len(one.differences), one.equal, one.turns) for one in found.conversations] == [
        (None, 1, 0, 0, 1),
        (1, 2, 1, 1, 2),
        (2, 3, 0, 1, 1),
    ]
    assert (found.differs, found.equal, found.turns) == (True, 2, 4)


def test_a_conversation_that_one_side_alone_has_is_a_difference() -> None:
    found = compare(transcript(HELLO), transcript(HELLO, *loop()))
    assert found.conversations == (Compared(1, 1, (), 1, 1), Compared(None, 2, (), 0, 2))
    assert found.differs


def test_another_wire_is_told_and_its_parameters_are_not_compared() -> None:
    url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"
    sent = {"messages": [user([{"text": "Hello?"}])], "inferenceConfig": {"maxTokens": 9}}
    answer = {"output": {"message": assistant({"text": "Hello."})}, "stopReason": "end_turn"}
    (found,) = compare(transcript(HELLO), transcript(exchange(sent, answer, url=url))).conversations
    assert [str(one) for one in found.differences] == ["wire: recorded `messages`, now `converse`"]


def test_a_stream_that_was_cut_is_told() -> None:
    cut = 'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "content": []}}\n\n'
    sent = {**exchange(body(user("Hi")), cut, url=URL)}
    whole = f'{cut}event: message_stop\ndata: {{"type": "message_stop"}}\n\n'
    (found,) = compare(transcript(exchange(body(user("Hi")), whole)), transcript(sent)).conversations
    assert [str(one) for one in found.differences] == ["turn 1, stream: recorded `complete`, now `cut off`"]


def test_what_is_nested_too_deeply_is_told() -> None:
    asked = [Asked(0, parse_request(body(user("Hello?"), deep=nested())), None) for _ in range(2)]
    first, second = (read(name, [one]) for name, one in zip(("a.json", "b.json"), asked, strict=True))
    with pytest.raises(CassetteError, match=r"^a\.json, b\.json: nested too deeply to be compared$"):
        compare(first, second)
