"""The Messages API: how its requests are sent, streamed or not, and its calls and results written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .results import ErrorResult, content_of, error_text, message_of
from .tools import Functions, Result, ToolCall, run_call
from .turns import Dialect, Part, Reply, Send

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


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
            # The SDK's types know no beta blocks and would warn of each.
            return reply_of(client.messages.create(**body).to_dict(warnings=False))
        fragments = Fragments()
        with client.messages.stream(**body) as events:
            for event in events:
                fragments.add(event)
            if not fragments.started:
                return _NOTHING
            return reply_of(events.get_final_message().to_dict(warnings=False), fragments)

    return send


def async_sender(client: AsyncAnthropic, shared: Mapping[str, Any], *, stream: bool) -> Callable[[Send], Any]:
    """The same on an asynchronous client."""

    async def send(step: Send) -> Reply:
        body = request(shared, step)
        if not stream:
            return reply_of((await client.messages.create(**body)).to_dict(warnings=False))  # as above
        fragments = Fragments()
        async with client.messages.stream(**body) as events:
            async for event in events:
                fragments.add(event)
            if not fragments.started:
                return _NOTHING
            return reply_of((await events.get_final_message()).to_dict(warnings=False), fragments)

    return send


def run_tools(parts: Iterable[Part], functions: Functions) -> list[Result]:
    """Run every tool_use among the parts of a reply and give one tool_result for each, in order.

    Args:
        parts: the content blocks of an assistant message; other blocks than tool_use are passed over.
        functions: the tools by name.

    KeyboardInterrupt, SystemExit and cancellation are no failures of a tool and pass through.
    """
    return [tool_result(call, run_call(call, functions)) for call in tool_calls(parts)]


def is_call(part: Part) -> bool:
    """Whether a block is a call that the client answers."""
    return part.get("type") == "tool_use"


def is_result(part: Part) -> bool:
    """Whether a block answers one."""
    return part.get("type") == "tool_result"


def tool_calls(parts: Iterable[Part], broken: Mapping[str, str] | None = None) -> list[ToolCall]:
    """The calls among the parts of a reply, in order."""
    uses = [part for part in parts if is_call(part)]
    return [ToolCall(use["id"], use["name"], use["input"], (broken or {}).get(use["id"])) for use in uses]


def tool_result(call: ToolCall, value: object) -> Result:
    """The result of a call: `is_error` only where it is true."""
    result: Result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        if not isinstance(value, ErrorResult):
            return {**result, "content": content_of(value)}
    except Exception as error:  # noqa: BLE001  (a value's own __str__ or __len__ may raise anything)
        value = ErrorResult(message_of(error))
    return {**result, "content": error_text(value), "is_error": True}


DIALECT = Dialect(is_call, is_result, tool_calls, tool_result)


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
            if is_call(part) and self._texts.get(index) and not _is_object(self._texts[index])
        }


def reply_of(message: Mapping[str, Any], fragments: Fragments | None = None) -> Reply:
    """A message of the API as a reply."""
    container = message.get("container") or {}
    return Reply(
        content=[_as_served(part) for part in message["content"]],
        stop_reason=message["stop_reason"],
        container=container.get("id"),
        broken=fragments.broken(message["content"]) if fragments else {},
    )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _as_served(part: Part) -> Part:
    """A block without the field that older SDKs (seen with anthropic 0.73) add to a streamed text."""
    if part.get("citations", ...) is None:
        return {name: value for name, value in part.items() if name != "citations"}
    return part
