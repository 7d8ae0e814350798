from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from tests.projects import asks, outline, place, says, use, weather

SEARCH = {"type": "web_search_20250305", "name": "web_search"}
OPEN = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo"}}
STOPS = {"raise": {"type": "KeyboardInterrupt", "message": "stop"}}


def _one_prompt(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> str:
    """A loop that keeps no history: it neither changes the list it is given nor returns one."""
    history = list(messages)
    while True:
        reply = client.messages.create(model=model, max_tokens=100, messages=history, tools=tools)
        if reply.stop_reason != "tool_use":
            return str(reply.content[0].text)
        calls = [block for block in reply.content if block.type == "tool_use"]
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": str(functions[call.name](**call.input))}
            for call in calls
        ]
        history += [{"role": "assistant", "content": reply.to_dict()["content"]}, {"role": "user", "content": results}]


def _trims(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> str:
    return _one_prompt(client, model, messages[-2:], tools, functions)


def _interrupted(tmp_path: Path) -> Any:
    """Two turns of a prompt, the second of which its tool interrupts; a server tool is open from the first on."""
    stub = [{"when": {"city": "Rome"}, **STOPS}, {"return": "rain"}]
    tools = [{**weather()["tools"][0], "stub": stub}, SEARCH]
    script = [{"content": [OPEN, use("toolu_1", city="Oslo")]}, asks("Rome", first=2)]
    conversation = [{"user": "Oslo, then Rome?", "script": script}, {"user": "And now?"}]
    return place(tmp_path).scenario(weather(tools=tools, conversation=conversation, script=None))


def test_a_history_that_we_put_together_is_not_judged(tmp_path: Path) -> None:
    run = place(tmp_path).play(_interrupted(tmp_path), _one_prompt)
    assert [line for line in outline(run) if line[1] == "error"] == []
    assert run.requests == 3


def test_what_a_loop_makes_of_it_is_judged(tmp_path: Path) -> None:
    run = place(tmp_path).play(_interrupted(tmp_path), _trims)
    assert ("TR102", "error") in outline(run)


@pytest.mark.parametrize("loop", [_one_prompt, _trims])
def test_a_history_without_failures_is_judged_as_before(loop: Any, tmp_path: Path) -> None:
    conversation = [{"user": "Oslo?", "script": [asks("Oslo"), says()]}, {"user": "And now?"}]
    scenario = place(tmp_path).scenario(weather(conversation=conversation, script=None))
    found = outline(place(tmp_path).play(scenario, loop))
    assert [line for line in found if line[1] == "error"] == []


def _in_a_group(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> str:
    """What a task group does with an exception that is none of asyncio's own."""
    try:
        return _one_prompt(client, model, messages, tools, functions)
    except (KeyboardInterrupt, ValueError) as error:
        raise BaseExceptionGroup("unhandled errors in a TaskGroup", [error]) from None


def test_an_interruption_that_a_task_group_wraps_may_leave_the_loop(tmp_path: Path) -> None:
    run = place(tmp_path).play(_interrupted(tmp_path), _in_a_group)
    assert [line for line in outline(run) if line[1] == "error"] == []
    assert run.requests == 3


def test_a_failure_that_a_task_group_wraps_may_not(tmp_path: Path) -> None:
    stub = {"raise": {"type": "ValueError", "message": "no city"}}
    conversation = [{"user": "Oslo?", "script": [asks("Oslo")]}, {"user": "And now?"}]
    tools = [{**weather()["tools"][0], "stub": stub}]
    scenario = place(tmp_path).scenario(weather(tools=tools, conversation=conversation, script=None))
    assert ("TR609", "error") in outline(place(tmp_path).play(scenario, _in_a_group))


async def _leaves_a_tool_behind(
    client: AsyncAnthropic, model: str, messages: list[Any], tools: Any, async_functions: Any
) -> None:
    """It starts its tool and does not wait for it."""
    await client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)
    _leaves_a_tool_behind.__dict__["task"] = asyncio.ensure_future(async_functions["get_weather"](city="Oslo"))
    await asyncio.sleep(0.02)
    time.sleep(0.3)  # noqa: ASYNC251  (the tool ends while the event loop looks away)


def test_an_interruption_after_the_end_of_the_loop_is_the_tool_s(tmp_path: Path) -> None:
    stub = {**STOPS, "delay": 0.1}
    tools = [{**weather()["tools"][0], "stub": stub}]
    scenario = place(tmp_path).scenario(weather(tools=tools, script=[says()]))
    run = place(tmp_path).play(scenario, _leaves_a_tool_behind)
    assert [line for line in outline(run) if line[1] == "error"] == []


def test_a_prompt_with_an_image_that_another_joins_on_converse_is_the_same_conversation(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    tools = [{**weather()["tools"][0], "stub": STOPS}]
    asked = [{"user": [image, {"type": "text", "text": "Where?"}], "script": [asks("Oslo")]}, {"user": "And now?"}]
    scenario = place(tmp_path).scenario(weather(wire="converse", tools=tools, conversation=asked, script=None))
    run = place(tmp_path).play(scenario)
    assert (outline(run), run.requests) == ([], 2)


def test_an_input_that_breaks_off_in_a_stream_is_an_object_in_one_piece(tmp_path: Path) -> None:
    broken = {"content": [{**use("toolu_1", city="Oslo"), "input": '{"city": "Os'}], "stop_reason": "max_tokens"}
    scenario = place(tmp_path).scenario(weather(stream=True, script=[broken]))
    run = place(tmp_path).play(scenario, _keeps_what_is_cut)
    assert [code for code, _ in outline(run) if code == "TR203"] == []
    assert [call.input for call in run.calls] == [{}]


def _keeps_what_is_cut(client: Any, model: str, messages: list[Any], tools: Any) -> list[Any]:
    """Asks in one piece, whatever the scenario streams."""
    reply = client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)
    return [*messages, {"role": "assistant", "content": reply.to_dict()["content"]}]
