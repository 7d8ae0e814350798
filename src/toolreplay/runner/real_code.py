"""The user's own code as a tool: what `call: package.module:name` names, and functions that may be coroutines."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from toolreplay.errors import ScenarioError
from toolreplay.scenario.targets import import_target


class RealCode:
    """What the targets of one run name. A class stands for one instance of it, made at its first call. Thread safe."""

    def __init__(self) -> None:
        self._found: dict[str, Callable[..., object]] = {}
        self._lock = threading.Lock()

    def find(self, target: str) -> Callable[..., object]:
        """The function of a target.

        Raises:
            ScenarioError: it cannot be imported, or is a class that cannot be made or whose instances cannot be called.
        """
        with self._lock:
            if target not in self._found:
                found = import_target(target)
                self._found[target] = _instance(target, found) if isinstance(found, type) else found
            return self._found[target]


def is_async(function: Callable[..., object]) -> bool:
    """Whether a function, or an object that is called, is to be awaited."""
    return any(inspect.iscoroutinefunction(one) for one in (function, getattr(type(function), "__call__", None)))  # noqa: B004


def waited(value: object) -> object:
    """A value; what an awaitable one comes to, in an event loop of its own: this thread may run one already."""
    if not inspect.isawaitable(value):
        return value
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, _result_of(value)).result()


async def in_thread(function: Callable[[], object]) -> object:
    """What a function returns, run in a thread."""

    def run() -> tuple[object, StopIteration | None]:
        try:
            return function(), None
        except StopIteration as error:  # cannot cross a future: whoever waits for it would wait for ever
            return None, error

    value, stopped = await asyncio.to_thread(run)
    if stopped is not None:
        raise stopped
    return value


async def _result_of(value: Awaitable[object]) -> object:
    return await value


def _instance(target: str, found: type) -> Callable[..., object]:
    if not any("__call__" in vars(one) for one in found.__mro__):
        raise ScenarioError(f"{target!r} is a class without __call__, so it runs no tool; add it, or name a function")
    try:
        made: Callable[..., object] = found()
    except Exception as error:  # the user's own __init__ may raise anything
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise ScenarioError(f"{target!r} cannot be made without arguments: {what}; give them defaults") from error
    return made
