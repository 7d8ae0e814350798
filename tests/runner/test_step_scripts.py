from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from tests.loops.planted import planted
from tests.loops.wires import Reading
from tests.projects import asks, outline, place, says, use, weather
from toolreplay.errors import ScenarioError
from toolreplay.loop import arun, arun_streamed, run, run_streamed
from toolreplay.runner.run import Outcome, Run

Json = dict[str, Any]
Loop = Callable[..., object]

STREAM: Final[Json] = {"stream": True}
CONVERSE: Final[Json] = {"wire": "converse"}
# Every client that a loop may be given: both SDK clients, boto3, streamed or not.
CLIENTS: Final[dict[str, tuple[Loop, Json]]] = {
    "sync": (run, {}),
    "sync, streamed": (run_streamed, STREAM),
    "async": (arun, {}),
    "async, streamed": (arun_streamed, STREAM),
    "boto3": (run, CONVERSE),
    "boto3, streamed": (run, {**STREAM, **CONVERSE}),
}
STREAMED: Final = {name: one for name, one in CLIENTS.items() if "streamed" in name}


def prompt(*script: Json, user: str = "What is the weather?", **fields: object) -> Json:
    return {"user": user, "script": list(script), **fields}


def played(folder: Path, loop: Loop, *steps: Json, **fields: Any) -> Run:
    here = place(folder)
    return here.play(here.scenario(weather(conversation=list(steps), **fields)), loop)


def statuses(run: Run) -> list[int]:
    return [exchange.response.status for exchange in run.exchanges]


@pytest.mark.parametrize("client", CLIENTS)
def test_each_step_is_answered_from_its_own_script(client: str, tmp_path: Path) -> None:
    loop, fields = CLIENTS[client]
    second = prompt(asks("Rome", first=2), says("Sunny."), user="And in Rome?")
    run = played(tmp_path, loop, prompt(asks("Oslo"), says("Rain.")), second, **fields)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    assert [(call.id, call.turn) for call in run.calls] == [("toolu_1", 1), ("toolu_2", 3)]
    assert [exchange.prompt for exchange in run.exchanges] == [1, 1, 2, 2]


def test_what_is_not_asked_for_stays_unsaid(tmp_path: Path) -> None:
    run = played(tmp_path, planted(), prompt(says("Rain."), asks("Oslo")), prompt(says("Sun.")))
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 2)


def test_a_loop_that_asks_for_more_is_answered_with_a_closing_text(tmp_path: Path) -> None:
    run = played(tmp_path, planted(), prompt(asks("Oslo"), expect={"final_text": "That is all."}), {"user": "And now?"})
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 3)


def test_a_step_cannot_have_a_script_beside_that_of_the_scenario(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="the scenario has a script of its own; keep one of the two"):
        place(tmp_path).scenario(weather(conversation=[prompt(says())], script=[says()]))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_error_and_then_success(client: str, status: int, tmp_path: Path) -> None:
    loop, fields = CLIENTS[client]
    run = played(tmp_path, loop, prompt({"http_error": status}, asks("Oslo"), says()), **fields)
    assert (outline(run), run.outcome, statuses(run)) == ([], Outcome.PASS, [status, 200, 200])
    assert run.seconds < 5


@pytest.mark.parametrize("client", CLIENTS)
def test_a_lost_connection_is_tried_again(client: str, tmp_path: Path) -> None:
    loop, fields = CLIENTS[client]
    run = played(tmp_path, loop, prompt(asks("Oslo"), {"reset": True}, says()), **fields)
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 2)
    assert [exchange.response.reset for exchange in run.exchanges] == [False, True, False]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_connection_that_is_always_lost_leaves_the_loop(client: str, tmp_path: Path) -> None:
    loop, fields = CLIENTS[client]
    lost = prompt(*[{"reset": True}] * 8, expect={"raises": "must"})
    run = played(tmp_path, loop, lost, prompt(says("Rain."), user="Once more?"), **fields)
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 1)


@pytest.mark.parametrize("client", STREAMED)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_stream_arrives_in_pieces(client: str, size: int, tmp_path: Path) -> None:
    loop, fields = STREAMED[client]
    expect = {"final_text": "Rëgen ☂"}
    run = played(
        tmp_path,
        loop,
        prompt({**asks("Oslo", "Rome"), "piece": size}, {**says("Rëgen ☂"), "piece": size}, expect=expect),
        **fields,
    )
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    assert [call.input for call in run.calls] == [{"city": "Oslo"}, {"city": "Rome"}]


@pytest.mark.parametrize("client", STREAMED)
@pytest.mark.parametrize("how", ["cut_after", "error_after"])
def test_a_stream_that_breaks_off_leaves_the_loop_and_the_next_step_is_played(
    client: str, how: str, tmp_path: Path
) -> None:
    loop, fields = STREAMED[client]
    broken = [{**asks("Oslo"), how: 2}] * 6
    run = played(tmp_path, loop, prompt(*broken, expect={"raises": "must"}), prompt(says("Rain.")), **fields)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    assert run.exchanges[-1].prompt == 2
    assert all(not call.ran for call in run.calls)


@pytest.mark.parametrize("fields", [{}, CONVERSE], ids=["messages", "converse"])
def test_an_error_in_place_of_a_reply_that_is_no_stream(fields: Json, tmp_path: Path) -> None:
    run = played(tmp_path, planted(), prompt({**says(), "error_after": 1}, says("Rain.")), **fields)
    assert statuses(run) == [503 if fields else 529, 200]
    assert run.outcome is Outcome.PASS


def raises_at_once(messages: list[Json], client: Any, model: str) -> None:
    client.messages.create(model=model, max_tokens=10, messages=messages)
    raise ValueError("of its own")


@dataclass(frozen=True)
class Raising:
    id: str
    loop: Loop
    expect: Json
    said: list[tuple[str, str]] = field(default_factory=list)


RAISING: Final = (
    Raising("may, and does", raises_at_once, {"raises": "allow"}),
    Raising("may, and does not", planted(), {"raises": "allow"}),
    Raising("must, and does", raises_at_once, {"raises": "must"}),
    Raising("must, and does not", planted(), {"raises": "must"}, [("FAIL", "the loop was to raise, and returned")]),
    Raising("may not, and does", raises_at_once, {}, [("FAIL", "the loop raised ValueError: of its own")]),
)


@pytest.mark.parametrize("case", RAISING, ids=lambda case: case.id)
def test_whether_an_exception_may_leave_the_loop(case: Raising, tmp_path: Path) -> None:
    step = {**prompt(says()), **({"expect": case.expect} if case.expect else {})}
    assert outline(played(tmp_path, case.loop, step)) == case.said


def test_calls_that_an_allowed_exception_leaves_open_are_excused(tmp_path: Path) -> None:
    def leaves(client: Any, model: str, messages: list[Json], tools: list[Json]) -> None:
        reply = client.messages.create(model=model, max_tokens=10, messages=messages, tools=tools)
        if reply.stop_reason == "tool_use":
            raise RuntimeError("enough")

    allowed = prompt(asks("Oslo"), expect={"raises": "allow"})
    run = played(tmp_path, leaves, allowed, prompt(says()))
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    run = played(tmp_path, leaves, prompt(asks("Oslo")), prompt(says()))
    assert [code for code, _ in outline(run)] == ["TR609"]


def _in_place(client: Any, model: str, messages: list[Json], tools: list[Json], call_tool: Any) -> list[Json]:
    """Hands the tool the very input that goes back in the history."""
    while True:
        reply = client.messages.create(model=model, max_tokens=10, messages=messages, tools=tools).to_dict()
        messages.append({"role": "assistant", "content": reply["content"]})
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        if not calls:
            return messages
        content = [
            {"type": "tool_result", "tool_use_id": one["id"], "content": call_tool(one["name"], one["input"])}
            for one in calls
        ]
        messages.append({"role": "user", "content": content})


@dataclass(frozen=True)
class Mutated:
    id: str
    loop: Loop
    said: list[tuple[str, str]]


@pytest.mark.parametrize(
    "case",
    [Mutated("a copy", run, []), Mutated("the input itself", _in_place, [("TR605", "error")])],
    ids=lambda case: case.id,
)
def test_a_tool_that_changes_its_input(case: Mutated, tmp_path: Path) -> None:
    tool = {"name": "get_weather", "input_schema": {"type": "object"}, "stub": {"mutate": True, "return": "rain"}}
    nested = {"content": [use("toolu_1", city="Oslo", days=[{"from": 1}])]}
    run = played(tmp_path, case.loop, prompt(nested, says()), tools=[tool])
    assert outline(run) == case.said
    assert run.calls[0].input == {"city": "Oslo", "days": [{"from": 1}]}


def test_a_broken_input_that_a_loop_mends_belongs_to_its_own_call(tmp_path: Path) -> None:
    """Mended it may equal another call's input; that one did not run twice."""
    whole = {"content": [use("toolu_1", city="Os")]}
    broken = {"content": [{"type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": '{"city": "Os'}]}
    mends = planted(reading=Reading(parse=lambda text: {"city": "Os"}))
    tool = {"name": "get_weather", "input_schema": {"type": "object"}, "stub": {"return": "rain"}}
    run = played(tmp_path, mends, prompt(whole, broken, says()), tools=[tool], **STREAM)
    assert ("TR608", "error") not in outline(run)
    assert [call.ran for call in run.calls] == [True, True]
