"""The Messages API: how its requests are sent, streamed or not, and its calls and results written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .tools import Approve, Functions, Result, decided, run_call, run_call_async, tool_calls, tool_result
from .turns import Part, Reply, Send

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


class MessagesDialect:
    """Blocks are `{"type": ...}`."""

    def is_call(self, part: Part) -> bool:
        """Whether a block is a call that the client answers."""
        return part.get("type") == "tool_use"


DIALECT = MessagesDialect()
_NOTHING = Reply(content=(), stop_reason=None)  # a stream that broke off before its first event


def fields(
    model: str,
    max_tokens: int,
    tools: Sequence[Mapping[str, Any]],
    system: Any,
    parameters: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What is the same in every request of a prompt."""
    found: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
    if system is not None:
        found["system"] = system
    if tools:
        found["tools"] = list(tools)
    return {**found, **(parameters or {})}


def request(shared: Mapping[str, Any], step: Send) -> dict[str, Any]:
    """The next request: the tool schemas and the whole history, every time.

    A forced `tool_choice` holds for the first reply only: kept, it would never let Claude answer.
    """
    body = {**shared, "messages": list(step.history)}
    if not step.first and body.get("tool_choice", {}).get("type") in ("any", "tool"):
        body["tool_choice"] = {"type": "auto"}
    if step.container is not None:
        body["container"] = step.container
    return body


def sender(client: Anthropic, shared: Mapping[str, Any], *, stream: bool) -> Callable[[Send], Reply]:
    """How a request is sent on a synchronous client."""

    def send(step: Send) -> Reply:
        body = request(shared, step)
        if not stream:
            return reply_of(client.messages.create(**body).to_dict())
        fragments = Fragments()
        with client.messages.stream(**body) as events:
            for event in events:
                fragments.add(event)
            return reply_of(events.get_final_message().to_dict(), fragments) if fragments.started else _NOTHING

    return send


def async_sender(client: AsyncAnthropic, shared: Mapping[str, Any], *, stream: bool) -> Callable[[Send], Any]:
    """The same on an asynchronous client."""

    async def send(step: Send) -> Reply:
        body = request(shared, step)
        if not stream:
            return reply_of((await client.messages.create(**body)).to_dict())
        fragments = Fragments()
        async with client.messages.stream(**body) as events:
            async for event in events:
                fragments.add(event)
            return reply_of((await events.get_final_message()).to_dict(), fragments) if fragments.started else _NOTHING

    return send


def runner(functions: Functions, approve: Approve | None) -> Callable[[Reply], list[Result] | None]:
    """How a reply's tools are run: one after the other."""

    def run(reply: Reply) -> list[Result] | None:
        calls = decided(tool_calls(reply.content, reply.broken), approve)
        return None if calls is None else [tool_result(call, run_call(call, functions)) for call in calls]

    return run


def async_runner(functions: Functions, approve: Approve | None) -> Callable[[Reply], Any]:
    """The same, side by side; the results stand in the order of the calls."""

    async def run(reply: Reply) -> list[Result] | None:
        calls = decided(tool_calls(reply.content, reply.broken), approve)
        if calls is None:
            return None
        values = await asyncio.gather(*(run_call_async(call, functions) for call in calls))
        return [tool_result(call, value) for call, value in zip(calls, values, strict=True)]

    return run


class Fragments:
    """The input of each call of a stream, as text, and whether the stream has begun.

    The SDK reads fragments with a parser that repairs what is cut off (anthropic 2.14), so a broken input would be
    run as if it were whole. The text tells.
    """

    def __init__(self) -> None:
        self.started = False
        self._texts: dict[int, str] = {}

    def add(self, event: Any) -> None:
        """Take in an event of the stream; fragments of parallel calls are told apart by their index."""
        self.started = True
        if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            self._texts[event.index] = self._texts.get(event.index, "") + event.delta.partial_json

    def broken(self, content: list[Part]) -> dict[str, str]:
        """The inputs that are no JSON objects, by call. No text at all means no arguments."""
        return {
            part["id"]: self._texts[index]
            for index, part in enumerate(content)
            if part.get("type") == "tool_use" and self._texts.get(index) and not _is_object(self._texts[index])
        }


def reply_of(message: Mapping[str, Any], fragments: Fragments | None = None) -> Reply:
    """A message of the API as a reply."""
    container = message.get("container") or {}
    return Reply(
        content=message["content"],
        stop_reason=message["stop_reason"],
        container=container.get("id"),
        broken=fragments.broken(message["content"]) if fragments else {},
    )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
