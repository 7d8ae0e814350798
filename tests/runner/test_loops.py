from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest

from tests.loops.drive import results
from tests.projects import Place, asks, outline, place, says, weather
from toolreplay.errors import LoopError
from toolreplay.runner.loops import find_loop, target_of
from toolreplay.runner.offer import NAMES
from toolreplay.runner.run import Outcome, Run

SCRIPT: Final = [asks("Oslo", "Atlantis"), says("Rain.")]


def _turns(client: Any, model: str, messages: list[Any], tools: Any, answer: Callable[[Any], Any]) -> str:
    while True:
        reply = client.messages.create(model=model, max_tokens=9, messages=messages, tools=tools).to_dict()
        messages.append({"role": "assistant", "content": reply["content"]})
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        if not calls:
            return str(reply["content"][0]["text"])
        messages.append({"role": "user", "content": answer(calls)})


def plain(client: Any, model: str, messages: Any, tools: Any, functions: Any) -> str:
    return _turns(client, model, messages, tools, lambda calls: results(calls, functions))


def positional(client: Any, model: str, messages: Any, tools: Any, functions: Any, /) -> str:
    return plain(client, model, messages, tools, functions)


def with_defaults(
    client: Any, model: str, messages: Any, tools: Any, functions: Any, temperature: float = 0, **rest: Any
) -> str:
    assert (temperature, rest) == (0, {})
    return plain(client, model, messages, tools, functions)


def by_name(client: Any, model: str, messages: Any, tools: Any, call_tool: Any) -> str:
    def one(call: Any) -> Any:
        result = {"type": "tool_result", "tool_use_id": call["id"]}
        try:
            return {**result, "content": str(call_tool(call["name"], call["input"], call["id"]))}
        except LookupError as error:
            return {**result, "content": str(error), "is_error": True}

    return _turns(client, model, messages, tools, lambda calls: [one(call) for call in calls])


def by_name_without_id(client: Any, model: str, messages: Any, tools: Any, call_tool: Any) -> str:
    return by_name(client, model, messages, tools, lambda name, arguments, _id: call_tool(name, arguments))


async def awaited(client: anthropic.AsyncAnthropic, model: str, messages: Any, tools: Any, functions: Any) -> None:
    while True:
        reply = (await client.messages.create(model=model, max_tokens=9, messages=messages, tools=tools)).to_dict()
        content: Any = reply["content"]
        messages.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        if not calls:
            return
        messages.append({"role": "user", "content": results(calls, functions)})


class Loop:
    """Loops that are methods, and an object that is called."""

    def __call__(self, client: Any, model: str, messages: Any, tools: Any, functions: Any) -> str:
        return plain(client, model, messages, tools, functions)

    def method(self, client: Any, model: str, messages: Any, tools: Any, functions: Any) -> str:
        return plain(client, model, messages, tools, functions)

    @staticmethod
    def static(client: Any, model: str, messages: Any, tools: Any, functions: Any) -> str:
        return plain(client, model, messages, tools, functions)


class Conversation:
    """An agent that keeps its own history."""

    def __init__(self, client: Any, model: str, tools: Any, functions: Any) -> None:
        self._ask: Callable[[Any], str] = lambda messages: plain(client, model, messages, tools, functions)
        self._messages: list[Any] = []

    def say(self, prompt: str) -> str:
        self._messages.append({"role": "user", "content": prompt})
        return self._ask(self._messages)


loop = Loop()
LOOPS: Final[tuple[Callable[..., object], ...]] = (
    plain,
    positional,
    with_defaults,
    by_name,
    by_name_without_id,
    awaited,
    loop,
    loop.method,
    Loop.static,
    functools.partial(plain),
    Conversation,
)


def _play(here: Place, loop: Callable[..., object] | str, **fields: object) -> Run:
    return here.play(here.scenario(weather(script=SCRIPT, **fields)), loop)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: getattr(loop, "__qualname__", type(loop).__name__))
def test_a_loop_of_any_form_is_played(loop: Callable[..., object], tmp_path: Path) -> None:
    run = _play(place(tmp_path), loop)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    assert [(call.id, call.ran, call.result and call.result.status) for call in run.calls] == [
        ("toolu_1", True, "success"),
        ("toolu_2", True, "error"),
    ]


@pytest.mark.parametrize("name", ["plain", "loop", "loop.method", "Loop.static"])
def test_a_loop_may_be_named(name: str, tmp_path: Path) -> None:
    run = _play(place(tmp_path), f"tests.runner.test_loops:{name}")
    assert (outline(run), run.outcome) == ([], Outcome.PASS)


def test_an_agent_with_a_history_of_its_own_hears_every_prompt(tmp_path: Path) -> None:
    here = place(tmp_path)
    conversation = [{"user": "Oslo?"}, {"user": "Thanks."}]
    run = here.play(here.scenario(weather(script=[*SCRIPT, says()], conversation=conversation)), Conversation)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    assert [len(one.request.json["messages"]) for one in run.exchanges] == [1, 3, 5]


def test_a_loop_below_src_or_the_root_is_found(tmp_path: Path) -> None:
    here = place(tmp_path)
    for folder in ("", "src/"):
        module = f"found_in_{folder.strip('/') or 'root'}"
        here.write(f"{folder}{module}.py", "def run(messages):\n    return messages\n")
        assert find_loop(f"{module}:run", tmp_path).name == f"{module}:run"


def test_the_reference_loop_is_taken_where_none_is_named(tmp_path: Path) -> None:
    assert (target_of(None, tmp_path).name, target_of(None, tmp_path).is_reference) == (
        "toolreplay.loop:run",
        True,
    )
    assert target_of(plain, tmp_path).name == "tests.runner.test_loops:plain"


def test_a_loop_whose_signature_cannot_be_read(tmp_path: Path) -> None:
    run = _play(place(tmp_path), dict.fromkeys)
    assert run.outcome is Outcome.ERROR


def test_what_is_offered_is_named(tmp_path: Path) -> None:
    def run(mesages: Any) -> None: ...

    outcome = _play(place(tmp_path), run)
    (failure,) = outcome.failures
    offered = ", ".join(sorted(NAMES))
    assert failure.message == (
        "tests.runner.test_loops:test_what_is_offered_is_named.<locals>.run asks for "
        f"'mesages', which is not offered; did you mean 'messages'? offered are {offered}"
    )


@pytest.mark.parametrize("name", ["", ":", "module", ":run", "module:"])
def test_a_name_of_another_form(name: str, tmp_path: Path) -> None:
    with pytest.raises(LoopError) as caught:
        find_loop(name, tmp_path)
    assert str(caught.value) == f"--loop {name!r}: a loop is named package.module:function"


def test_everything_that_is_offered_can_be_asked_for(tmp_path: Path) -> None:
    seen: dict[str, Any] = {}

    def run(
        client: Any, base_url: Any, model: Any, max_tokens: Any, max_turns: Any, system: Any, tools: Any,
        messages: Any, prompt: Any, functions: Any, async_functions: Any, call_tool: Any, parameters: Any,
        approve: Any, session: Any, stream: Any,
    ) -> None:  # fmt: skip
        seen.update(locals())

    fields: dict[str, Any] = {
        "system": "Be brief.",
        "max_tokens": 99,
        "max_turns": 7,
        "extra_body": {"top_k": 5},
    }
    _play(place(tmp_path), run, **fields)
    assert seen.keys() >= NAMES
    assert (seen["model"], seen["system"], seen["max_tokens"], seen["max_turns"]) == (
        "claude-sonnet-5-5",
        "Be brief.",
        99,
        7,
    )
    assert (seen["prompt"], seen["messages"]) == (
        "What is the weather?",
        [{"role": "user", "content": "What is the weather?"}],
    )
    assert ([*seen["functions"]], [*seen["async_functions"]]) == (["get_weather"], ["get_weather"])
    assert ([tool["name"] for tool in seen["tools"]], "stub" in seen["tools"][0]) == (["get_weather"], False)
    assert seen["parameters"] == {"extra_body": {"top_k": 5}}
    assert (type(seen["client"]).__name__, seen["base_url"], seen["stream"]) == ("Anthropic", None, False)


def test_a_loop_cannot_spoil_the_tools_of_the_next_prompt(tmp_path: Path) -> None:
    def run(client: Any, model: Any, messages: Any, tools: Any) -> None:
        client.messages.create(model=model, max_tokens=9, messages=messages, tools=tools)
        tools.clear()
        tools_seen.append(len(tools))

    tools_seen: list[int] = []
    here = place(tmp_path)
    conversation = [{"user": "One."}, {"user": "Two."}]
    run_of = here.play(here.scenario(weather(script=[says(), says()], conversation=conversation)), run)
    assert [len(one.request.json["tools"]) for one in run_of.exchanges] == [1, 1]
