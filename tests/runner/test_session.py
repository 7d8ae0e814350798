from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest

from tests.loops import faulty
from tests.projects import (
    MODEL,
    ScriptedModel,
    asks,
    outline,
    place,
    says,
    scripted,
    session_of,
    use,
    weather,
)
from toolreplay.cassette.playback import Match, Playback
from toolreplay.report.run_text import details
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.router import INTERCEPTOR, ROUTER
from toolreplay.runner.run import Outcome
from toolreplay.runner.session import Session
from toolreplay.runner.sides import CassetteSide, LiveSide
from toolreplay.serve.http import serving

Json = dict[str, Any]
USER: Final = {"role": "user", "content": "What is the weather?"}
TOOL: Final = {"name": "get_weather", "input_schema": {"type": "object"}}
CALL: Final = {"role": "assistant", "content": [use("toolu_1", city="Oslo")]}
UNANSWERED: Final = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
NO_MODEL: Final = "the recording is used up: its 0 exchanges were played and the loop asked once more"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in DUMMIES.items():
        monkeypatch.setenv(name, value)


def _ask(client: anthropic.Anthropic, *messages: Json, **fields: Any) -> anthropic.types.Message:
    sent: Any = {"messages": list(messages), "tools": [TOOL], **fields}
    reply: anthropic.types.Message = client.messages.create(model=MODEL, max_tokens=9, **sent)
    return reply


def _errors(session: Session) -> list[tuple[str, int | None]]:
    return [(one.finding.code, one.request) for one in session.findings if one.finding.is_error]


def _error(caught: pytest.ExceptionInfo[anthropic.BadRequestError]) -> Json:
    error: Json = caught.value.response.json()["error"]
    return error


def test_a_broken_request_is_refused_in_the_words_of_the_api_and_the_script_waits() -> None:
    with session_of(scripted("s", asks("Oslo"), says("second"))) as session, anthropic.Anthropic() as client:
        _ask(client, USER)
        with pytest.raises(anthropic.BadRequestError) as caught:
            _ask(client, USER, CALL, USER)
        answered = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "4"}],
        }
        reply = _ask(client, USER, CALL, answered)
    assert _error(caught) == {"type": "invalid_request_error", "message": UNANSWERED}
    assert reply.content[0].to_dict() == {"type": "text", "text": "second"}
    assert [(one.number, one.served) for one in session.exchanges] == [(1, True), (2, False), (3, True)]
    assert _errors(session) == [("TR101", 2)]


def test_a_broken_request_that_nobody_recorded_is_told_what_is_broken() -> None:
    session = Session("s", CassetteSide(Playback((), Match.EXACT), "empty.yaml"))
    with (
        INTERCEPTOR.hold(),
        ROUTER.opened(session),
        anthropic.Anthropic() as client,
        pytest.raises(anthropic.BadRequestError) as caught,
    ):
        _ask(client, USER, CALL, USER)
    assert _error(caught)["message"] == UNANSWERED
    assert (_errors(session), session.misses) == ([("TR101", 1)], [])


def test_findings_come_before_the_misses_they_caused(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(match="exact"))
    here.record(scenario, ScriptedModel(asks("Atlantis"), says()))
    run = here.play(scenario, faulty.loses_is_error)
    lines = [line for line in details(run) if not line.startswith(" ")]
    assert lines == [
        "error TR602 wrong-status: messages[2].content[0]",
        (
            "request 2: no recorded exchange answers this request; nearest is exchange 1: turn 2, "
            "result of get_weather for Atlantis: recorded `error: no city of that name`, "
            "now `success: LookupError: no city of that name`; all before it equal"
        ),
    ]


def test_a_session_that_is_not_strict_serves_the_next_reply() -> None:
    with (
        session_of(scripted("s", asks("Oslo"), says("two")), strict=False) as session,
        anthropic.Anthropic() as client,
    ):
        _ask(client, USER)
        reply = _ask(client, USER, CALL, USER)
    assert reply.content[0].to_dict() == {"type": "text", "text": "two"}
    assert _errors(session) == [("TR101", 2)]


def _by_sdk() -> str:
    with anthropic.Anthropic() as client, pytest.raises(anthropic.BadRequestError) as caught:
        _ask(client, USER)
    assert caught.value.response.headers["x-should-retry"] == "false"
    return str(_error(caught)["message"])


def _by_async_sdk() -> str:
    async def ask() -> str:
        messages: Any = [USER]
        async with anthropic.AsyncAnthropic() as client:
            with pytest.raises(anthropic.BadRequestError) as caught:
                await client.messages.create(model=MODEL, max_tokens=9, messages=messages)
            return str(_error(caught)["message"])

    return asyncio.run(ask())


def _by_streaming_sdk() -> str:
    messages: Any = [USER]
    with (
        anthropic.Anthropic() as client,
        pytest.raises(anthropic.BadRequestError) as caught,
        client.messages.stream(model=MODEL, max_tokens=9, messages=messages) as stream,
    ):
        stream.get_final_message()
    return str(_error(caught)["message"])


def _by_converse() -> str:
    boto3 = pytest.importorskip("boto3")
    exceptions = pytest.importorskip("botocore.exceptions")
    client = boto3.client("bedrock-runtime")
    try:
        with pytest.raises(exceptions.ClientError) as caught:
            client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "Hello"}]}])
    finally:
        client.close()
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"
    return str(error["Message"])


@pytest.mark.parametrize(
    "ask",
    [_by_sdk, _by_async_sdk, _by_streaming_sdk, _by_converse],
    ids=lambda ask: ask.__name__.removeprefix("_by_"),
)
def test_a_miss_is_a_400_at_once(ask: Callable[[], str]) -> None:
    took = []
    for _ in range(2):  # the first call of a client may import half of its SDK
        session = Session("s", CassetteSide(Playback((), Match.EXACT), "empty.yaml"))
        with INTERCEPTOR.hold(), ROUTER.opened(session):
            started = time.perf_counter()
            message = ask()
            took.append(time.perf_counter() - started)
        assert message == f"toolreplay: {NO_MODEL}"
        assert [(one.number, one.response.status, one.served) for one in session.exchanges] == [(1, 400, False)]
        assert [miss.text for miss in session.misses] == [NO_MODEL]
    assert min(took) < 1


def test_a_broken_converse_request_is_refused_in_the_words_of_bedrock() -> None:
    boto3 = pytest.importorskip("boto3")
    exceptions = pytest.importorskip("botocore.exceptions")
    session = Session("s", CassetteSide(Playback((), Match.EXACT), "empty.yaml"))
    call = {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {}}}
    messages = [
        {"role": "user", "content": [{"text": "Hello"}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"text": "Well?"}]},
    ]
    tools = {"tools": [{"toolSpec": {"name": "get_weather", "inputSchema": {"json": {"type": "object"}}}}]}
    client = boto3.client("bedrock-runtime")
    with INTERCEPTOR.hold(), ROUTER.opened(session), pytest.raises(exceptions.ClientError) as caught:
        client.converse(modelId="m", messages=messages, toolConfig=tools)
    client.close()
    assert caught.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "Expected toolResult blocks at messages.2.content for the following Ids: t1",
    }
    assert session.misses == []


def test_too_many_turns_for_one_prompt(tmp_path: Path) -> None:
    here = place(tmp_path)
    script = [asks("Oslo", first=number) for number in range(1, 9)]
    scenario = here.scenario(weather(script=script, max_turns=3))
    run = here.play(scenario, faulty.never_ends)
    assert [found.finding.message for found in run.findings] == [
        "the loop asked for another reply after 3, the most it is allowed"
    ]
    assert [(found.finding.code, found.finding.path, found.request) for found in run.findings] == [
        ("TR611", "turn 4", None)
    ]
    assert (run.outcome, run.turns, run.requests) == (Outcome.FAIL, 3, 4)
    assert run.exchanges[-1].response.json["error"]["message"] == (
        "toolreplay: the scenario allows 3 replies for one prompt"
    )


def test_the_turns_are_counted_for_each_prompt(tmp_path: Path) -> None:
    here = place(tmp_path)
    prompts = [{"user": "Oslo?"}, {"user": "Rome?"}, {"user": "Both?"}]
    script = [asks("Oslo"), says(), asks("Rome", first=2), says(), says()]
    run = here.play(here.scenario(weather(conversation=prompts, script=script, max_turns=2)))
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 5)


def test_an_allowed_rule_is_kept_apart_and_not_refused(tmp_path: Path) -> None:
    here = place(tmp_path)
    allow = [{"rule": "TR104", "reason": "the gateway takes it"}]
    script = [asks("Oslo"), says("fine")]
    expect = [{"user": "What is the weather?", "expect": {"final_text": "fine"}}]
    scenario = here.scenario(weather(script=script, allow=allow, conversation=expect))
    run = here.play(scenario, faulty.puts_text_before_results)
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 2)
    assert [found.finding.code for found in run.allowed] == ["TR104"]


def test_another_rule_than_the_allowed_one_still_counts(tmp_path: Path) -> None:
    here = place(tmp_path)
    allow = [{"rule": "TR105", "reason": "not this one"}]
    scenario = here.scenario(weather(script=[asks("Oslo"), says()], allow=allow))
    run = here.play(scenario, faulty.puts_text_before_results)
    assert (outline(run), run.allowed, run.outcome) == ([("TR104", "error")], (), Outcome.FAIL)


def test_a_warning_is_shown_and_does_not_fail(tmp_path: Path) -> None:
    here = place(tmp_path)
    run = here.play(here.scenario(weather(script=[asks("Oslo"), says()])), faulty.sets_is_error_on_good_results)
    assert (outline(run), run.outcome) == ([("TR602", "warning")], Outcome.PASS)


def test_a_bad_message_that_stays_in_the_history_is_reported_once() -> None:
    history: list[Json] = [USER]
    with (
        session_of(scripted("s", asks("Oslo"), says(), says()), strict=False) as session,
        anthropic.Anthropic() as client,
    ):
        for _ in range(3):
            content: Any = _ask(client, *history).to_dict()["content"]
            history += [{"role": "assistant", "content": content}, USER]
    assert _errors(session) == [("TR101", 2)]


def test_an_api_error_of_the_script_is_what_the_sdk_makes_of_it() -> None:
    replies: list[Json] = [{"http_error": 529}, {"http_error": 429, "message": "slow down"}, says("at last")]
    took = []
    for _ in range(2):
        with session_of(scripted("s", *replies)) as session, anthropic.Anthropic() as client:
            started = time.perf_counter()
            reply = _ask(client, USER)
            took.append(time.perf_counter() - started)
        assert reply.content[0].to_dict() == {"type": "text", "text": "at last"}
        assert [one.response.status for one in session.exchanges] == [529, 429, 200]
    assert min(took) < 1


def test_the_live_side_lets_requests_out_and_keeps_what_comes_back() -> None:
    side, model = LiveSide(), ScriptedModel(says("live"))
    session = Session("s", side)
    with (
        serving(model) as url,
        INTERCEPTOR.hold(),
        ROUTER.opened(session),
        anthropic.Anthropic(base_url=url) as client,
    ):
        reply = _ask(client, USER)
    (exchange,) = side.exchanges
    assert exchange.body == {"model": MODEL, "max_tokens": 9, "messages": [USER], "tools": [TOOL]}
    assert exchange.response.json == reply.to_dict()
    assert [(one.served, one.response.status) for one in session.exchanges] == [(True, 200)]
