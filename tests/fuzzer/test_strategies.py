from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from jsonschema import Draft202012Validator

from tests.loops.planted import planted
from toolreplay.fuzzer.author import Author, Choices
from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.conversations import assistant_turns, conversations
from toolreplay.fuzzer.ground import TOOLS, Ground, plain_ground
from toolreplay.fuzzer.inputs import deepest, inputs, is_nested, plainest, unfit
from toolreplay.fuzzer.outcomes import EXCEPTIONS, GARBAGE, INTERRUPTIONS, SLOW, UNPRINTABLE, tool_outcomes
from toolreplay.fuzzer.playing import Player
from toolreplay.fuzzer.sweep import sweep
from toolreplay.loop import run
from toolreplay.runner.loops import Target
from toolreplay.scenario.load import load_text
from toolreplay.scenario.writing import scenario_text
from toolreplay.wire.model import Wire

Json = dict[str, Any]

_PLAIN: Final = plain_ground()


def _with(ground: Ground = _PLAIN, **fields: object) -> Ground:
    return replace(ground, fields={**ground.fields, **fields})


def _choosing(wire: Wire = Wire.MESSAGES, **choice: object) -> Ground:
    return _with(plain_ground(wire), model="claude-haiku-4-5", tool_choice=choice)


# Grounds on which the model must call a tool first, by the tools that it may choose from.
FORCED: Final[Mapping[str, tuple[Ground, frozenset[str]]]] = {
    "any": (_choosing(type="any"), frozenset({"look_up", "add"})),
    "a tool": (_choosing(type="tool", name="add"), frozenset({"add"})),
    "any on converse": (_choosing(Wire.CONVERSE, type="any"), frozenset({"look_up", "add"})),
    "any, one at a time": (_choosing(type="any", disable_parallel_tool_use=True), frozenset({"look_up", "add"})),
}
GROUNDS: Final[Mapping[str, Ground]] = {
    "messages": _PLAIN,
    "streamed": plain_ground(stream=True),
    "converse": plain_ground(Wire.CONVERSE),
    "streamed converse": plain_ground(Wire.CONVERSE, stream=True),
    "thinking": _with(max_tokens=4096, thinking={"type": "enabled", "budget_tokens": 2048}),
    "one at a time": _choosing(type="auto", disable_parallel_tool_use=True),
    **{name: ground for name, (ground, _) in FORCED.items()},
    "recorded": Ground(
        _PLAIN.fields,
        _PLAIN.tools,
        _PLAIN.callable,
        ("Look it up.",),
        (
            (
                {"content": [{"type": "tool_use", "id": "toolu_9", "name": "look_up", "input": {"key": "recorded"}}]},
                {"content": [{"type": "text", "text": "It is recorded."}]},
            ),
        ),
    ),
}
MANY: Final = 600
# Schemas as scenarios have them, beside those of the two small tools.
ODD_TOOLS: Final[tuple[Json, ...]] = (
    {"name": "without_fields", "input_schema": {"type": "object"}},
    {
        "name": "of_every_kind",
        "input_schema": {
            "type": "object",
            "properties": {
                "unit": {"enum": ["c", "f"]},
                "version": {"const": 2},
                "exact": {"type": "boolean"},
                "nothing": {"type": "null"},
                "maybe": {"type": ["string", "null"]},
                "ratio": {"type": "number"},
                "days": {"type": "array", "items": {"type": "integer"}},
                "place": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
                "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "one": {"oneOf": [{"type": "boolean"}, {"type": "string"}]},
                "open": {},
            },
            "required": [
                *("unit", "version", "exact", "nothing", "maybe", "ratio"),
                *("days", "place", "either", "one", "open"),
            ],
        },
    },
)


@cache
def drawn(ground: str, count: int = MANY, *, hostile: bool = False) -> tuple[Case, ...]:
    """The first cases of a search."""
    found: list[Case] = []
    decorate: Callable[[Any], Any] = settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    @seed(1)
    @decorate
    @given(case=conversations(GROUNDS[ground], hostile=hostile))
    def take(case: Case) -> None:
        found.append(case)

    take()
    return tuple(found)


@pytest.mark.parametrize("hostile", [False, True], ids=["usual", "hostile"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_every_case_is_a_scenario_that_a_file_can_hold(ground: str, hostile: bool) -> None:
    for case in drawn(ground, 15, hostile=hostile):
        (loaded,) = load_text(scenario_text(case.document, "schema.json"), "drawn")
        assert loaded.model_dump() == case.scenario().model_dump()


def replies(case: Case) -> Iterator[Json]:
    for step in case.document["conversation"]:
        yield from step.get("script", ())


def blocks(case: Case) -> Iterator[Json]:
    for reply in replies(case):
        yield from reply.get("content", ())


def calls(case: Case) -> list[Json]:
    return [block for block in blocks(case) if block["type"] == "tool_use"]


def uses(reply: Json) -> list[Json]:
    return [block for block in reply.get("content", ()) if block["type"] == "tool_use"]


Row = Callable[[Case], bool]


def entry(**fields: object) -> Row:
    """A tool has an entry with these fields."""
    return lambda case: any(fields.items() <= one.items() for one in case.entries() if one.get("when"))


def returned(fits: Callable[[Any], bool]) -> Row:
    return lambda case: any("return" in one and fits(one["return"]) for one in case.entries() if one.get("when"))


def raised(fits: Callable[[Mapping[str, Any]], bool]) -> Row:
    return lambda case: any(fits(one["raise"]) for one in case.entries() if "raise" in one)


def reply(fits: Callable[[Json], bool]) -> Row:
    return lambda case: any(fits(one) for one in replies(case))


def call(fits: Callable[[Json], bool]) -> Row:
    return lambda case: any(block["type"] == "tool_use" and fits(block) for block in blocks(case))


def _kinds(one: Json) -> list[str]:
    return [str(block["type"]) for block in one.get("content", ())]


def _repeats(one: Json) -> bool:
    asked = [(use["name"], str(use["input"])) for use in uses(one)]
    return len(set(asked)) < len(asked)


def _between(one: Json) -> bool:
    kinds = _kinds(one)
    return "text" in kinds[1:] and "tool_use" in kinds[kinds.index("text", 1) :] and kinds[0] != "text"


def _then_success(status: int) -> Row:
    def fits(case: Case) -> bool:
        scripts = [step.get("script", []) for step in case.document["conversation"]]
        pairs = [pair for script in scripts for pair in pairwise(script)]
        return any(first.get("http_error") == status and "content" in second for first, second in pairs)

    return fits


# Every row of what design and field reports ask for, by the ground on which it is drawn.
ROWS: Final[Mapping[str, Mapping[str, Row]]] = {
    "messages": {
        **{f"raises {name}": raised(lambda one, name=name: one["type"] == name) for name in EXCEPTIONS},  # type: ignore[misc]
        **{f"raises {name}": raised(lambda one, name=name: one["type"] == name) for name in INTERRUPTIONS},  # type: ignore[misc]
        **{f"returns garbage: {kind}": entry(garbage=kind) for kind in GARBAGE},
        **{f"{count} parallel calls": reply(lambda one, n=count: len(uses(one)) == n) for count in range(1, 9)},  # type: ignore[misc]
        **{f"{status}, then success": _then_success(status) for status in (429, 500, 529)},
        "raises what has no text": raised(lambda one: one["type"] == UNPRINTABLE),
        "raises without a message": raised(lambda one: one.get("message") == ""),
        "raises with a blank message": raised(lambda one: one.get("message") == "   "),
        "raises with a message of several lines": raised(lambda one: "\n" in one.get("message", "")),
        "raises with half a surrogate pair": raised(lambda one: "\ud83d" in one.get("message", "")),
        "returns nothing": returned(lambda value: value is None),
        "returns an empty text": returned(lambda value: value == ""),
        "returns a blank text": returned(lambda value: isinstance(value, str) and value.isspace()),
        "returns a long text": returned(lambda value: isinstance(value, str) and len(value) > 30_000),
        "returns an object": returned(lambda value: isinstance(value, dict) and bool(value)),
        "returns a list": returned(lambda value: isinstance(value, list) and bool(value)),
        "returns an empty list": returned(lambda value: value == []),
        "returns an empty object": returned(lambda value: value == {}),
        "returns a truth value": returned(lambda value: value is True),
        "returns an untruth": returned(lambda value: value is False),
        "returns a number": returned(lambda value: isinstance(value, float)),
        "returns zero": returned(lambda value: value == 0 and value is not False),
        "returns what looks like blocks": returned(lambda value: isinstance(value, list) and "type" in str(value)),
        "returns blocks": lambda case: any("blocks" in one for one in case.entries()),
        "returns an image": lambda case: any(len(one.get("blocks", ())) > 1 for one in case.entries()),
        "hangs": lambda case: any("hang" in one for one in case.entries()),
        "hangs longer than a loop may wait": entry(hang=SLOW),
        "mutates its input": entry(mutate=True),
        "mutates what is nested in its input": lambda case: any(
            one.get("mutate") and any(map(is_nested, one["when"]["equals"].values())) for one in case.entries()
        ),
        "unknown tool": call(lambda use: use["name"] == "no_such_tool"),
        "a property is missing": call(lambda use: use["name"] != "no_such_tool" and use["input"] == {}),
        "a property has another type": call(lambda use: "another type" in str(use["input"])),
        "a call is repeated": reply(_repeats),
        "text between calls": reply(_between),
        "cut by max_tokens": reply(lambda one: one.get("stop_reason") == "max_tokens" and bool(uses(one))),
        "cut within an input": reply(
            lambda one: one.get("stop_reason") == "max_tokens" and [use["input"] for use in uses(one)] == [{}]
        ),
        "paused": reply(lambda one: one.get("stop_reason") == "pause_turn"),
        "refused": reply(lambda one: one.get("stop_reason") == "refusal"),
        "an empty end": reply(lambda one: one.get("content") == [] and one.get("stop_reason") == "end_turn"),
        "a lost connection": reply(lambda one: bool(one.get("reset"))),
        "several turns": lambda case: (
            sum(bool(uses(one)) for one in case.document["conversation"][0]["script"]) > 2
            if "script" in case.document["conversation"][0]
            else False
        ),
        "calls in the second prompt": lambda case: any(map(uses, case.document["conversation"][1].get("script", ()))),
    },
    "streamed": {
        "one byte at a time": reply(lambda one: one.get("piece") == 1),
        "cut off": reply(lambda one: "cut_after" in one),
        "an error in the stream": reply(lambda one: "error_after" in one),
        "an input that is no JSON": reply(
            lambda one: "stop_reason" not in one and any(isinstance(use["input"], str) for use in uses(one))
        ),
        "cut within an input": reply(
            lambda one: (
                one.get("stop_reason") == "max_tokens" and any(isinstance(use["input"], str) for use in uses(one))
            )
        ),
    },
    "converse": {"503, then success": _then_success(503)},
    "thinking": {
        "thinking": reply(lambda one: _kinds(one)[:2] == ["thinking", "tool_use"]),
        "thinking that is redacted in part": reply(lambda one: _kinds(one)[:2] == ["thinking", "redacted_thinking"]),
        "redacted thinking": reply(lambda one: _kinds(one)[:2] == ["redacted_thinking", "tool_use"]),
    },
    "recorded": {
        "a recorded call": call(lambda use: use["input"] == {"key": "recorded"}),
        "a generated call beside a recording": call(lambda use: use["id"] == "toolu_01"),
    },
}


@pytest.mark.parametrize(
    ("ground", "row"), [(ground, row) for ground, rows in ROWS.items() for row in rows], ids=lambda value: str(value)
)
def test_every_row_is_drawn(ground: str, row: str) -> None:
    assert any(map(ROWS[ground][row], drawn(ground, MANY if ground == "messages" else 250)))


# What has more than one cause, or no fault in it at all.
DRAWN_ONLY: Final = frozenset(
    [
        *(f"{count} parallel calls" for count in range(3, 9)),
        "text between calls",
        "several turns",
        "calls in the second prompt",
    ]
)


def test_every_row_with_one_cause_is_swept() -> None:
    swept = {ground: tuple(sweep(GROUNDS[ground])) for ground in ROWS}
    missing = {row for ground, rows in ROWS.items() for row, fits in rows.items() if not any(map(fits, swept[ground]))}
    assert missing == DRAWN_ONLY


@pytest.mark.parametrize("ground", GROUNDS)
def test_what_is_swept_differs_and_stands_in_files(ground: str) -> None:
    swept = tuple(sweep(GROUNDS[ground]))
    assert len({case.key for case in swept}) == len(swept)
    for case in swept:
        (loaded,) = load_text(scenario_text(case.document, "schema.json"), "swept")
        assert loaded.model_dump() == case.scenario().model_dump()


def test_ids_stand_once_and_equal_calls_fare_alike() -> None:
    for case in drawn("messages"):
        ids = [block["id"] for block in blocks(case) if block["type"] == "tool_use"]
        assert len(set(ids)) == len(ids)
        for tool in case.document["tools"]:
            keys = [str(one["when"]) for one in tool["stub"] if "when" in one]
            assert len(set(keys)) == len(keys)


@st.composite
def turns_with_slow_tools(draw: st.DrawFn) -> Json:
    """Turns in which every tool whose outcome is drawn is slow."""

    def slowly(strategy: SearchStrategy[Any]) -> Any:
        return {"hang": SLOW} if strategy is tool_outcomes(author.stubs.marker) else draw(strategy)

    drawn_by: Any = slowly
    author = Author(drawn_by, Choices(_PLAIN))
    return author.turn()


def test_no_conversation_waits_twice_for_a_slow_tool() -> None:
    waits: set[int] = set()

    @settings(database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(turn=turns_with_slow_tools())
    def take(turn: Json) -> None:
        waits.add(sum(use["name"] != "no_such_tool" for use in uses(turn)))

    take()
    assert waits == {0, 1}


@pytest.mark.parametrize("ground", [name for name in GROUNDS if name not in FORCED])
def test_nearly_every_conversation_calls_tools_in_its_first_prompt(ground: str) -> None:
    cases = drawn(ground, 250)
    first = [case.document["conversation"][0].get("script", ()) for case in cases]
    assert sum(any(map(uses, script)) for script in first) > 0.85 * len(cases)


@pytest.mark.parametrize("name", FORCED)
def test_a_model_that_must_call_a_tool_calls_one_first_in_every_prompt(name: str) -> None:
    ground, choice = FORCED[name]
    for case in (*sweep(ground), *drawn(name, 60)):
        for step in case.document["conversation"]:
            first = next(one for one in step["script"] if "content" in one)
            assert choice & {use["name"] for use in uses(first)}
            assert "no_such_tool" not in {use["name"] for use in uses(first)}


@pytest.mark.parametrize("name", FORCED)
def test_a_loop_that_forces_a_call_once_is_answered_as_the_api_would(name: str) -> None:
    ground, _ = FORCED[name]
    player = Player(Target("the reference loop", run), strict=True, deadline=30)
    for case in (*sweep(ground), *drawn(name, 60)):
        if not case.risky:
            found = player.here(case)
            assert ([one.message for one in found.faults if one.is_error], found.trouble) == ([], None)


@pytest.mark.parametrize("name", ["one at a time", "any, one at a time"])
def test_a_model_that_may_not_call_two_tools_at_once_does_not(name: str) -> None:
    cases = (*sweep(GROUNDS[name]), *drawn(name, 60))
    assert {len(uses(one)) for case in cases for one in replies(case)} <= {0, 1}


def test_usual_cases_hold_nothing_that_the_api_never_says() -> None:
    for case in drawn("messages"):
        assert all(block["text"].strip() for block in blocks(case) if block["type"] == "text")
        assert all(len(step.get("script", ())) <= 10 for step in case.document["conversation"])


@dataclass(frozen=True)
class Hostility:
    id: str
    shows: Row


HOSTILITIES: Final = (
    Hostility("blank text", lambda case: any(not one.get("text", "x").strip() for one in blocks(case))),
    Hostility(
        "one id twice",
        lambda case: any(len({use["id"] for use in uses(one)}) < len(uses(one)) for one in replies(case)),
    ),
    Hostility("many turns", lambda case: len(case.document["conversation"][0].get("script", ())) >= 10),
)


@pytest.mark.parametrize("hostility", HOSTILITIES, ids=lambda one: one.id)
def test_hostile_cases_hold_what_the_api_never_says(hostility: Hostility) -> None:
    assert any(map(hostility.shows, drawn("messages", 60, hostile=True)))
    assert not any(map(hostility.shows, drawn("messages")))


def smallest(strategy: SearchStrategy[Any], fits: Callable[[Any], bool]) -> Any:
    return find(strategy, fits, settings=settings(database=None, max_examples=500), random=random.Random(1))


def test_the_plainest_case_is_prompts_without_a_call() -> None:
    found = smallest(conversations(), lambda case: True)
    assert found.document["conversation"] == [{"user": "Please go on."}, {"user": "And now?"}]


def test_the_plainest_call_returns_a_word() -> None:
    found = smallest(conversations(), lambda case: bool(uses(next(replies(case), {}))) and not second_prompt(case))
    assert found.document["conversation"] == [
        {
            "user": "Please go on.",
            "script": [{"content": [{"type": "tool_use", "id": "toolu_01", "name": "look_up", "input": {"key": "a"}}]}],
        },
        {"user": "And now?"},
    ]
    assert found.document["tools"][0]["stub"] == [
        {"when": {"equals": {"key": "a"}}, "return": "mark-01"},
        {"return": "some other result"},
    ]


@dataclass(frozen=True)
class Shrunk:
    id: str
    fits: Callable[[Case], bool]
    calls: int
    entries: list[Json]


def outcomes(case: Case) -> list[Json]:
    """What the tools do for the calls of the whole case."""
    entries = {
        (tool["name"], str(one["when"]["equals"])): {name: value for name, value in one.items() if name != "when"}
        for tool in case.document["tools"]
        for one in tool["stub"]
        if "when" in one
    }
    return [entries.get((use["name"], str(use["input"])), {}) for use in calls(case)]


def second_prompt(case: Case) -> Sequence[Json]:
    """The replies to it."""
    found: Sequence[Json] = case.document["conversation"][1].get("script", ())
    return found


SHRUNK: Final = (
    Shrunk(
        "a failure",
        lambda case: any("raise" in one for one in outcomes(case)),
        1,
        [{"raise": {"type": "ValueError", "message": "mark-01"}}],
    ),
    Shrunk(
        "a failure after a success",
        lambda case: any("raise" in one for one in outcomes(case)[1:]) and "return" in outcomes(case)[0],
        2,
        [{"return": "mark-01"}, {"raise": {"type": "ValueError", "message": "mark-02"}}],
    ),
    Shrunk(
        "a failure in the second prompt",
        lambda case: bool(second_prompt(case)) and any("raise" in one for one in outcomes(case)[-1:]),
        1,
        [{"raise": {"type": "ValueError", "message": "mark-01"}}],
    ),
    Shrunk(
        "two calls at once, which are equal",
        lambda case: any(len(uses(one)) > 1 for one in replies(case)),
        2,
        [{"return": "mark-01"}] * 2,
    ),
    Shrunk("garbage", lambda case: any("garbage" in one for one in outcomes(case)), 1, [{"garbage": "none"}]),
)


@pytest.mark.parametrize("case", SHRUNK, ids=lambda case: case.id)
def test_cases_shrink_to_the_fewest_calls_and_the_plainest_outcome(case: Shrunk) -> None:
    found: Case = smallest(conversations(), case.fits)
    assert (len(calls(found)), outcomes(found)) == (case.calls, case.entries)
    assert all("content" in one and "stop_reason" not in one for one in replies(found))
    assert len(found.document["conversation"]) == 2


@pytest.mark.parametrize("tool", [*TOOLS, *ODD_TOOLS], ids=lambda tool: str(tool["name"]))
def test_inputs_fit_the_schema_or_break_it(tool: Json) -> None:
    validator = Draft202012Validator(tool["input_schema"])
    drawn = smallest(inputs(tool), lambda _: True)
    fit = (drawn, plainest(tool), plainest(tool, 1), deepest(tool))
    assert [*map(validator.is_valid, fit)] == [True] * len(fit)
    broken = [one for one in unfit(tool) if not validator.is_valid(one)]
    assert bool(broken) is bool(tool["input_schema"].get("required"))


def test_turns_and_outcomes_stand_in_files_of_ones_own() -> None:
    turn = smallest(assistant_turns(), lambda one: len(uses(one)) == 2)
    outcome = smallest(tool_outcomes("my-mark"), lambda one: "raise" in one)
    document = {
        "version": 1,
        "name": "own",
        "model": "claude-sonnet-5-5",
        "tools": [{**tool, "stub": outcome} for tool in TOOLS],
        "conversation": [{"user": "Go on.", "script": [turn]}],
    }
    played = Player(Target("planted", planted()), deadline=30).here(Case(document))
    assert (played.calls, played.results, played.faults) == (2, 2, ())
    assert outcome == {"raise": {"type": "ValueError", "message": "my-mark"}}
