"""Doing what `turns` asks for. The two drivers differ in `await` only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from .turns import Message, Reply, RunTools, Send, Turns


def drive(turns: Turns, send: Callable[[Send], Reply], run: Callable[[Reply], list[Any] | None]) -> list[Message]:
    """Drive the turns of a prompt to their end and return the history."""
    answer: Any = None
    while True:
        try:
            step = turns.send(answer)
        except StopIteration as done:
            history: list[Message] = done.value
            return history
        answer = run(step.reply) if isinstance(step, RunTools) else send(step)


async def drive_async(
    turns: Turns, send: Callable[[Send], Awaitable[Reply]], run: Callable[[Reply], Awaitable[list[Any] | None]]
) -> list[Message]:
    """The same, waiting for what is sent and run."""
    answer: Any = None
    while True:
        try:
            step = turns.send(answer)
        except StopIteration as done:
            history: list[Message] = done.value
            return history
        answer = await (run(step.reply) if isinstance(step, RunTools) else send(step))
