from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.loops import faulty, good
from tests.projects import Place, ScriptedModel, asks, outline, place, says, weather
from toolreplay.runner.run import Outcome, Run

REPLIES = (asks("Oslo", "Rome", "Atlantis"), says())
ERROR, WARNING, INFO = "error", "warning", "info"
Side = Literal["script", "cassette"]


@dataclass(frozen=True)
class Case:
    loop: Callable[..., object]
    found: set[tuple[str, str]]
    outcome: Outcome = Outcome.FAIL
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.loop.__qualname__


FAULTY = (
    Case(faulty.loses_is_error, {("TR602", ERROR)}),
    Case(faulty.sets_is_error_on_good_results, {("TR602", WARNING)}, Outcome.PASS),
    Case(faulty.answers_the_first_only, {("TR101", ERROR)}),
    Case(faulty.sends_the_first_only, {("TR101", ERROR)}),
    Case(faulty.lets_the_exception_out, {("TR609", ERROR)}),
    Case(faulty.wraps_the_exception, {("TR609", ERROR)}),
    Case(faulty.raises_of_its_own, {("TR609", ERROR)}),
    Case(faulty.swaps_ids, {("TR604", ERROR)}),
    Case(faulty.drops_content, {("TR603", ERROR)}),
    Case(faulty.sends_no_content, {("TR603", ERROR)}),
    Case(faulty.runs_a_failing_tool_again, {("TR608", ERROR)}),
    Case(faulty.stops_without_answering, {("TR610", ERROR)}),
    Case(faulty.stops_after_running, {("TR610", ERROR)}),
    Case(faulty.never_ends, {("TR611", ERROR)}, fields={"max_turns": 2}),
    Case(faulty.puts_text_before_results, {("TR104", ERROR)}),
    Case(faulty.doubles_a_result, {("TR103", ERROR)}),
    Case(faulty.changes_ids, {("TR101", ERROR), ("TR102", ERROR)}),
    Case(faulty.sends_a_dict, {("TR301", ERROR)}),
    Case(faulty.sends_an_empty_error, {("TR302", ERROR)}),
    Case(faulty.sends_an_empty_text_block, {("TR304", ERROR)}),
    Case(faulty.says_the_same_for_every_error, {("TR603", WARNING)}, Outcome.PASS),
    Case(faulty.splits_results, {("TR101", ERROR)}),
    Case(good.forgets_the_tools, {("TR501", WARNING), ("TR507", WARNING)}, Outcome.PASS),
    Case(
        faulty.asks_nothing,
        {("ERROR", "the loop sent no request that toolreplay could see, so nothing was checked")},
        Outcome.ERROR,
    ),
)
# What follows from a fault and may be told of beside it.
FOLLOWING = {("TR601", ERROR), ("TR603", ERROR)}
GOOD = (
    good.reverses_results,
    good.runs_tools_in_threads,
    good.adds_text_after_results,
    good.cuts_and_wraps_results,
    good.Agent.run,
    good.sends_through_httpx,
    good.sends_through_urllib,
    good.sends_through_a_gateway,
    good.is_async_inside,
)


@pytest.fixture(scope="module")
def weather_place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    here = place(tmp_path_factory.mktemp("gallery"))
    run = here.record(here.scenario(weather()), ScriptedModel(*REPLIES))
    assert (run.outcome, outline(run)) == (Outcome.PASS, [])
    return here


def _play(here: Place, side: Side, loop: Callable[..., object], fields: dict[str, Any]) -> Run:
    script = {"script": list(REPLIES)} if side == "script" else {}
    return here.play(here.scenario(weather(**script, **fields)), loop)


@pytest.fixture(params=["script", "cassette"])
def side(request: pytest.FixtureRequest) -> Side:
    chosen: Side = request.param
    return chosen


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.id)
def test_a_faulty_loop_is_found_out(case: Case, side: Side, weather_place: Place) -> None:
    run = _play(weather_place, side, case.loop, case.fields)
    found = {line for line in outline(run) if line[1] != INFO}
    assert (found - (FOLLOWING - case.found), run.outcome) == (case.found, case.outcome)


@pytest.mark.parametrize("loop", GOOD, ids=lambda loop: loop.__qualname__)
def test_a_good_loop_of_another_style_is_not_accused(
    loop: Callable[..., object], side: Side, weather_place: Place
) -> None:
    run = _play(weather_place, side, loop, {})
    assert ([line for line in outline(run) if line[1] != "info"], run.outcome, run.turns) == (
        [],
        Outcome.PASS,
        2,
    )
    assert [(call.name, call.ran, call.result and call.result.status) for call in run.calls] == [
        ("get_weather", True, "success"),
        ("get_weather", True, "success"),
        ("get_weather", True, "error"),
    ]


def test_a_loop_that_swallows_the_refusal_does_not_pass(weather_place: Place, side: Side) -> None:
    run = _play(weather_place, side, faulty.swallows_the_refusal, {})
    assert ("TR101", ERROR) in outline(run)
    assert run.outcome is Outcome.FAIL


@dataclass(frozen=True)
class Second:
    loop: Callable[..., object]
    history: list[str]


@pytest.mark.parametrize(
    "case",
    [
        Second(good.reverses_results, ["user", "assistant", "user", "assistant", "user"]),
        Second(good.Agent.run, ["user", "assistant", "user", "assistant", "user"]),
    ],
    ids=["the list it changed", "rebuilt from the wire"],
)
def test_the_second_prompt_goes_on_from_the_history(case: Second, tmp_path: Path) -> None:
    conversation = [{"user": "What is the weather?"}, {"user": "And tomorrow?"}]
    scenario = place(tmp_path).scenario(weather(conversation=conversation, script=[*REPLIES, says("Sun.")]))
    run = place(tmp_path).play(scenario, case.loop)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    sent = run.exchanges[-1].request.json["messages"]
    assert [message["role"] for message in sent] == case.history
    assert sent[-1]["content"] == "And tomorrow?"
