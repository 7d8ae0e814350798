"""Loops of many styles that are right whatever tools and the model do."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from anthropic import Anthropic, AsyncAnthropic, beta_tool
from anthropic.lib.tools import ToolError

from toolreplay.loop.results import content_of, message_of, text_of

from .sound import (
    Functions,
    Json,
    Said,
    answering,
    awaited,
    awaiting,
    called,
    calls_of,
    failed,
    goes_on,
    pair,
    result,
    results,
    sends,
    turns,
)

_MOST = 30_000


@answering
def reverses_results(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    return results(calls, functions)[::-1]


@answering
def runs_tools_in_threads(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda call: result(call, functions), calls))


@answering
def truncates_to_30_kb(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    return [{**one, "content": _cut(one["content"])} for one in results(calls, functions)]


def _cut(content: Any) -> Any:
    return content[:_MOST] if isinstance(content, str) else content


@answering
def wraps_results(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    return [{**one, "content": _wrapped(one["content"])} for one in results(calls, functions)]


def _wrapped(content: Any) -> Any:
    return f"<result>\n{content}\n</result>" if isinstance(content, str) else content


@answering
def hides_error_texts(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    hidden = "Something went wrong. Please try again."
    return [{**one, "content": hidden} if "is_error" in one else one for one in results(calls, functions)]


@answering
def denies_additions(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    denial = PermissionError("the user denied this call")
    return [failed(call, denial) if call["name"] == "add" else result(call, functions) for call in calls]


@answering
def adds_text_behind(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    return [*results(calls, functions), {"type": "text", "text": "Be brief."}]


@awaiting
async def gathers(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    return await asyncio.gather(*(awaited(call, functions) for call in calls))


@awaiting
async def gathers_exceptions(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    async def value_of(call: Json) -> object:
        return content_of(await called(call, functions))

    values = await asyncio.gather(*map(value_of, calls), return_exceptions=True)
    return [_told(call, value) for call, value in zip(calls, values, strict=True)]


def _told(call: Json, value: Any) -> Json:
    """The cancellation of a tool that nobody cancelled is a failure like any other."""
    if isinstance(value, BaseException):
        return failed(call, value)
    return {"type": "tool_result", "tool_use_id": call["id"], "content": value}


@awaiting
async def bounds_concurrency(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    gate = asyncio.Semaphore(2)

    async def one(call: Json) -> Json:
        async with gate:
            return await awaited(call, functions)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(call)) for call in calls]
    return [task.result() for task in tasks]


def streams_with_the_helper(
    client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Functions
) -> object:
    def send(history: list[Json]) -> Said:
        body: Any = {"model": model, "max_tokens": max_tokens, "tools": tools, "messages": history}
        with client.messages.stream(**body) as stream:
            for _ in stream.text_stream:
                pass
            return _said(stream.get_final_message())

    return turns(send, messages, functions, results)


async def streams_with_the_async_helper(
    client: AsyncAnthropic,
    model: str,
    max_tokens: int,
    messages: list[Json],
    tools: list[Json],
    async_functions: Functions,
) -> object:
    while True:
        body: Any = {"model": model, "max_tokens": max_tokens, "tools": tools, "messages": messages}
        async with client.messages.stream(**body) as stream:
            said = _said(await stream.get_final_message())
        calls = calls_of(said)
        if calls:
            messages += pair(said[0], await asyncio.gather(*(awaited(call, async_functions) for call in calls)))
        elif not goes_on(messages, said):
            return messages


def _said(message: Any) -> Said:
    if message.stop_reason is None:
        raise ConnectionError("the reply broke off")
    return [_sendable(block.to_dict()) for block in message.content], message.stop_reason


def _sendable(block: Json) -> Json:
    """A block without what the helper adds to it."""
    return {name: value for name, value in block.items() if name not in {"parsed_output", "__json_buf"}}


class Agent:
    """Keeps its own history."""

    def __init__(self, client: Anthropic, body: Json, functions: Functions) -> None:
        self._send = sends(client, body)
        self._functions = functions
        self._history: list[Json] = []

    def say(self, prompt: Any) -> str:
        """Answer a prompt."""
        self._history.append({"role": "user", "content": prompt})
        turns(self._send, self._history, self._functions, results)
        return str(self._history[-1]["content"])


def is_an_agent(client: Anthropic, model: str, max_tokens: int, tools: list[Json], functions: Functions) -> Agent:
    return Agent(client, {"model": model, "max_tokens": max_tokens, "tools": tools}, functions)


def is_the_tool_runner(
    client: Anthropic, model: str, max_tokens: int, messages: Any, tools: list[Json], functions: Functions
) -> None:
    """The SDK's own runner over message threads, with tools that return text and raise what has a text."""
    runnable = [
        beta_tool(
            _texts(functions[tool["name"]]),
            name=tool["name"],
            description=tool.get("description", ""),
            input_schema=tool["input_schema"],
        )
        for tool in tools
    ]
    for _ in client.beta.messages.tool_runner(model=model, max_tokens=max_tokens, messages=messages, tools=runnable):
        pass


def _texts(function: Callable[..., object]) -> Callable[..., Any]:
    @functools.wraps(function)
    def tool(**arguments: Any) -> Any:
        try:
            return text_of(function(**arguments))
        except Exception as error:  # noqa: BLE001  (a tool may raise anything)
            raise ToolError(text_of(message_of(error))) from None

    return tool
