from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from toolreplay.cassette.sayings import Sayings, conversation_key
from toolreplay.wire.messages import parse_messages
from toolreplay.wire.model import Message

Json = dict[str, Any]

PROMPT: Final[Json] = {"role": "user", "content": "Oslo and Bergen?"}
CALLS: Final[Json] = {
    "role": "assistant",
    "content": [
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}},
        {"type": "tool_use", "id": "toolu_2", "name": "weather", "input": {}},
    ],
}


def result(number: int, content: str = "rain") -> Json:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content}


def results(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def key(messages: list[Json]) -> object:
    return Sayings(str.casefold).key(messages, parse_messages)


@dataclass(frozen=True)
class Case:
    id: str
    messages: list[Json]
    same: bool


ASKED: Final = [PROMPT, CALLS, results(result(1), result(2))]
CASES: Final = (
    Case("results in another order", [PROMPT, CALLS, results(result(2), result(1))], same=True),
    Case("results in two messages", [PROMPT, CALLS, results(result(1)), results(result(2))], same=True),
    Case("results with other content", [PROMPT, CALLS, results(result(1, "fog"), result(2))], same=True),
    Case(
        "a reminder beside the results",
        [*ASKED[:2], results(*ASKED[2]["content"], {"type": "text", "text": "Go on."})],
        same=True,
    ),
    Case("a prompt in other letters", [{**PROMPT, "content": "OSLO and Bergen?"}, *ASKED[1:]], same=True),
    Case("another prompt", [{**PROMPT, "content": "Rome?"}, *ASKED[1:]], same=False),
    Case("a result is missing", [PROMPT, CALLS, results(result(1))], same=False),
    Case("a further prompt", [*ASKED, {"role": "assistant", "content": "Rain."}, PROMPT], same=False),
    Case("the call of another reply", [PROMPT, {**CALLS, "content": CALLS["content"][:1]}, *ASKED[2:]], same=False),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_makes_two_requests_the_same_place_in_a_conversation(case: Case) -> None:
    assert (key(case.messages) == key(ASKED)) is case.same


def test_the_key_of_parsed_messages_is_the_same() -> None:
    assert conversation_key(parse_messages(ASKED), str.casefold) == key(ASKED)


def test_messages_that_requests_share_are_read_once() -> None:
    read: list[object] = []

    def reader(messages: Iterable[object], first: int) -> tuple[Message, ...]:
        found = parse_messages(messages, first)
        read.extend(found)
        return found

    sayings = Sayings(str)
    for count in (1, 2, 3, 3):
        sayings.key(ASKED[:count], reader)
    assert len(read) == len(ASKED)
