"""The loop on the Messages API, synchronous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .steps import TurnLimit, assistant_message, request_fields, wants_tools
from .tools import Functions, run_tools

if TYPE_CHECKING:
    from anthropic import Anthropic


def run(
    client: Anthropic,
    *,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] = (),
    functions: Functions,
    system: object = None,
    max_tokens: int = 1024,
    max_turns: int = 20,
    parameters: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Send the conversation, run the tools Claude asks for, and go on until it answers without asking.

    Args:
        messages: the history, ending with the new prompt. It is not changed.
        tools: the tools' definitions as the API takes them.
        functions: the tools themselves, by name; each is called with the input as keyword arguments.
        max_turns: how many replies are allowed.
        parameters: further arguments of `client.messages.create`, such as `tool_choice`.

    Returns:
        The history with every message added, ready for the next prompt.

    Raises:
        TurnLimit: the model still asked for tools in the last reply allowed. They were not run.
    """
    history = [dict(message) for message in messages]
    for turn in range(1, max_turns + 1):
        fields = request_fields(
            model=model, max_tokens=max_tokens, messages=history, tools=tools, system=system, parameters=parameters
        )
        reply = client.messages.create(**fields).to_dict()
        if wants_tools(reply) and turn == max_turns:
            break
        message = assistant_message(reply)
        if message is not None:
            history.append(message)
        if not wants_tools(reply):
            return history
        history.append({"role": "user", "content": run_tools(reply["content"], functions)})
    raise TurnLimit(f"the model asked for tools in reply {max_turns}, the last one allowed")
