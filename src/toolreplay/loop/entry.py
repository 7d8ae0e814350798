"""The loop's front door: one function, and one to await, for every client."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import converse
from . import messages as messages_wire
from .drive import async_runner, drive, drive_async, runner
from .tools import Approve, Functions
from .turns import Message, turns

if TYPE_CHECKING:
    from anthropic import Anthropic, AnthropicBedrock, AsyncAnthropic


def run(
    client: Anthropic | Any,
    *,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    functions: Functions,
    tools: Sequence[Mapping[str, Any]] = (),
    system: Any = None,
    max_tokens: int = 1024,
    max_turns: int = 20,
    stream: bool = False,
    parameters: Mapping[str, Any] | None = None,
    approve: Approve | None = None,
) -> list[Message]:
    """Send the conversation, run the tools Claude asks for, and go on until it answers without asking.

    Args:
        client: an Anthropic client (AnthropicBedrock, AnthropicVertex, ...), or boto3's `bedrock-runtime`; messages,
            tools and system are in the shape of its wire.
        messages: the history, ending with the new prompt. It is not changed.
        functions: the tools by name; each is called with the input as keyword arguments.
        tools: their definitions.
        max_turns: how many replies are allowed.
        parameters: further fields of the request, such as `tool_choice` or `thinking`.
        approve: asked for each call, `approve(name, input, id)`, before any of a reply runs: True, False, a reason for
            a no, or None while the user has not decided. Then the history returned ends with the open calls; pass it
            in again, without a new prompt, when the decision is made.

    Returns:
        The history with every message added, ready for the next prompt.

    Raises:
        TurnLimit: the model still asked for tools in the last reply allowed. They were not run.
        CutReply: a stream ended before its message did, twice or in the last reply allowed.
    """
    if hasattr(client, "converse"):
        fields = converse.fields(model, max_tokens, tools, system, parameters)
        return drive(
            turns(converse.joined(messages), converse.DIALECT, max_turns),
            converse.sender(client, fields, stream=stream),
            runner(converse.DIALECT, functions, approve),
        )
    fields = messages_wire.fields(model, max_tokens, tools, system, parameters)
    return drive(
        turns(messages, messages_wire.DIALECT, max_turns),
        messages_wire.sender(client, fields, stream=stream),
        runner(messages_wire.DIALECT, functions, approve),
    )


async def arun(
    client: AsyncAnthropic,
    *,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    async_functions: Functions,
    tools: Sequence[Mapping[str, Any]] = (),
    system: Any = None,
    max_tokens: int = 1024,
    max_turns: int = 20,
    stream: bool = False,
    parameters: Mapping[str, Any] | None = None,
    approve: Approve | None = None,
) -> list[Message]:
    """`run` on an asynchronous client of the Messages API: the calls of one reply run side by side."""
    fields = messages_wire.fields(model, max_tokens, tools, system, parameters)
    return await drive_async(
        turns(messages, messages_wire.DIALECT, max_turns),
        messages_wire.async_sender(client, fields, stream=stream),
        async_runner(messages_wire.DIALECT, async_functions, approve),
    )


# The same loops under names of their own, for `--loop` and for scenarios.
run_streamed = functools.partial(run, stream=True)
arun_streamed = functools.partial(arun, stream=True)


def run_bedrock(
    client: AnthropicBedrock,
    *,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    functions: Functions,
    tools: Sequence[Mapping[str, Any]] = (),
    system: Any = None,
    max_tokens: int = 1024,
    max_turns: int = 20,
    stream: bool = False,
    parameters: Mapping[str, Any] | None = None,
    approve: Approve | None = None,
) -> list[Message]:
    """`run` through Bedrock's InvokeModel: the annotation says which client is meant."""
    return run(
        client,
        model=model,
        messages=messages,
        functions=functions,
        tools=tools,
        system=system,
        max_tokens=max_tokens,
        max_turns=max_turns,
        stream=stream,
        parameters=parameters,
        approve=approve,
    )
