from __future__ import annotations

import asyncio
import copy
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import anthropic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.loop.test_results import VALUES, Hostile, HostileError
from tests.projects import MODEL, asks, says, scripted, session_of, use
from toolreplay.loop import CutReply, ErrorResult, TurnLimit, arun, run
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.session import Session
from toolreplay.scenario.model import Scenario

Json = dict[str, Any]
TOOL: Final = {"name": "get_weather", "input_schema": {"type": "object"}}
TOOL_ON_CONVERSE: Final = {"toolSpec": {"name": "get_weather", "inputSchema": {"json": {"type": "object"}}}}


@pytest.fixture(autouse=True, scope="module")
def _credentials() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in DUMMIES.items():
            patch.setenv(name, value)
        yield


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()  # 26 ms, which every client of its own would pay


@cache
def _boto3() -> Any:
    return pytest.importorskip("boto3").client("bedrock-runtime")


@dataclass(frozen=True)
class Driver:
    """One way to run the loop."""

    id: str
    stream: bool = False
    converse: bool = False
    is_async: bool = False

    def __call__(self, messages: list[Json], function: Callable[..., object], **fields: Any) -> list[Json]:
        tool = TOOL_ON_CONVERSE if self.converse else TOOL
        shared: Json = {
            "model": MODEL,
            "messages": messages,
            "stream": self.stream,
            "tools": [tool],
            **fields,
        }
        if self.converse:
            return run(_boto3(), functions={"get_weather": function}, **shared)
        if self.is_async:
            return asyncio.run(self._wait(function, shared))
        with anthropic.Anthropic(http_client=anthropic.DefaultHttpxClient(verify=_tls())) as client:
            return run(client, functions={"get_weather": function}, **shared)

    async def _wait(self, function: Callable[..., object], shared: Json) -> list[Json]:
        async def tool(**arguments: object) -> object:
            return function(**arguments)

        transport = anthropic.DefaultAsyncHttpxClient(verify=_tls())
        async with anthropic.AsyncAnthropic(http_client=transport) as client:
            return await arun(client, async_functions={"get_weather": tool}, **shared)

    def scenario(self, *replies: Json) -> Scenario:
        return scripted("s", *replies, wire="converse" if self.converse else "messages")

    def user(self, text: str) -> Json:
        return {"role": "user", "content": [{"text": text}] if self.converse else text}

    def results(self, history: list[Json]) -> list[tuple[str, bool, object]]:
        """Id, error status and content of every result, in order."""
        found = []
        for block in _blocks(history):
            if block.get("type") == "tool_result":
                found.append((block["tool_use_id"], block.get("is_error", False), block["content"]))
            elif "toolResult" in block:
                result = block["toolResult"]
                found.append((result["toolUseId"], result["status"] == "error", result["content"]))
        return found


def _blocks(history: list[Json]) -> list[Json]:
    return [block for message in history if not isinstance(message["content"], str) for block in message["content"]]


SYNC: Final = Driver("sync")
DRIVERS: Final = (
    SYNC,
    Driver("streamed", stream=True),
    Driver("async", is_async=True),
    Driver("async streamed", is_async=True, stream=True),
    Driver("converse", converse=True),
    Driver("converse streamed", converse=True, stream=True),
)
every_driver = pytest.mark.parametrize("driver", DRIVERS, ids=lambda driver: driver.id)


def _raise(error: BaseException) -> Any:
    raise error


class Ran:
    """A tool that does what it is told, call by call, and counts."""

    def __init__(self, *outcomes: Callable[[], object]) -> None:
        self._outcomes = outcomes
        self.calls: list[Mapping[str, object]] = []

    def __call__(self, **arguments: object) -> object:
        self.calls.append(arguments)
        return self._outcomes[(len(self.calls) - 1) % len(self._outcomes)]()


_ERRORS: Final = st.one_of(
    st.builds(LookupError, st.text(max_size=5)),
    st.builds(ValueError),
    st.builds(HostileError),
    st.builds(StopIteration),
    st.builds(RecursionError, st.just("deep\ndown")),
    st.builds(UnicodeEncodeError, st.just("utf-8"), st.just("\ud800"), st.just(0), st.just(1), st.just("no")),
)
_OUTCOMES: Final = st.one_of(
    VALUES.map(lambda value: lambda: value),
    VALUES.map(lambda value: lambda: ErrorResult(value)),
    st.just(Hostile),
    _ERRORS.map(lambda error: lambda: _raise(error)),
)
_NAMES: Final = st.sampled_from(["get_weather", "get_weather", "get_weather", "unknown_tool"])
_TURNS: Final = st.lists(st.lists(_NAMES, min_size=1, max_size=4), max_size=3)


def _script(turns: list[list[str]]) -> list[Json]:
    replies, count = [], 0
    for turn in turns:
        uses = []
        for name in turn:
            count += 1
            uses.append(use(f"toolu_{count}", name, number=count))
        replies.append({"content": [{"type": "text", "text": "I look."}, *uses]})
    return [*replies, says(), says("And that is all.")]


@every_driver
@settings(max_examples=25)
@given(turns=_TURNS, outcomes=st.lists(_OUTCOMES, min_size=1, max_size=4))
def test_the_loop_keeps_the_contract_whatever_the_tools_do(
    driver: Driver, turns: list[list[str]], outcomes: list[Callable[[], object]]
) -> None:
    tool = Ran(*outcomes)
    prompt = driver.user("What is the weather?")
    with session_of(driver.scenario(*_script(turns))) as session:
        history = driver([prompt], tool)
        # The next prompt of the session is sendable, whatever happened before.
        whole = driver([*history, driver.user("Thanks.")], tool)
    assert [found for found in session.findings if found.finding.is_error] == []
    assert [exchange.served for exchange in session.exchanges] == [True] * (len(turns) + 2)
    names = [name for turn in turns for name in turn]
    assert len(tool.calls) == names.count("get_weather")
    results = driver.results(history)
    assert [result[0] for result in results] == [f"toolu_{number}" for number in range(1, len(names) + 1)]
    assert all(is_error for name, (_, is_error, _) in zip(names, results, strict=True) if name == "unknown_tool")
    assert (history[0], whole[: len(history)]) == (prompt, history)
    assert [message["role"] for message in whole] == ["user", "assistant"] * (len(turns) + 2)


def _sent(session: Session) -> list[list[Json]]:
    return [exchange.request.json["messages"] for exchange in session.exchanges]


@every_driver
def test_every_request_carries_the_whole_history_and_the_tools(driver: Driver) -> None:
    start = [driver.user("Oslo and Rome?")]
    before = copy.deepcopy(start)
    with session_of(driver.scenario(asks("Oslo", "Rome"), asks("Bergen", first=3), says())) as session:
        history = driver(start, Ran(lambda: "rain"), system="Be brief.")
    sent = _sent(session)
    assert [len(messages) for messages in sent] == [1, 3, 5]
    assert sent[2][:3] == sent[1]
    assert start == before
    assert len(history) == 6
    bodies = [exchange.request.json for exchange in session.exchanges]
    if driver.converse:
        assert [body["toolConfig"] for body in bodies] == [{"tools": [TOOL_ON_CONVERSE]}] * 3
        assert [body["system"] for body in bodies] == [[{"text": "Be brief."}]] * 3
    else:
        assert [(body["tools"], body["system"], body.get("stream", False)) for body in bodies] == [
            ([TOOL], "Be brief.", driver.stream)
        ] * 3


@every_driver
def test_each_result_says_what_its_own_tool_did(driver: Driver) -> None:
    tool = Ran(lambda: "rain", lambda: _raise(LookupError("no city")), lambda: ErrorResult("shut"))
    with session_of(driver.scenario(asks("Oslo", "Atlantis", "Rome"), says())) as session:
        history = driver([driver.user("Weather?")], tool)
    assert session.findings == []
    text = (lambda value: [{"text": value}]) if driver.converse else (lambda value: value)
    assert driver.results(history) == [
        ("toolu_1", False, text("rain")),
        ("toolu_2", True, text("no city")),
        ("toolu_3", True, text("shut")),
    ]


@every_driver
def test_the_turn_limit_is_checked_before_tools_run(driver: Driver) -> None:
    tool = Ran(lambda: "rain")
    with (
        session_of(driver.scenario(asks("Oslo"), asks("Rome", first=2), says())) as session,
        pytest.raises(TurnLimit, match="reply 2, the last one allowed"),
    ):
        driver([driver.user("Weather?")], tool, max_turns=2)
    assert (len(tool.calls), len(session.exchanges)) == (1, 2)


@dataclass(frozen=True)
class Stop:
    reason: str
    content: list[Json]
    kept: int


@every_driver
@pytest.mark.parametrize(
    "stop",
    [
        Stop("max_tokens", [{"type": "text", "text": "I look"}, use("toolu_1", city="Os")], kept=2),
        Stop("max_tokens", [use("toolu_1", city="Os")], kept=1),
        Stop("refusal", [{"type": "text", "text": "I will not."}], kept=0),
        Stop("end_turn", [], kept=1),
    ],
    ids=["cut after text", "cut with a call only", "refusal", "empty"],
)
def test_a_reply_that_is_no_answer_leaves_a_history_that_can_be_sent(driver: Driver, stop: Stop) -> None:
    tool = Ran(lambda: "rain")
    script = [{"content": stop.content, "stop_reason": stop.reason}, says()]
    with session_of(driver.scenario(*script)) as session:
        history = driver([driver.user("Weather?")], tool)
        driver([*history, driver.user("Well?")], tool)
    assert (len(history), tool.calls) == (stop.kept, [])
    assert ([found for found in session.findings if found.finding.is_error], len(session.exchanges)) == (
        [],
        2,
    )


REFUSED: Final[Json] = {"content": [{"type": "text", "text": "I will not."}], "stop_reason": "refusal"}


@every_driver
def test_a_refusal_after_tools_ran_takes_the_whole_prompt_back(driver: Driver) -> None:
    tool = Ran(lambda: "rain")
    script = [says(), asks("Oslo"), REFUSED, says()]
    with session_of(driver.scenario(*script)) as session:
        before = driver([driver.user("Hello.")], tool)
        after = driver([*before, driver.user("Weather?")], tool)
        driver([*after, driver.user("Well?")], tool)
    assert (after, [found for found in session.findings if found.finding.is_error]) == (before, [])


@every_driver
def test_a_refusal_after_an_approval_takes_the_whole_prompt_back(driver: Driver) -> None:
    tool = Ran(lambda: "rain")
    script = [says(), asks("Oslo"), asks("Rome", first=2), REFUSED, says()]
    with session_of(driver.scenario(*script)) as session:
        before = driver([driver.user("Hello.")], tool)
        decisions = {"toolu_1": True, "toolu_2": None}
        waiting = driver([*before, driver.user("Weather?")], tool, approve=lambda *call: decisions[call[2]])
        after = driver(waiting, tool, approve=lambda *call: True)
        driver([*after, driver.user("Well?")], tool)
    assert (len(waiting), len(tool.calls)) == (6, 2)
    assert (after, [found for found in session.findings if found.finding.is_error]) == (before, [])


@every_driver
def test_a_refusal_keeps_the_results_before_the_prompt(driver: Driver) -> None:
    tool = Ran(lambda: "rain")
    empty = {"content": [], "stop_reason": "end_turn"}
    with session_of(driver.scenario(asks("Oslo"), empty, REFUSED, says())) as session:
        before = driver([driver.user("Weather?")], tool)
        after = driver([*before, driver.user("Well?")], tool)
        driver([*after, driver.user("Thanks.")], tool)
    assert (after, [found for found in session.findings if found.finding.is_error]) == (before, [])
    assert len(driver.results(after)) == 1


def test_a_paused_turn_is_sent_back_unchanged() -> None:
    paused = [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo"}}]
    with session_of(SYNC.scenario({"content": paused, "stop_reason": "pause_turn"}, says())) as session:
        history = SYNC([SYNC.user("Weather?")], Ran(lambda: "rain"))
    assert _sent(session)[1] == [SYNC.user("Weather?"), {"role": "assistant", "content": paused}]
    assert [message["role"] for message in history] == ["user", "assistant", "assistant"]


streamed = pytest.mark.parametrize(
    "driver", [driver for driver in DRIVERS if driver.stream], ids=lambda driver: driver.id
)
cuts = pytest.mark.parametrize("after", [1, 60, 300, 600])


@streamed
@cuts
def test_a_stream_that_breaks_off_is_asked_for_again(driver: Driver, after: int) -> None:
    tool = Ran(lambda: "rain")
    with session_of(driver.scenario({**asks("Oslo"), "cut_after": after}, asks("Oslo"), says())) as session:
        history = driver([driver.user("Weather?")], tool)
    assert (len(tool.calls), len(history), session.findings) == (1, 4, [])
    assert [len(messages) for messages in _sent(session)] == [1, 1, 3]


@streamed
@cuts
def test_a_stream_that_breaks_off_twice_is_told_and_nothing_of_it_is_kept(driver: Driver, after: int) -> None:
    tool, cut = Ran(lambda: "rain"), {**asks("Oslo"), "cut_after": after}
    with session_of(driver.scenario(cut, cut, says())) as session, pytest.raises(CutReply, match="broke off"):
        driver([driver.user("Weather?")], tool)
    assert (tool.calls, session.findings, len(session.exchanges)) == ([], [], 2)


@streamed
def test_a_stream_that_breaks_off_in_the_last_reply_allowed_is_told(driver: Driver) -> None:
    tool, cut = Ran(lambda: "rain"), {**says(), "cut_after": 300}
    with (
        session_of(driver.scenario(asks("Oslo"), cut, says())) as session,
        pytest.raises(CutReply, match="in reply 2, the last one allowed"),
    ):
        driver([driver.user("Weather?")], tool, max_turns=2)
    assert (len(tool.calls), len(session.exchanges)) == (1, 2)


@every_driver
def test_a_forced_tool_choice_holds_for_the_first_reply_only(driver: Driver) -> None:
    forced: Json = {"tool_choice": {"type": "any"}}
    if driver.converse:
        forced = {"toolConfig": {"toolChoice": {"any": {}}}}
    with session_of(driver.scenario(asks("Oslo"), says())) as session:
        driver([driver.user("Weather?")], Ran(lambda: "rain"), parameters=forced)
    bodies = [exchange.request.json for exchange in session.exchanges]
    if driver.converse:
        assert [body["toolConfig"]["toolChoice"] for body in bodies] == [{"any": {}}, {"auto": {}}]
    else:
        assert [body["tool_choice"] for body in bodies] == [{"type": "any"}, {"type": "auto"}]


@every_driver
def test_a_denied_call_is_not_run_and_answered_with_the_reason(driver: Driver) -> None:
    tool = Ran(lambda: "rain")
    decisions: dict[str, bool | str] = {"toolu_1": True, "toolu_2": False, "toolu_3": "not on a Sunday"}
    with session_of(driver.scenario(asks("Oslo", "Rome", "Bergen"), says())) as session:
        history = driver([driver.user("Weather?")], tool, approve=lambda *call: decisions[call[2]])
    assert (tool.calls, session.findings) == ([{"city": "Oslo"}], [])
    said = [(use_id, is_error, json.dumps(content)) for use_id, is_error, content in driver.results(history)]
    assert [(use_id, is_error) for use_id, is_error, _ in said] == [
        ("toolu_1", False),
        ("toolu_2", True),
        ("toolu_3", True),
    ]
    assert ("denied" in said[1][2], "not on a Sunday" in said[2][2]) == (True, True)


@every_driver
def test_an_open_decision_leaves_the_calls_open_and_can_be_made_later(driver: Driver) -> None:
    tool = Ran(lambda: "rain")
    with session_of(driver.scenario(asks("Oslo", "Rome"), says())) as session:
        waiting = driver([driver.user("Weather?")], tool, approve=lambda *call: None)
        assert (tool.calls, waiting[-1]["role"], len(session.exchanges)) == ([], "assistant", 1)
        done = driver(waiting, tool, approve=lambda *call: True)
    assert (len(tool.calls), len(driver.results(done)), session.findings) == (2, 2, [])


@every_driver
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_failure_of_a_tool_leaves_the_loop(driver: Driver, error: type[BaseException]) -> None:
    with session_of(driver.scenario(asks("Oslo"), says())) as session, pytest.raises(error):
        driver([driver.user("Weather?")], Ran(lambda: _raise(error())))
    assert len(session.exchanges) == 1


def test_parallel_calls_run_side_by_side_on_the_async_loop() -> None:
    async def play() -> list[Json]:
        both_run = asyncio.Barrier(2)

        async def tool(city: str) -> str:
            await asyncio.wait_for(both_run.wait(), 5)
            return f"rain in {city}"

        async with anthropic.AsyncAnthropic() as client:
            return await arun(
                client,
                model=MODEL,
                messages=[SYNC.user("Weather?")],
                tools=[TOOL],
                async_functions={"get_weather": tool},
            )

    with session_of(SYNC.scenario(asks("Oslo", "Rome"), says())):
        history = asyncio.run(play())
    assert [content for _, _, content in SYNC.results(history)] == ["rain in Oslo", "rain in Rome"]


def test_a_hostile_value_fails_its_own_call_only() -> None:
    with session_of(SYNC.scenario(asks("Oslo", "Rome"), says())) as session:
        history = SYNC([SYNC.user("Weather?")], Ran(Hostile, lambda: "rain"))
    assert (SYNC.results(history), session.findings) == (
        [("toolu_1", True, "no text for you"), ("toolu_2", False, "rain")],
        [],
    )
