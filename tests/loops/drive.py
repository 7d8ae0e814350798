"""A loop that is right in everything but what it is given to do with the calls of a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anthropic import Anthropic

Json = dict[str, Any]
Functions = Mapping[str, Callable[..., object]]
Answer = Callable[[Sequence[Json], Functions], object]


def result(call: Json, functions: Functions) -> Json:
    """The right result of one call."""
    fields: Json = {"type": "tool_result", "tool_use_id": call["id"]}
    try:
        return {**fields, "content": str(functions[call["name"]](**call["input"]))}
    except Exception as error:  # noqa: BLE001
        return {**fields, "content": f"{type(error).__name__}: {error}", "is_error": True}


def results(calls: Sequence[Json], functions: Functions) -> list[Json]:
    """The right results of all calls."""
    return [result(call, functions) for call in calls]


def answering(answer: Answer) -> Callable[..., object]:
    """Make a loop of what it says to the calls of a reply; None stops it there."""

    def loop(
        client: Anthropic,
        model: str,
        max_tokens: int,
        messages: list[Json],
        tools: list[Json],
        functions: Functions,
    ) -> object:
        while True:
            fields: Json = {"messages": messages, "tools": tools}
            reply = client.messages.create(model=model, max_tokens=max_tokens, **fields).to_dict()
            content: Any = reply["content"]
            messages.append({"role": "assistant", "content": content})
            calls = [block for block in content if block["type"] == "tool_use"]
            said = answer(calls, functions) if calls else None
            if said is None:
                return messages
            messages.append({"role": "user", "content": said})

    loop.__name__ = loop.__qualname__ = answer.__name__
    loop.__module__ = answer.__module__
    return loop
