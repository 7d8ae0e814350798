"""The loop under test, called: plain or async, a function for each prompt or an object that keeps its own history."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from toolreplay.errors import LoopError

from .clients import Clients
from .loops import Asked, Target, call_loop


class Agent:
    """Calls the loop, prompt by prompt. Async loops of one run share one event loop, as an application's do."""

    def __init__(self, target: Target, asked: Asked, clients: Clients) -> None:
        self._target = target
        self._asked = asked
        self._clients = clients
        self._said: Callable[[Any], object] | None = None
        self._runner: asyncio.Runner | None = None

    @property
    def keeps_history(self) -> bool:
        """Whether the loop is an object with `say(prompt)`, whose history is its own."""
        return self._said is not None

    def ask(self, prompt: object, offered: dict[str, Any]) -> object:
        """One prompt; what the loop returned, awaited where it must be."""
        if self._said is None:
            returned = self._wait(call_loop(self._target, self._asked, offered))
            if not callable(getattr(returned, "say", None)):
                return returned
            self._said = returned.say  # type: ignore[attr-defined]
        return self._wait(self._said(prompt))

    def close(self) -> None:
        """Close the clients and the event loop."""
        try:
            for close in self._clients.closers():
                self._wait(close())
        finally:
            if self._runner is not None:
                self._runner.close()

    def _give_up(self) -> None:
        """Let go of an event loop that was torn out of its work: nothing can be awaited in it any more."""
        runner, self._runner = self._runner, None
        self._clients.closers()
        if runner is not None:
            with suppress(RuntimeError):
                runner.close()

    def _wait(self, value: Any) -> object:
        if not inspect.isawaitable(value):
            return value
        if _loop_is_running():
            if inspect.iscoroutine(value):
                value.close()  # else Python warns that nobody awaited it
            raise LoopError(
                "an async loop cannot be played where an event loop runs already; "
                "use `async with toolreplay.session(...)`, or play it in a thread"
            )
        if self._runner is None:
            self._runner = asyncio.Runner()

        async def waited() -> object:
            return await value

        try:
            return self._runner.run(waited())
        except (SystemExit, KeyboardInterrupt):
            self._give_up()
            if inspect.iscoroutine(value):
                value.close()  # it may not have begun
            raise


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
