"""`toolreplay.session` and the fixture, on the project's own scenarios."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import toolreplay as library
from toolreplay.errors import RunFailed, ScenarioError
from toolreplay.loop import arun, run, run_tools
from toolreplay.runner.run import Drift, Outcome
from toolreplay.testing.fixture import Toolreplay
from toolreplay.testing.session import ScenarioSession

ROOT = Path(__file__).resolve().parents[2]
WEATHER = {"Oslo": "4 degrees and rain", "Bergen": "6 degrees and fog", "Tromso": "minus 3 degrees and snow"}


def _play(s: ScenarioSession, functions: Any = None) -> Any:
    return run(
        s.client,
        model=s.model,
        messages=s.messages,
        tools=s.tools,
        functions=functions or s.functions,
        system=s.system,
        max_tokens=s.max_tokens,
        parameters=s.parameters,
    )


def test_a_session_that_passes(toolreplay: Toolreplay) -> None:
    with toolreplay.session("calls/three_parallel") as s:
        before = s.run
        _play(s)
    assert before is None
    assert s.run is not None
    assert (s.run.outcome, s.run.requests, len(s.run.calls), s.run.drift) == (Outcome.PASS, 2, 3, ())


@pytest.mark.parametrize(
    "path",
    ["calls/one_call", "scenarios/calls/one_call.yaml", str(ROOT / "scenarios/calls/one_call.yaml::one call")],
)
def test_the_ways_to_name_a_scenario(path: str, toolreplay: Toolreplay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with toolreplay.session(path) as s:
        _play(s)
    with library.session(path, root=ROOT) as again:
        _play(again)


def test_a_broken_rule_is_told_and_not_the_error_it_caused(toolreplay: Toolreplay) -> None:
    with pytest.raises(RunFailed) as caught, toolreplay.session("calls/three_parallel") as s:
        messages = list(s.messages)
        reply = s.client.messages.create(model=s.model, max_tokens=s.max_tokens, messages=messages, tools=s.tools)
        first = run_tools(reply.to_dict()["content"], s.functions)[:1]
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": first}]
        s.client.messages.create(model=s.model, max_tokens=s.max_tokens, messages=messages, tools=s.tools)
    assert str(caught.value).splitlines()[:2] == [
        "FAIL scenarios/calls/three_parallel.yaml::three calls in parallel",
        "error TR101 unanswered-tool-use: turn 2, messages[1].content[1]",
    ]
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True)
    assert isinstance(caught.value, AssertionError)


def test_an_error_of_the_tests_own_goes_on_its_way(toolreplay: Toolreplay) -> None:
    with pytest.raises(ZeroDivisionError), toolreplay.session("calls/one_call") as s:
        _play(s)
        _ = 1 / 0


def test_a_session_without_a_request_checked_nothing(toolreplay: Toolreplay) -> None:
    with pytest.raises(RunFailed, match="(?s)ERROR .*nothing was checked"), toolreplay.session("calls/one_call"):
        pass


def test_an_agent_that_stops_in_the_middle(toolreplay: Toolreplay) -> None:
    with pytest.raises(RunFailed, match="TR610"), toolreplay.session("calls/one_call") as s:
        s.client.messages.create(
            model=s.model, max_tokens=s.max_tokens, messages=s.messages, tools=s.tools, system=s.system
        )


def test_real_tools_with_the_model_replayed(toolreplay: Toolreplay) -> None:
    def get_weather(city: str) -> str:
        return WEATHER[city].replace("4 degrees", "5 degrees")

    with toolreplay.session("calls/three_parallel") as s:
        _play(s, {"get_weather": s.wrap(get_weather)})
    assert s.run is not None
    assert [call.ran for call in s.run.calls] == [True, True, True]
    (drift,) = s.run.drift
    assert drift == Drift(s.run.calls[0].id, "get_weather", "4 degrees and rain", "5 degrees and rain")


def test_a_wrapped_tool_is_held_against_what_was_sent(toolreplay: Toolreplay) -> None:
    def get_weather(city: str) -> str:
        raise TimeoutError("no answer")

    def swallowed(city: str) -> str:
        try:
            return str(wrapped(city=city))
        except TimeoutError:
            return "rain, fog and snow"

    with pytest.raises(RunFailed, match="TR602"), toolreplay.session("calls/three_parallel") as s:
        wrapped = s.wrap(get_weather)
        _play(s, {"get_weather": swallowed})


def test_an_async_agent(toolreplay: Toolreplay) -> None:
    async def agent() -> ScenarioSession:
        async with toolreplay.session("calls/three_parallel") as s:
            await arun(
                s.async_client,
                model=s.model,
                messages=s.messages,
                tools=s.tools,
                async_functions=s.async_functions,
                system=s.system,
            )
        return s

    s = asyncio.run(agent())
    assert s.run is not None
    assert s.run.outcome is Outcome.PASS


def test_two_prompts(toolreplay: Toolreplay) -> None:
    with toolreplay.session("prompts/two_prompts") as s:
        history = _play(s)
        history.append({"role": "user", "content": s.next_prompt()})
        run(s.client, model=s.model, messages=history, tools=s.tools, functions=s.functions)
        with pytest.raises(ScenarioError, match="no further prompt; it has 2"):
            s.next_prompt()


def test_the_second_prompt_is_not_judged_before_it_is_asked(toolreplay: Toolreplay) -> None:
    with pytest.raises(RunFailed, match="was not played"), toolreplay.session("prompts/two_prompts") as s:
        _play(s)


def test_a_converse_session(toolreplay: Toolreplay) -> None:
    with toolreplay.session("converse/status_error") as s:
        _play(s)
    assert s.run is not None
    assert [call.result and call.result.status for call in s.run.calls] == ["success", "error"]


def test_check_and_play(toolreplay: Toolreplay) -> None:
    assert toolreplay.play("calls/one_call").outcome is Outcome.PASS
    (finding,) = toolreplay.check([{"role": "user", "content": [{"type": "text", "text": ""}]}])
    assert finding.code == "TR304"


def test_sessions_count_in_the_summary(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        from toolreplay.loop import run

        def test_twice(toolreplay):
            for _ in range(2):
                with toolreplay.session({str(ROOT / "scenarios/stops/pause_turn.yaml")!r}) as s:
                    run(s.client, model=s.model, messages=s.messages, tools=s.tools, functions=s.functions,
                        system=s.system)
        """
    )
    (pytester.path / "pyproject.toml").write_text(f"[tool.toolreplay]\ncassettes = '{ROOT / 'cassettes'}'\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["toolreplay: 1 scenario*4 requests checked*"])


def test_what_was_not_let_out_is_told_beside_the_error_it_caused(toolreplay: Toolreplay) -> None:
    with pytest.raises(RunFailed) as caught, toolreplay.session("calls/one_call") as s:
        _play(s)
        urlopen("http://example.com/x").close()
    what = "GET http://example.com/x is no call of a model, and nothing goes out in replay"
    assert str(caught.value).splitlines()[:2] == [
        "ERROR scenarios/calls/one_call.yaml::one call",
        f"scenarios/calls/one_call.yaml:3: {what}",
    ]
    assert isinstance(caught.value.__cause__, HTTPError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_goes_on_its_way(error: type[BaseException], toolreplay: Toolreplay) -> None:
    with pytest.raises(error), toolreplay.session("calls/one_call") as s:
        _play(s)
        with contextlib.suppress(HTTPError):
            urlopen("http://example.com/x").close()
        raise error


def test_a_test_that_is_skipped_is_no_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import unittest

        import pytest
        from toolreplay.loop import run

        PATH = {str(ROOT / "scenarios/stops/pause_turn.yaml")!r}

        def play(s):
            run(s.client, model=s.model, messages=s.messages, tools=s.tools, functions=s.functions, system=s.system)

        def test_played(toolreplay):
            with toolreplay.session(PATH) as s:
                play(s)

        @pytest.mark.parametrize("skip", [pytest.skip.Exception, unittest.SkipTest])
        def test_skipped(skip, toolreplay):
            try:
                with toolreplay.session(PATH) as s:
                    raise skip("not today")
            finally:
                assert [(str(one.outcome), one.message) for one in s.run.failures] == [
                    ("SKIP", "the test was skipped: not today")
                ]
        """
    )
    (pytester.path / "pyproject.toml").write_text(f"[tool.toolreplay]\ncassettes = '{ROOT / 'cassettes'}'\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["toolreplay: 3 scenarios (1 PASS, 2 SKIP), *"])
