from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.loops.planted import planted
from tests.projects import asks, outline, place, says, weather
from toolreplay.runner.open_calls import OpenCalls
from toolreplay.runner.run import Outcome
from toolreplay.wire.messages import parse_reply

Json = dict[str, Any]

ASKED: Json = {"user": "What is the weather?"}


def raises_at_the_limit(
    client: Any, model: str, max_tokens: int, max_turns: int, messages: list[Json], tools: list[Json]
) -> None:
    client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
    raise RuntimeError(f"no more than {max_turns} replies")


@dataclass(frozen=True)
class Case:
    id: str
    conversation: list[Json]
    script: list[Json]
    said: list[tuple[str, str]] = field(default_factory=list)
    loop: Callable[..., object] = field(default_factory=planted)
    fields: Json = field(default_factory=dict)


OPEN: Json = {**ASKED, "expect": {"pending": ["get_weather"]}}
ALLOW: Json = {"approve": {"get_weather": "allow"}}
LIMIT: Json = {**ASKED, "expect": {"stop_reason": "tool_use", "turns": 1}}
CASES = (
    Case("open at the end of its step, answered later", [OPEN, ALLOW], [asks("Oslo"), says()]),
    Case(
        "nothing open after the approval",
        [OPEN, {**ALLOW, "expect": {"pending": []}}],
        [asks("Oslo"), says()],
    ),
    Case(
        "not open once it is answered",
        [{**ASKED, "expect": {"pending": ["get_weather"]}}],
        [asks("Oslo"), says()],
        [("FAIL", "expected open calls ['get_weather'], open are []")],
    ),
    Case(
        "open and not expected to be",
        [{**ASKED, "expect": {"pending": []}}, ALLOW],
        [asks("Oslo"), says()],
        [("FAIL", "expected open calls [], open are ['get_weather']")],
    ),
    Case(
        "the limit is told by an exception",
        [LIMIT],
        [asks("Oslo")],
        [],
        raises_at_the_limit,
        {"max_turns": 1},
    ),
    Case(
        "an exception before the limit",
        [LIMIT],
        [asks("Oslo")],
        [("TR609", "error")],
        raises_at_the_limit,
        {"max_turns": 2},
    ),
    Case(
        "an exception at a limit that is not expected",
        [ASKED],
        [asks("Oslo")],
        [("TR609", "error")],
        raises_at_the_limit,
        {"max_turns": 1},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_step_is_judged_by_what_was_so_at_its_end(case: Case, tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(conversation=case.conversation, script=case.script, **case.fields))
    run = place(tmp_path).play(scenario, case.loop)
    assert (outline(run), run.outcome) == (case.said, Outcome.FAIL if case.said else Outcome.PASS)


def test_a_run_belongs_to_the_newest_equal_call() -> None:
    calls = OpenCalls()
    for turn, ids in enumerate((("denied",), ("first", "second")), 1):
        content = [{"type": "tool_use", "id": one, "name": "weather", "input": {"city": "Oslo"}} for one in ids]
        calls.add(parse_reply({"content": content, "stop_reason": "tool_use"}), turn, 1, "")
    claimed = [calls.claim("weather", {"city": "Oslo"}) for _ in range(4)]
    assert claimed == ["first", "second", "denied", "second"]


def test_a_run_belongs_to_a_call_whose_broken_input_was_mended() -> None:
    calls = OpenCalls()
    broken = {"type": "tool_use", "id": "broken", "name": "weather", "input": '{"city": "Os'}
    calls.add(parse_reply({"content": [broken], "stop_reason": "tool_use"}), 1, 1, "")
    assert calls.claim("weather", {"city": "Os"}) == "broken"
    assert calls.claim("time", {}) is None
