from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.projects import MODEL, Json, asks, says, use
from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.playing import Player
from toolreplay.fuzzer.table import Row, Said, table_of
from toolreplay.loop import run
from toolreplay.runner.loops import Target

TOOL: Final[Json] = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
    "stub": [
        {"when": {"city": "Oslo"}, "return": "4 degrees"},
        {"when": {"city": "Rome"}, "raise": {"type": "LookupError", "message": "no Rome"}},
        {"when": {"city": "Bern"}, "hang": 0.001},
        {"when": {"city": "Bonn"}, "garbage": "bytes"},
        {"when": {"city": "Kiel"}, "blocks": [{"type": "text", "text": "2 degrees"}]},
        {"when": {"city": "Graz"}, "exit": True},
    ],
}
ASKED: Final = Said(0, "user", "How is it?")
OSLO: Final = ('get_weather {"city": "Oslo"}', "returned: 4 degrees", "success: 4 degrees")
CUT: Final[Json] = {**asks("Oslo"), "stop_reason": "max_tokens"}


def case(*scripts: list[Json], prompt: object = "How is it?", **fields: Any) -> Case:
    steps = [{"user": prompt, "script": script, "expect": {"raises": "allow"}} for script in scripts]
    return Case({"version": 1, "name": "drawn", "model": MODEL, "tools": [TOOL], "conversation": steps, **fields})


@dataclass(frozen=True)
class Shown:
    """A conversation of the reference loop and the lines that its table must have after the first prompt."""

    id: str
    case: Case
    lines: tuple[Row | Said, ...]


SHOWN: Final = (
    Shown("an ordinary one", case([asks("Oslo"), says()]), (Row(1, 1, 1, *OSLO),)),
    Shown(
        "two calls and a second prompt",
        case([asks("Oslo", "Rome")], [asks("Oslo", first=3)]),
        (
            Row(1, 1, 1, *OSLO),
            Row(1, 1, 1, 'get_weather {"city": "Rome"}', "raised: no Rome", "error: no Rome"),
            ASKED,
            Row(2, 1, 3, *OSLO),
        ),
    ),
    Shown(
        "a call cut off",
        case([CUT]),
        (
            Said(1, "model", "stop_reason max_tokens"),
            Row(1, 1, 1, 'get_weather {"city": "Oslo"}', "not run", "nothing"),
        ),
    ),
    Shown("nothing at all", case([{"content": []}]), (Said(1, "model", "an empty reply"),)),
    Shown(
        "a pause",
        case([{**says(), "stop_reason": "pause_turn"}, says()]),
        (Said(1, "model", "stop_reason pause_turn"),),
    ),
    Shown(
        "errors and then a reply",
        case([{"http_error": 529}, {"reset": True}, asks("Oslo")]),
        (Said(0, "API", "529"), Said(0, "API", "the connection breaks"), Row(1, 3, 1, *OSLO)),
    ),
    Shown(
        "a reply with more than calls",
        case([{"content": [{"type": "text", "text": "Well."}, use("toolu_1", city="Oslo")]}]),
        (Said(1, "model", "with text"), Row(1, 1, 1, *OSLO)),
    ),
    Shown(
        "a stream in pieces",
        case([{**asks("Oslo"), "piece": 1}], stream=True),
        (Said(1, "model", "in pieces of 1 byte"), Row(1, 1, 1, *OSLO)),
    ),
    Shown(
        "a history",
        case([says()], history=[{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]),
        (),
    ),
)


@pytest.mark.parametrize("shown", SHOWN, ids=lambda one: one.id)
def test_a_conversation_as_it_was_played(shown: Shown) -> None:
    first, *lines = table_of(shown.case, rows(shown.case))
    if "history" in shown.case.document:
        assert first == Said(0, "history", "2 messages")
        first, *lines = lines
    assert (first, tuple(lines)) == (ASKED, shown.lines)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({**asks("Oslo"), "cut_after": 300}, "the stream ends after 300 bytes"),
        ({**asks("Oslo"), "error_after": 1}, "the stream ends in an error after 1 event"),
        ({"content": [{**use("toolu_1"), "input": '{"city": "O'}]}, "with input that is no JSON"),
    ],
    ids=["cut", "error", "no JSON"],
)
def test_a_stream_that_breaks(reply: Json, words: str) -> None:
    broken = case([reply], stream=True)
    assert Said(1, "model", words) in {Said(1, one.who, one.what) for one in said(broken)}


def test_what_the_loop_never_asked_for_is_left_out() -> None:
    def gives_up(client: Any, model: str, max_tokens: int, messages: list[Json], tools: list[Json]) -> None:
        client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)

    found = case([asks("Oslo"), asks("Rome", first=2)])
    assert [line.call for line in table_of(found, rows(found, gives_up)) if isinstance(line, Row)] == [OSLO[0]]


def test_a_refused_request() -> None:
    def forgets(client: Any, model: str, max_tokens: int, messages: list[Json], tools: list[Json]) -> None:
        reply = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
        messages += [reply.to_dict(), {"role": "user", "content": "Well?"}]
        messages[-2] = {"role": "assistant", "content": messages[-2]["content"]}
        client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)

    found = case([asks("Oslo"), says()])
    lines = table_of(found, rows(found, forgets, strict=True))
    assert list(lines)[-1] == Said(0, "API", "400, the request is refused")


def test_a_conversation_that_came_to_no_end_shows_what_was_to_be_played() -> None:
    cities = ("Oslo", "Rome", "Bern", "Bonn", "Kiel", "Graz", "Ulm")
    calls = [use(f"toolu_{number}", city=city) for number, city in enumerate(cities)]
    found = case([{"http_error": 500}, {"content": [*calls, use("toolu_9", "no_such_tool")]}], [], [{"content": []}])
    lines = list(table_of(found))
    assert lines[:2] == [ASKED, Said(0, "API", "500")]
    assert [(one.turn, one.did, one.sent) for one in lines if isinstance(one, Row)] == [
        (1, "returns 4 degrees", "not known"),
        (1, "raises LookupError", "not known"),
        (1, "hangs 0.001 s", "not known"),
        (1, "returns bytes", "not known"),
        (1, "returns content blocks", "not known"),
        (1, "ends the process", "not known"),
        (1, "", "not known"),
        (1, "there is none", "not known"),
    ]
    assert lines[-3:] == [ASKED, ASKED, Said(3, "model", "an empty reply")]


def test_a_prompt_of_blocks() -> None:
    blocks = [{"type": "text", "text": "What is this?"}, {"type": "image", "file": "a.png"}]
    found = Case({**case([]).document, "conversation": [{"user": blocks}]})
    assert next(iter(table_of(found, [Row(1, 1, 1)]))) == Said(0, "user", "What is this? [image]")


def said(found: Case) -> list[Said]:
    return [line for line in table_of(found, rows(found)) if isinstance(line, Said)]


def rows(found: Case, loop: Any = run, *, strict: bool = False) -> tuple[Row, ...]:
    return Player(Target("loop", loop), strict=strict, deadline=30, in_full=True).here(found).rows
