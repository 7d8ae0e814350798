"""The Anthropic SDK's own tool runner, with functions that return and raise whatever they like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool

Json: TypeAlias = dict[str, Any]
Functions: TypeAlias = Mapping[str, Callable[..., Any]]


def _runnable(make: Callable[..., Any], tools: list[Json], functions: Functions) -> list[Any]:
    return [
        make(
            functions[tool["name"]],
            name=tool["name"],
            description=tool.get("description", ""),
            input_schema=tool["input_schema"],
        )
        for tool in tools
    ]


def whole(
    client: Anthropic, model: str, max_tokens: int, messages: Any, tools: list[Json], functions: Functions
) -> None:
    runnable = _runnable(beta_tool, tools, functions)
    for _ in client.beta.messages.tool_runner(model=model, max_tokens=max_tokens, messages=messages, tools=runnable):
        pass


def without_threads(
    client: Anthropic, model: str, max_tokens: int, messages: Any, tools: list[Json], functions: Functions
) -> None:
    runnable = _runnable(beta_tool, tools, functions)
    fields: Json = {"model": model, "max_tokens": max_tokens, "messages": messages}
    for _ in client.beta.messages.tool_runner(**fields, tools=runnable, thread=False):
        pass


def streamed(
    client: Anthropic, model: str, max_tokens: int, messages: Any, tools: list[Json], functions: Functions
) -> None:
    runnable = _runnable(beta_tool, tools, functions)
    fields: Json = {"model": model, "max_tokens": max_tokens, "messages": messages}
    for stream in client.beta.messages.tool_runner(**fields, tools=runnable, stream=True):
        for _ in stream:
            pass


async def awaited(
    client: AsyncAnthropic, model: str, max_tokens: int, messages: Any, tools: list[Json], async_functions: Functions
) -> None:
    runnable = _runnable(beta_async_tool, tools, async_functions)
    fields: Json = {"model": model, "max_tokens": max_tokens, "messages": messages}
    async for _ in client.beta.messages.tool_runner(**fields, tools=runnable):
        pass


async def awaited_and_streamed(
    client: AsyncAnthropic, model: str, max_tokens: int, messages: Any, tools: list[Json], async_functions: Functions
) -> None:
    runnable = _runnable(beta_async_tool, tools, async_functions)
    fields: Json = {"model": model, "max_tokens": max_tokens, "messages": messages}
    async for stream in client.beta.messages.tool_runner(**fields, tools=runnable, stream=True):
        async for _ in stream:
            pass


class _Session:
    """A thread that all prompts go on."""

    def __init__(self, thread: Any) -> None:
        self._thread = thread

    def say(self, prompt: Any) -> None:
        """Answer a prompt."""
        self._thread.append({"role": "user", "content": prompt})
        for _ in self._thread.tool_runner():
            pass


def session(client: Anthropic, model: str, max_tokens: int, tools: list[Json], functions: Functions) -> _Session:
    runnable = _runnable(beta_tool, tools, functions)
    return _Session(client.beta.messages.thread(model=model, max_tokens=max_tokens, messages=[], tools=runnable))
