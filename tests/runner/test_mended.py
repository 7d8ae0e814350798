"""What a review found by playing: each of these went wrong once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolreplay.runner.play import play
from toolreplay.runner.run import Outcome, Run

TOOL = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
    "stub": {"return": "rain"},
}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}


def _scenario(here: Path, **fields: Any) -> Path:
    body: dict[str, Any] = {
        "version": 1,
        "name": "weather",
        "model": "claude-sonnet-5-5",
        "tools": [TOOL],
        "conversation": [{"user": "Weather?"}],
        "script": [{"content": [CALL]}, {"text": "Rain."}],
        **fields,
    }
    path = here / "scenarios" / "weather.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({name: value for name, value in body.items() if value is not None}))
    (here / "pyproject.toml").write_text("[tool.toolreplay]\n")
    return path


def _run(path: Path, loop: Any) -> Run:
    return play(path, loop=loop, root=path.parents[1])


def _ask(client: Any, model: str, messages: list[Any], tools: Any) -> Any:
    return client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)


def _results(reply: Any, functions: Any) -> dict[str, Any]:
    calls = [block for block in reply.content if block.type == "tool_use"]
    return {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": call.id, "content": functions[call.name](**call.input)}
            for call in calls
        ],
    }


def test_a_call_that_comes_back_altered_is_an_error_in_a_run(tmp_path: Path) -> None:
    def loop(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> None:
        reply = _ask(client, model, messages, tools)
        altered = [{**CALL, "input": {"city": "Bergen"}}]
        messages += [{"role": "assistant", "content": altered}, _results(reply, functions)]
        _ask(client, model, messages, tools)

    run = _run(_scenario(tmp_path), loop)
    assert (run.outcome, [(one.code, one.severity) for one in run.findings]) == (Outcome.FAIL, [("TR605", "error")])


def test_counting_tokens_takes_no_reply_and_is_no_checked_request(tmp_path: Path) -> None:
    def loop(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> None:
        assert client.messages.count_tokens(model=model, messages=messages, tools=tools).input_tokens > 0
        reply = _ask(client, model, messages, tools)
        messages += [{"role": "assistant", "content": reply.content}, _results(reply, functions)]
        _ask(client, model, messages, tools)

    def only_counts(client: Any, model: str, messages: list[Any]) -> None:
        client.messages.count_tokens(model=model, messages=messages)

    path = _scenario(tmp_path)
    run = _run(path, loop)
    assert (run.outcome, run.requests, len(run.exchanges), run.turns) == (Outcome.PASS, 2, 3, 2)
    run = _run(path, only_counts)
    assert (run.outcome, run.requests) == (Outcome.ERROR, 0)
    assert "nothing was checked" in run.failures[0].message


def test_a_reply_of_a_sub_agent_that_nobody_asked_for_fails(tmp_path: Path) -> None:
    subagents = [{"name": "helper", "user": "Help.", "script": [{"text": "Helped."}]}]
    run = _run(_scenario(tmp_path, subagents=subagents), None)
    assert (run.outcome, [one.message for one in run.failures]) == (
        Outcome.FAIL,
        ["reply 0 of the script of helper was not asked for"],
    )


def test_a_history_that_the_loop_rewrote_in_place_is_the_next_one(tmp_path: Path) -> None:
    seen: list[Any] = []

    def loop(client: Any, model: str, messages: list[Any], tools: Any) -> None:
        seen.append(list(messages))
        _ask(client, model, messages, tools)
        messages[:] = [{"role": "user", "content": "In short: nothing."}]

    path = _scenario(tmp_path, conversation=[{"user": "One"}, {"user": "Two"}], script=[{"text": "1"}, {"text": "2"}])
    _run(path, loop)
    assert seen[1] == [{"role": "user", "content": "In short: nothing."}, {"role": "user", "content": "Two"}]


def test_an_approval_over_blocks_of_the_sdk(tmp_path: Path) -> None:
    def loop(client: Any, model: str, messages: list[Any], tools: Any, approve: Any, functions: Any) -> list[Any]:
        if messages[-1]["role"] == "user":
            reply = _ask(client, model, messages, tools)
            messages.append({"role": "assistant", "content": reply.content})
        (call,) = messages[-1]["content"]
        if approve(call.name, call.input, call.id):
            messages.append(
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"}]}
            )
            _ask(client, model, messages, tools)
        return messages

    path = _scenario(
        tmp_path,
        conversation=[
            {"user": "Weather?", "expect": {"pending": ["get_weather"]}},
            {"approve": {"get_weather": "allow"}},
        ],
    )
    assert _run(path, loop).outcome is Outcome.PASS


def test_what_converse_cannot_hold_is_an_error_of_the_scenario(tmp_path: Path) -> None:
    document = {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}}
    run = _run(_scenario(tmp_path, wire="converse", conversation=[{"user": [document]}]), None)
    assert (run.outcome, [one.message for one in run.failures]) == (
        Outcome.ERROR,
        ["a block of type 'document' has no place on Converse; use text, image or document"],
    )


def test_a_fault_of_ours_is_an_error_and_the_next_scenario_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("toolreplay.runner.play.verdict", broken)
    run = _run(_scenario(tmp_path), None)
    assert run.outcome is Outcome.ERROR
    assert run.failures[0].message.startswith("toolreplay itself failed: RuntimeError: boom (test_mended.py:")


async def _inside(path: Path) -> Run:
    async def loop(client: Any) -> None: ...

    return _run(path, loop)


def test_an_async_loop_inside_an_event_loop(tmp_path: Path) -> None:
    import asyncio

    run = asyncio.run(_inside(_scenario(tmp_path)))
    assert (run.outcome, run.failures[0].message[:40]) == (Outcome.ERROR, "an async loop cannot be played where an ")


def test_the_code_of_stubs_is_found_for_a_loop_given_as_a_function(tmp_path: Path) -> None:
    (tmp_path / "stub_code_here.py").write_text("def weather(city):\n    return 'rain in ' + city\n")
    tool = {**TOOL, "stub": {"call": "stub_code_here:weather"}}

    def loop(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> None:
        reply = _ask(client, model, messages, tools)
        messages += [{"role": "assistant", "content": reply.content}, _results(reply, functions)]
        _ask(client, model, messages, tools)

    run = _run(_scenario(tmp_path, tools=[tool]), loop)
    assert (run.outcome, run.calls[0].result and run.calls[0].result.content) == (Outcome.PASS, "rain in Oslo")


def test_the_reference_loop_given_as_a_function_is_the_reference_loop() -> None:
    from toolreplay.loop import run
    from toolreplay.runner.loops import target_of

    assert target_of(run, Path()).is_reference


def test_a_loop_that_takes_no_no_is_stopped(tmp_path: Path) -> None:
    def loop(client: Any, model: str) -> None:
        while True:
            try:
                _ask(client, model, [{"role": "user", "content": [{"type": "text", "text": ""}]}], [])
            except Exception:  # noqa: BLE001
                continue

    run = _run(_scenario(tmp_path), loop)
    assert (run.outcome, len(run.exchanges)) == (Outcome.FAIL, 50)
    assert {one.code for one in run.findings} >= {"TR304", "TR611"}


def test_an_exception_that_cannot_be_built_is_a_broken_stub(tmp_path: Path) -> None:
    tool = {**TOOL, "stub": {"raise": {"type": "nosuchlib.errors.Boom", "message": "boom"}}}
    run = _run(_scenario(tmp_path, tools=[tool]), None)
    assert (run.outcome, "nosuchlib" in run.failures[0].message) == (Outcome.ERROR, True)


def test_a_body_that_is_no_json_is_not_answered(tmp_path: Path) -> None:
    def loop(client: Any) -> None:
        import httpx

        assert httpx.post("https://api.anthropic.com/v1/messages", content=b"garbage").status_code == 400

    run = _run(_scenario(tmp_path), loop)
    assert (run.outcome, run.requests) == (Outcome.FAIL, 0)


def test_a_loop_whose_exception_cannot_be_told(tmp_path: Path) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def loop(client: Any, model: str, messages: list[Any], tools: Any) -> None:
        _ask(client, model, messages, tools)
        raise Mute

    run = _run(_scenario(tmp_path), loop)
    assert run.outcome is Outcome.FAIL
    assert [one.message for one in run.findings if one.code == "TR609"] == [
        "the loop ended before it answered toolu_1 (get_weather): Mute: Mute"
    ]
