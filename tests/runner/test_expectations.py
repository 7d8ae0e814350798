# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.projects import asks, place, says, weather
from toolreplay.runner.run import Outcome

Json = dict[str, Any]
OSLO: Final[Json] = {"tool": "get_weather", "input": {"city": "Oslo"}}
ROME: Final[Json] = {"tool": "get_weather", "input": {"city": "Rome"}}
NOWHERE: Final[Json] = {"tool": "get_weather", "input": {"city": "Atlantis"}}
ANY: Final[Json] = {"tool": "get_weather"}
_ALL: Final = 'get_weather {"city": "Oslo"}, get_weather {"city": "Rome"}, get_weather {"city": "Atlantis"}'


@dataclass(frozen=True)
class Case:
    """An expectation of three parallel calls in one reply, of which the last fails, and what is not met of it."""

    id: str
    expect: Json
    unmet: tuple[str, ...] = ()


def _result(call: Json, **result: object) -> Json:
    return {"tool_calls": [{**call, "result": result}], "other_calls": "allow"}


CASES: Final = (
    Case("nothing", {}),
    Case("all calls", {"tool_calls": [OSLO, ROME, NOWHERE]}),
    Case("all calls in any order", {"tool_calls": [NOWHERE, OSLO, ROME]}),
    Case("calls without input", {"tool_calls": [ANY, ANY, ANY]}),
    Case("a call more than expected", {"tool_calls": [OSLO, ROME]}, ('calls that are not expected: get_weather {"city": "Atlantis"}; list them, or write other_calls: allow',)),
    Case("a call more that is allowed", {"tool_calls": [OSLO, ROME], "other_calls": "allow"}),
    Case("no calls at all", {"tool_calls": []}, (f"calls that are not expected: {_ALL}; list them, or write other_calls: allow",)),
    Case("a call that was not made", {"tool_calls": [{**OSLO, "input": {"city": "Bergen"}}], "other_calls": "allow"}, (f'expected a call of get_weather with {{"city": "Bergen"}}; the calls were: {_ALL}',)),
    Case("one call that was expected twice", {"tool_calls": [OSLO, OSLO], "other_calls": "allow"}, (f'expected a call of get_weather with {{"city": "Oslo"}}; the calls were: {_ALL}',)),
    Case("exactly this order", {"order": "exact", "tool_calls": [OSLO, ROME, NOWHERE]}),
    Case("another exact order", {"order": "exact", "tool_calls": [ROME, OSLO, NOWHERE], "other_calls": "allow"}, (f'expected a call of get_weather with {{"city": "Rome"}}; the calls were: {_ALL}', f'expected a call of get_weather with {{"city": "Atlantis"}}; the calls were: {_ALL}')),
    Case("in order with others between", {"order": "in_order", "tool_calls": [OSLO, NOWHERE], "other_calls": "allow"}),
    Case("not in that order", {"order": "in_order", "tool_calls": [NOWHERE, OSLO], "other_calls": "allow"}, (f'expected a call of get_weather with {{"city": "Oslo"}}; the calls were: {_ALL}',)),
    Case("never, and it was not", {"never": ["delete_file"]}),
    Case("never, and it was", {"never": ["get_weather"]}, ("get_weather must never be called; it was, in turn 1",)),
    Case("turns", {"turns": 2}),
    Case("too few turns", {"turns": 3}, ("expected 3 turns, the prompt took 2",)),
    Case("a range of turns", {"turns": {"min": 1, "max": 2}}),
    Case("too many turns", {"turns": {"max": 1}}, ("expected at most 1 turn, the prompt took 2",)),
    Case("not enough turns", {"turns": {"min": 3, "max": 5}}, ("expected at least 3 turns and at most 5 turns, the prompt took 2",)),
    Case("stop reason", {"stop_reason": "end_turn"}),
    Case("another stop reason", {"stop_reason": "max_tokens"}, ("expected stop_reason 'max_tokens', the last reply has 'end_turn'",)),
    Case("final text", {"final_text": "It rains."}),
    Case("part of the final text", {"final_text": {"contains": "rains"}}),
    Case("another final text", {"final_text": {"contains": ["rains", "snow"]}}, ('final_text: expected text that contains "snow", got "It rains."',)),
    Case("nothing pending", {"pending": []}),
    Case("a result", _result(OSLO, status="success", content={"temp_c": 4, "sky": "rain"})),
    Case("a part of a result", _result(OSLO, content={"json": {"sky": "rain"}})),
    Case("another result", _result(OSLO, content={"contains": "snow"}), ('get_weather (toolu_1): content: expected text that contains "snow", got "{\\"temp_c\\": 4, \\"sky\\": \\"rain\\"}"',)),
    Case("an error", _result(NOWHERE, status="error", content={"contains": "no city"})),
    Case("another status", _result(NOWHERE, status="success"), ("get_weather (toolu_3): expected status success, sent was error: 'no city of that name'",)),
    Case("it ran", _result(OSLO, ran=True)),
    Case("it did not run", _result(OSLO, ran=False), ("get_weather (toolu_1): expected ran: False, it ran 1 times",)),
    Case("by id", {"tool_calls": [{"tool": "get_weather", "id": "toolu_2", "result": {"content": {"contains": "sunshine"}}}], "other_calls": "allow"}),
    Case("of equal calls the one that fits", {"tool_calls": [{**ANY, "result": {"status": "error"}}, ANY, {**ANY, "result": {"content": {"contains": "sunshine"}}}]}),
    Case("a call that any would do for is left to the one that asks for it", {"tool_calls": [ANY, OSLO, ANY]}),
    Case("the same in order", {"order": "in_order", "tool_calls": [ANY, OSLO], "other_calls": "allow"}, (f'expected a call of get_weather with {{"city": "Oslo"}}; the calls were: {_ALL}',)),
    Case("in order, of equal calls the one that fits", {"order": "in_order", "tool_calls": [{**ANY, "result": {"content": {"contains": "sunshine"}}}, ANY]}, ('calls that are not expected: get_weather {"city": "Oslo"}; list them, or write other_calls: allow',)),
    Case("in order, one that fits too far on", {"order": "in_order", "tool_calls": [{**ANY, "result": {"status": "success"}}, ROME, NOWHERE]}),
    Case("several at once", {"turns": 3, "final_text": "Snow."}, ("expected 3 turns, the prompt took 2", 'final_text: expected "Snow.", got "It rains."')),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_expectation(case: Case, tmp_path: Path) -> None:
    script = [asks("Oslo", "Rome", "Atlantis"), says("It rains.")]
    conversation = [{"user": "What is the weather?", "expect": case.expect}]
    run = place(tmp_path).play(place(tmp_path).scenario(weather(script=script, conversation=conversation)))
    assert tuple(failure.message for failure in run.failures) == case.unmet
    assert run.outcome is (Outcome.FAIL if case.unmet else Outcome.PASS)


@pytest.mark.parametrize(("never", "unmet"), [("look_up", True), ("rest", False)])
def test_never_looks_at_the_calls_of_sub_agents(never: str, unmet: bool, tmp_path: Path) -> None:
    researcher: Json = {
        "name": "ask_researcher",
        "input_schema": {"type": "object"},
        "stub": {"call": "tests.agents:ask_researcher"},
    }
    asked = {"type": "tool_use", "id": "toolu_1", "name": "ask_researcher", "input": {"question": "How deep?"}}
    looked = {"type": "tool_use", "id": "toolu_2", "name": "look_up", "input": {"word": "depth"}}
    expect = {"never": [never], "tool_calls": [{"tool": "ask_researcher"}], "pending": []}
    document = weather(
        tools=[researcher],
        subagents=[
            {"name": "researcher", "system": {"contains": "researcher"}, "script": [{"content": [looked]}, says()]}
        ],
        script=[{"content": [asked]}, says()],
        conversation=[{"user": "How deep is the lake?", "expect": expect}],
    )
    run = place(tmp_path).play(place(tmp_path).scenario(document))
    expected = ("look_up must never be called; it was, in turn 2",) if unmet else ()
    assert (run.findings, tuple(failure.message for failure in run.failures)) == ((), expected)


def test_an_unmet_expectation_names_its_own_line(tmp_path: Path) -> None:
    here = place(tmp_path)
    text = """version: 1
name: weather
model: m
tools: [{name: get_weather, input_schema: {type: object}, stub: {return: 4}}]
script: [{content: [{type: tool_use, id: toolu_1, name: get_weather, input: {}}]}, {text: Fine.}]
conversation:
  - user: What is the weather?
    expect:
      turns: 2
      tool_calls:
        - tool: get_weather
          result:
            status: success
            content: {contains: rain}
  - user: Thanks.
    expect:
      final_text: You are welcome.
"""
    here.write("scenarios/weather.yaml", text.replace("{text: Fine.}]", "{text: Fine.}, {text: Bye.}]"))
    from toolreplay.scenario.load import load_file

    (scenario,) = load_file(tmp_path / "scenarios" / "weather.yaml", tmp_path)
    run = here.play(scenario)
    assert [failure.where for failure in run.failures] == [
        "scenarios/weather.yaml:14",
        "scenarios/weather.yaml:17",
    ]


def test_each_prompt_is_judged_by_its_own_calls(tmp_path: Path) -> None:
    conversation = [
        {"user": "Oslo?", "expect": {"tool_calls": [OSLO], "turns": 2, "final_text": "Rain."}},
        {"user": "Rome?", "expect": {"tool_calls": [ROME], "turns": 2, "final_text": "Sun."}},
    ]
    script = [asks("Oslo"), says("Rain."), asks("Rome", first=2), says("Sun.")]
    run = place(tmp_path).play(place(tmp_path).scenario(weather(script=script, conversation=conversation)))
    assert (run.failures, run.outcome) == ((), Outcome.PASS)


def test_a_script_that_was_not_used_up_fails(tmp_path: Path) -> None:
    run = place(tmp_path).play(place(tmp_path).scenario(weather(script=[says(), says(), says()])))
    assert [failure.message for failure in run.failures] == [
        "reply 1 of the script was not asked for",
        "reply 2 of the script was not asked for",
    ]


def test_expectations_are_not_compared_after_the_contract_was_broken(tmp_path: Path) -> None:
    conversation = [{"user": "Hi", "expect": {"final_text": "Snow."}}]
    scenario = place(tmp_path).scenario(weather(script=[asks("Oslo"), says()], conversation=conversation))
    run = place(tmp_path).play(scenario, "tests.loops.faulty:puts_text_before_results")
    assert ([found.finding.code for found in run.findings], run.failures) == (["TR104"], ())
