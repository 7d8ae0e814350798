"""Doing what `turns` asks for. The two drivers differ in `await` only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from .tools import Approve, Functions, Result, decided, run_call, run_call_async
from .turns import Dialect, Message, Reply, RunTools, Send, Turns

Run: TypeAlias = Callable[[Reply], list[Result] | None]
RunAsync: TypeAlias = Callable[[Reply], Awaitable[list[Result] | None]]


def drive(turns: Turns, send: Callable[[Send], Reply], run: Run) -> list[Message]:
    """Drive the turns of a prompt to their end and return the history."""
    answer: Any = None
    while True:
        try:
            step = turns.send(answer)
        except StopIteration as done:
            history: list[Message] = done.value
            return history
        answer = run(step.reply) if isinstance(step, RunTools) else send(step)


async def drive_async(turns: Turns, send: Callable[[Send], Awaitable[Reply]], run: RunAsync) -> list[Message]:
    """The same, waiting for what is sent and run."""
    answer: Any = None
    while True:
        try:
            step = turns.send(answer)
        except StopIteration as done:
            history: list[Message] = done.value
            return history
        answer = await (run(step.reply) if isinstance(step, RunTools) else send(step))


def runner(dialect: Dialect, functions: Functions, approve: Approve | None) -> Run:
    """How a reply's tools are run: one after the other; None while a call waits for approval."""

    def run(reply: Reply) -> list[Result] | None:
        calls = decided(dialect.tool_calls(reply.content, reply.broken), approve)
        return None if calls is None else [dialect.tool_result(call, run_call(call, functions)) for call in calls]

    return run


def async_runner(dialect: Dialect, functions: Functions, approve: Approve | None) -> RunAsync:
    """The same, side by side; the results stand in the order of the calls."""

    async def run(reply: Reply) -> list[Result] | None:
        calls = decided(dialect.tool_calls(reply.content, reply.broken), approve)
        if calls is None:
            return None
        values = await asyncio.gather(*(run_call_async(call, functions) for call in calls))
        return [dialect.tool_result(call, value) for call, value in zip(calls, values, strict=True)]

    return run
