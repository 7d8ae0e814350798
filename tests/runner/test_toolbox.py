from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.projects import asks, outline, place, says, weather
from toolreplay.contract.facts import Did
from toolreplay.runner.open_calls import OpenCalls
from toolreplay.runner.run import Outcome
from toolreplay.runner.toolbox import Toolbox
from toolreplay.scenario.model import Scenario

Json = dict[str, Any]
HERE: Final = "tests.runner.test_toolbox"
LOOPS: Final = ("toolreplay.loop:run", "toolreplay.loop:arun")


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, city: str) -> str:
        self.count += 1
        return f"{city}: call {self.count}"


class AsyncCounter(Counter):
    async def __call__(self, city: str) -> str:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().__call__(city)


class NotCalled:
    pass


class Needs:
    def __init__(self, key: str) -> None: ...

    def __call__(self, city: str) -> str:
        return city


async def awaits(city: str) -> str:
    await asyncio.sleep(0)
    return f"{city} awaited"


async def fails(city: str) -> str:
    raise LookupError(f"no {city}")


async def where(city: str) -> str:
    return threading.current_thread().name


def ends(city: str) -> str:
    raise SystemExit(f"{city} ends")


async def ends_awaited(city: str) -> str:
    raise SystemExit(f"{city} ends")


def stops(city: str) -> str:
    raise StopIteration(city)


def _tool(target: str) -> Json:
    return {"name": "get_weather", "input_schema": {"type": "object"}, "stub": {"call": f"{HERE}:{target}"}}


@dataclass(frozen=True)
class Case:
    target: str
    results: list[tuple[str, object]]


CASES: Final = (
    Case("Counter", [("success", "Oslo: call 1"), ("success", "Oslo: call 2")]),
    Case("AsyncCounter", [("success", "Oslo: call 1"), ("success", "Oslo: call 2")]),
    Case("awaits", [("success", "Oslo awaited")] * 2),
    Case("fails", [("error", "no Oslo")] * 2),
    Case("stops", [("error", "Oslo")] * 2),
)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.target)
def test_real_code_of_any_form_is_run(case: Case, loop: str, tmp_path: Path) -> None:
    script = [asks("Oslo"), asks("Oslo", first=2), says()]
    for _ in range(2):  # another run has an instance of its own
        run = place(tmp_path).play(place(tmp_path).scenario(weather(tools=[_tool(case.target)], script=script)), loop)
        found = [(call.result.status, call.result.content) for call in run.calls if call.result]
        assert (outline(run), found) == ([], case.results)


def test_a_coroutine_runs_in_the_event_loop_of_an_asynchronous_loop() -> None:
    box = _toolbox("where")
    assert asyncio.run(_awaited(box)) == threading.current_thread().name


def test_a_coroutine_is_awaited_where_an_event_loop_runs_already() -> None:
    async def play(box: Toolbox) -> object:
        return box.functions["get_weather"](city="Oslo")

    assert asyncio.run(play(_toolbox("awaits"))) == "Oslo awaited"


def _toolbox(target: str) -> Toolbox:
    scenario = Scenario.model_validate(weather(name="s", tools=[_tool(target)], script=[says()]))
    return Toolbox(scenario, OpenCalls())


async def _awaited(box: Toolbox) -> object:
    call: Callable[..., Any] = box.async_functions["get_weather"]
    return await call(city="Oslo")


@pytest.mark.parametrize("target", ["ends", "ends_awaited"])
@pytest.mark.parametrize("is_async", [False, True])
def test_what_a_tool_raises_is_its_own_whatever_it_is(target: str, is_async: bool) -> None:
    box = _toolbox(target)
    with pytest.raises(SystemExit) as caught:
        _ = asyncio.run(_awaited(box)) if is_async else box.call_tool("get_weather", {"city": "Oslo"})
    assert box.caused(caught.value)
    assert [(logged.execution.did, logged.execution.error) for logged in box.log] == [(Did.INTERRUPTED, "Oslo ends")]


def test_a_tool_that_ends_the_process_is_no_crash_of_the_loop(tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(tools=[_tool("ends")], script=[asks("Oslo")]))
    assert outline(place(tmp_path).play(scenario)) == []


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "NotCalled",
            f"'{HERE}:NotCalled' is a class without __call__, so it runs no tool; add it, or name a function",
        ),
        (
            "Needs",
            (
                f"'{HERE}:Needs' cannot be made without arguments: TypeError: Needs.__init__() missing 1 required "
                "positional argument: 'key'; give them defaults"
            ),
        ),
    ],
)
def test_a_class_that_can_be_no_tool_is_an_error(target: str, said: str, tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather(tools=[_tool(target)], script=[asks("Oslo"), says()]))
    run = place(tmp_path).play(scenario)
    assert (run.outcome, outline(run)) == (Outcome.ERROR, [("ERROR", said)])


def test_an_object_that_is_awaited_is_wrapped_as_such() -> None:
    box = _toolbox("awaits")
    tool: Callable[..., Any] = box.wrap(AsyncCounter(), "get_weather")
    assert asyncio.run(tool(city="Oslo")) == "Oslo: call 1"
    assert [logged.execution.value for logged in box.log] == ["Oslo: call 1"]
