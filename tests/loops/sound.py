"""The parts of loops that are right whatever tools and the model do, from which good and faulty loops are put together.

A loop is a way to send, a way to answer the calls of a reply, and these steps between them.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from anthropic import Anthropic, AsyncAnthropic

from toolreplay.loop import UnknownTool
from toolreplay.loop.results import ErrorResult, content_of, error_text, message_of

Json: TypeAlias = dict[str, Any]
Functions: TypeAlias = Mapping[str, Callable[..., Any]]
Said: TypeAlias = tuple[list[Json], str | None]
Answer: TypeAlias = Callable[[Sequence[Json], Functions], Sequence[Json]]
Answering: TypeAlias = Callable[[Sequence[Json], Functions], Awaitable[Sequence[Json]]]
Ending: TypeAlias = Callable[[list[Json], str | None], list[Json]]


def called(call: Json, functions: Functions) -> Any:
    """Call the function of a call, with a copy of the input: what was served goes back as it came."""
    if call["name"] not in functions:
        raise UnknownTool(f"no tool is named {call['name']}")
    return functions[call["name"]](**copy.deepcopy(call["input"]))


def told(call: Json, value: object) -> Json:
    """The result that tells what a function returned."""
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content_of(value)}


def failed(call: Json, error: BaseException) -> Json:
    """The result that tells what a function raised."""
    content = error_text(ErrorResult(message_of(error)))
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, "is_error": True}


def result(call: Json, functions: Functions) -> Json:
    """The result of a call."""
    try:
        return told(call, called(call, functions))
    except Exception as error:  # noqa: BLE001  (a tool may raise anything)
        return failed(call, error)


def results(calls: Sequence[Json], functions: Functions) -> list[Json]:
    """The results of all calls."""
    return [result(call, functions) for call in calls]


async def awaited(call: Json, functions: Functions) -> Json:
    """The result of a call of a coroutine function."""
    try:
        return told(call, await called(call, functions))
    except Exception as error:  # noqa: BLE001  (as above)
        return failed(call, error)


async def awaited_all(calls: Sequence[Json], functions: Functions) -> list[Json]:
    """The results of all calls, one after the other."""
    return [await awaited(call, functions) for call in calls]


def calls_of(said: Said) -> list[Json]:
    """The calls of a reply that must be answered."""
    content, stop_reason = said
    return [block for block in content if block["type"] == "tool_use"] if stop_reason == "tool_use" else []


def ending(content: list[Json], stop_reason: str | None) -> list[Json]:
    """What is kept of a reply without calls to answer: neither a refusal nor a call that was not run."""
    if stop_reason == "refusal":
        return []
    return [block for block in content if block["type"] != "tool_use"]


def goes_on(history: list[Json], said: Said, ends: Ending = ending) -> bool:
    """Take a reply without calls to answer into the history; whether it was only paused."""
    content, stop_reason = said
    kept = content if stop_reason == "pause_turn" else ends(content, stop_reason)
    if kept:
        history.append({"role": "assistant", "content": kept})
    return stop_reason == "pause_turn"


def pair(content: list[Json], answers: Sequence[Json]) -> list[Json]:
    """A reply and the answers to its calls. They join a history together, or an interrupt leaves a call open."""
    return [{"role": "assistant", "content": content}, {"role": "user", "content": list(answers)}]


def sends(client: Anthropic, body: Json) -> Callable[[list[Json]], Said]:
    """Send a history in one piece."""

    def send(history: list[Json]) -> Said:
        fields: Any = {**body, "messages": history}
        reply = client.messages.create(**fields).to_dict()
        content: Any = reply["content"]
        return content, str(reply["stop_reason"])

    return send


def turns(
    send: Callable[[list[Json]], Said],
    history: list[Json],
    functions: Functions,
    answer: Answer,
    ends: Ending = ending,
) -> list[Json]:
    """Play one prompt."""
    while True:
        said = send(history)
        calls = calls_of(said)
        if calls:
            history += pair(said[0], answer(calls, functions))
        elif not goes_on(history, said, ends):
            return history


def answering(answer: Answer, ends: Ending = ending) -> Callable[..., object]:
    """A loop that is right in everything but what it is given to do."""

    def loop(
        client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Functions
    ) -> object:
        body = {"model": model, "max_tokens": max_tokens, "tools": tools}
        return turns(sends(client, body), messages, functions, answer, ends)

    return named(loop, answer)


def awaiting(answer: Answering, ends: Ending = ending) -> Callable[..., object]:
    """The same as a coroutine function, with tools that are."""

    async def loop(
        client: AsyncAnthropic,
        model: str,
        max_tokens: int,
        messages: list[Json],
        tools: list[Json],
        async_functions: Functions,
    ) -> object:
        body = {"model": model, "max_tokens": max_tokens, "tools": tools}
        return await _turns(client, body, messages, async_functions, answer, ends)

    return named(loop, answer)


def awaiting_functions(answer: Answering, ends: Ending = ending) -> Callable[..., object]:
    """The same with tools that are plain functions."""

    async def loop(
        client: AsyncAnthropic,
        model: str,
        max_tokens: int,
        messages: list[Json],
        tools: list[Json],
        functions: Functions,
    ) -> object:
        body = {"model": model, "max_tokens": max_tokens, "tools": tools}
        return await _turns(client, body, messages, functions, answer, ends)

    return named(loop, answer)


async def _turns(
    client: AsyncAnthropic, body: Json, history: list[Json], functions: Functions, answer: Answering, ends: Ending
) -> list[Json]:
    while True:
        fields: Any = {**body, "messages": history}
        reply = (await client.messages.create(**fields)).to_dict()
        content: Any = reply["content"]
        said = content, str(reply["stop_reason"])
        calls = calls_of(said)
        if calls:
            history += pair(content, await answer(calls, functions))
        elif not goes_on(history, said, ends):
            return history


def named(loop: Callable[..., object], answer: Callable[..., object]) -> Callable[..., object]:
    """A loop under the name of its step."""
    loop.__name__ = loop.__qualname__ = answer.__name__
    loop.__module__ = answer.__module__
    return loop
