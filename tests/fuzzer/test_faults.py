"""What is one fault and what are two, and which of them others will see."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.loops.planted import planted
from tests.projects import asks, place, says, weather
from toolreplay.errors import NotFuzzed
from toolreplay.fuzzer import warming
from toolreplay.fuzzer.entry import fuzz_scenario
from toolreplay.fuzzer.faults import THE_PROCESS
from toolreplay.fuzzer.ground import Ground, plain_ground
from toolreplay.fuzzer.known import Baseline
from toolreplay.fuzzer.regression import write_regressions
from toolreplay.fuzzer.result import Result
from toolreplay.loop import run as reference
from toolreplay.scenario.model import Scenario

from .play import codes, fuzzed

Json = dict[str, Any]
Functions = dict[str, Callable[..., object]]


def kinds(result: Result) -> list[str]:
    return sorted(one.fault.kind for one in result.found)


def lets_out(client: Any, model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    """Lets out what a tool raises, and the KeyError of a tool that there is not."""
    while True:
        reply = client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools).to_dict()
        if reply["stop_reason"] != "tool_use":
            return [*messages, {"role": "assistant", "content": reply["content"] or "Nothing."}]
        messages.append({"role": "assistant", "content": reply["content"]})
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        messages.append(
            {"role": "user", "content": [_result(call, functions[call["name"]](**call["input"])) for call in calls]}
        )


def _result(call: Json, value: object) -> Json:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": repr(value)}


def test_crashes_of_two_causes_are_two_faults_and_those_of_one_are_one() -> None:
    found = kinds(fuzzed(lets_out, ignored={"TR101", "TR305", "TR605"}))
    assert [kind for kind in found if kind != "TR609 a value"] == ["TR609 KeyError", "TR609 a tool"]


def test_a_fault_that_comes_by_chance_is_told_and_not_written(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()

    def once(answers: list[Any]) -> list[Any]:
        try:
            (marks / "it happened").mkdir()
        except FileExistsError:
            return answers
        return answers[:1]

    result = fuzzed(planted(answers=lambda answers: once(answers) if len(answers) > 1 else answers))
    (found,) = result.found
    assert (found.fault.code, found.repeats, found.replays) == ("TR101", False, False)
    assert write_regressions(result, place(tmp_path).project) == {}


def test_what_is_ignored_beside_a_fault_is_allowed_in_its_file(tmp_path: Path) -> None:
    loop = planted(told=lambda error: "", answers=lambda answers: answers[:1])
    scenario = place(tmp_path).scenario(weather(script=[asks("Oslo"), says()]))
    project = place(tmp_path).project
    # Its fault is in a later turn than the one that is ignored, which `run` would stop at.
    result = fuzz_scenario(scenario, project, loop=loop, seed=1, max_examples=60, ignored=["TR302"])
    assert [(one.fault.code, one.replays) for one in result.found] == [("TR101", True)]


def test_rules_that_the_scenario_allows_stop_nothing(tmp_path: Path) -> None:
    loop = planted(answers=lambda answers: answers[:1])
    allow = [{"rule": rule, "reason": "known"} for rule in ("TR101", "TR601")]
    scenario = place(tmp_path).scenario(weather(script=[asks("Oslo"), says()], allow=allow))
    result = fuzz_scenario(scenario, place(tmp_path).project, loop=loop, seed=1, max_examples=40)
    assert (codes(result), set(result.known)) == (set(), {"TR101", "TR601"})


def _script(turns: int) -> list[Json]:
    return [*(asks(f"city {number}", first=number) for number in range(1, turns + 1)), says()]


def test_a_long_recording_is_played_to_its_end(tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(script=_script(16), max_turns=40))
    result = fuzz_scenario(scenario, place(tmp_path).project, seed=1, max_examples=20)
    assert codes(result) == set()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"subagents": [{"name": "helper", "user": "Help."}]}, "it has sub-agents, whose conversations are not drawn"),
        ({"tool_choice": {"type": "none"}}, "its tool_choice is none, so the model calls no tool"),
        ({"tools": []}, "it has no tool that a loop runs"),
    ],
    ids=["sub-agents", "no calls", "no tools"],
)
def test_what_is_not_fuzzed(fields: Json, why: str, tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(**{"script": [says()], **fields}))
    with pytest.raises(NotFuzzed, match=why):
        fuzz_scenario(scenario, place(tmp_path).project, max_examples=5)


def forgets(client: Any, model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    """Answers a second prompt as if nothing had been said before."""
    client.messages.create(model=model, max_tokens=100, messages=[{"role": "user", "content": f"{len(messages)}?"}])
    return messages


def test_a_conversation_from_nowhere_is_told_with_what_to_do() -> None:
    found = fuzzed(forgets, ignored={"TR101", "TR501", "TR601", "TR610"}).found
    ((fault, fix),) = [(one.fault.message, one.fault.fix) for one in found if one.fault.code == "TR606"]
    assert "only append" in fix
    assert "used up" not in fault


def test_a_loop_that_ends_its_process_at_once_is_a_fault() -> None:
    (found,) = fuzzed(lambda client: os._exit(0)).found
    assert (found.fault.code, found.fault.where) == ("TR609", THE_PROCESS)


def test_a_loop_that_nothing_stops_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "_SECONDS", 0.5)

    def holds_on(client: Any) -> None:
        while True:
            try:
                time.sleep(60)
            except BaseException:  # noqa: BLE001
                continue

    (found,) = fuzzed(holds_on).found
    assert found.fault.code == "TR611"


def test_nothing_of_the_warm_up_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def talks(client: Any, model: str, messages: list[Json], tools: list[Json]) -> None:
        sys.stdout.write("hello")
        client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)

    fuzzed(talks, examples=3, ignored={"TR101", "TR109", "TR601", "TR610"})
    assert capfd.readouterr() == ("", "")


def _slow(first: Callable[[], bool]) -> Callable[..., object]:
    def loop(client: Any, model: str, messages: list[Json], tools: list[Json], functions: Functions) -> object:
        if first():
            time.sleep(2.5)
        return reference(client, model=model, max_tokens=100, messages=messages, tools=tools, functions=functions)

    return loop


def test_a_loop_that_is_slow_at_first_is_no_regression(tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(script=[asks("Oslo"), says()]))
    counter = itertools.count()
    (regression,) = (weather(name="TR602 wrong-status", script=[asks("Oslo"), says()], loop="agent:loop"),)
    place(tmp_path).scenario(regression, path="scenarios/regressions/12345678.yaml")
    place(tmp_path).write("agent.py", "loop = None\n")
    result = fuzz_scenario(scenario, place(tmp_path).project, loop=_slow(lambda: next(counter) == 0), max_examples=3)
    assert (result.regressions, codes(result)) == ((), set())


def test_what_was_told_of_one_scenario_is_not_told_of_the_next(tmp_path: Path) -> None:
    loop = planted(answers=lambda answers: answers[:1])
    scenarios: list[Scenario] = [
        place(tmp_path).scenario(weather(name=name, script=[asks("Oslo"), says()]), path=f"scenarios/{name}.yaml")
        for name in ("one", "two")
    ]
    baseline = Baseline(place(tmp_path).project)
    first, second = (
        fuzz_scenario(one, place(tmp_path).project, loop=loop, seed=1, max_examples=40, baseline=baseline)
        for one in scenarios
    )
    assert (codes(first), first.again) == ({"TR101"}, frozenset())
    assert (codes(second), set(second.again), second.failed) == (set(), {"TR101", "TR601"}, True)


def test_a_loop_s_own_faults_are_found_beside_a_hostile_model_side() -> None:
    result = fuzzed(planted(answers=lambda answers: answers[:1]), hostile=True)
    assert codes(result) == {"TR101"}
    assert result.warnings.keys() & {"TR201", "TR304"}


def test_a_recording_that_cannot_be_used_is_told_of(tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(script=None))
    result = fuzz_scenario(scenario, place(tmp_path).project, max_examples=5)
    assert [*result.notes] == ["all replies were made up: it has no cassette cassettes/weather.yaml"]


def test_a_forced_choice_is_no_fault_of_the_loop() -> None:
    plain = plain_ground()
    ground = Ground({**plain.fields, "tool_choice": {"type": "any"}}, plain.tools, plain.callable, plain.prompts)
    assert codes(fuzzed(reference, ground, examples=30, strict=True)) == set()
