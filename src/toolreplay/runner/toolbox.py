"""The tools of a scenario as functions: each runs its stub, and the log keeps what every call really did."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolreplay.contract.facts import Did, Execution
from toolreplay.errors import ScenarioError
from toolreplay.loop import ErrorResult, UnknownTool
from toolreplay.loop.results import message_of
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.outcomes import (
    Blocks,
    Calls,
    Denies,
    Exits,
    Garbage,
    Hangs,
    Outcome,
    Raises,
    Returns,
    ReturnsError,
    garbage_value,
)
from toolreplay.scenario.stubs import StubBook
from toolreplay.scenario.tools import RunsOn

from .open_calls import OpenCalls
from .real_code import RealCode, in_thread, is_async, waited
from .telling import telling


@dataclass(frozen=True)
class Logged:
    """One run of a tool, as it happened.

    Attributes:
        id: the id of the call it belongs to; None when the model asked for no such call.
    """

    id: str | None
    name: str
    input: Mapping[str, Any]
    execution: Execution


class Denied(PermissionError):
    """A call that a stub denies was run all the same: the loop is told, and the tool is not run."""


class Toolbox:
    """Runs the stubs of one run. Thread safe: parallel calls may run at the same time.

    Attributes:
        log: every run of a tool, in the order in which they ended.
        troubles: what is broken in the stubs themselves, a line each; it makes the run an ERROR.
    """

    def __init__(self, scenario: Scenario, calls: OpenCalls) -> None:
        self.log: list[Logged] = []
        self.troubles: list[str] = []
        self._deadline = scenario.deadline
        self._where = f"{scenario.path}:{scenario.line}"
        self._names = [tool.key for tool in scenario.tools if tool.runs_on is RunsOn.CLIENT]
        self._stubs = StubBook(scenario.tools)
        self._calls = calls
        self._raised: list[BaseException] = []
        self._code = RealCode()

    @property
    def functions(self) -> dict[str, Callable[..., object]]:
        """The tools by name; each takes its input as keyword arguments."""
        return {name: self._function(name) for name in self._names}

    @property
    def async_functions(self) -> dict[str, Callable[..., object]]:
        """The same as coroutine functions, each in a thread of its own, so that parallel calls run side by side."""
        return {name: self._async_function(name) for name in self._names}

    def approval(self, decisions: Mapping[str, bool | None]) -> Callable[..., bool | str | None]:
        """What answers `approve(name, input, id)`: True, False or the reason for a no, or None while undecided.

        Args:
            decisions: the user's word on tools; a stub's `deny` says no to a call by itself, all else is allowed.
        """

        def approve(name: str, input: Mapping[str, Any], id: str | None = None) -> bool | str | None:  # noqa: A002
            if name in decisions:
                return decisions[name]
            return self._stubs.denial(name, input, id) or True

        return approve

    def call_tool(self, name: str, input: Mapping[str, Any], id: str | None = None) -> object:  # noqa: A002  (the wire's names)
        """Run a tool by name, as a loop that does its own dispatching asks for it.

        Raises:
            UnknownTool: the scenario has no tool of that name.
            BaseException: whatever the stub raises.
        """
        entry, outcome = self._asked(name, input, id)
        return self._play(outcome, entry)

    def wrap(self, function: Callable[..., object], name: str | None = None) -> Callable[..., object]:
        """A real tool that is logged as a stub is, so that what it did can be held against what was sent.

        Args:
            name: the tool's name, where it is not the function's.
        """
        tool = name or function.__name__
        if is_async(function):
            awaitable: Callable[..., Any] = function

            @functools.wraps(function)
            async def awaited(*places: object, **arguments: object) -> object:
                entry = self._entry(tool, function, places, arguments)
                try:
                    value = await awaitable(*places, **arguments)
                except KeyboardInterrupt:
                    raise  # the user's own
                except BaseException as error:  # logged whatever it is, and raised again
                    self._raise(entry, error)
                    raise
                return self._returned(entry, value)

            return awaited

        @functools.wraps(function)
        def called(*places: object, **arguments: object) -> object:
            entry = self._entry(tool, function, places, arguments)
            try:
                value = function(*places, **arguments)
            except KeyboardInterrupt:
                raise  # the user's own
            except BaseException as error:  # as above
                self._raise(entry, error)
                raise
            return self._returned(entry, value)

        return called

    def _entry(
        self, name: str, function: Callable[..., object], places: tuple[object, ...], arguments: dict[str, object]
    ) -> Logged:
        given = inspect.signature(function).bind(*places, **arguments).arguments if places else arguments
        return Logged(self._calls.claim(name, given), name, given, Execution(Did.RETURNED))

    def caused(self, error: BaseException) -> bool:
        """Whether an exception that left the loop is a tool's own, or was raised because of one."""
        seen: set[int] = set()
        waiting: list[BaseException | None] = [error]
        while waiting:
            link = waiting.pop()
            if link is None or id(link) in seen:
                continue
            if any(_is_same(link, raised) for raised in self._raised):
                return True
            seen.add(id(link))
            waiting += [link.__cause__, link.__context__]
            if isinstance(link, BaseExceptionGroup):  # what a task group makes of them
                waiting += link.exceptions
        return False

    def _async_function(self, name: str) -> Callable[..., object]:
        async def tool(**arguments: object) -> object:
            entry, outcome = self._asked(name, arguments)
            if isinstance(outcome, Calls):
                return await self._call_async(entry, outcome)
            return await in_thread(lambda: self._play(outcome, entry))

        tool.__name__ = tool.__qualname__ = name
        return tool

    def _function(self, name: str) -> Callable[..., object]:
        def tool(**arguments: object) -> object:
            return self.call_tool(name, arguments)

        tool.__name__ = tool.__qualname__ = name
        return tool

    def _asked(self, name: str, input: Mapping[str, Any], id: str | None = None) -> tuple[Logged, Outcome]:  # noqa: A002
        """The call that a run of a tool belongs to, and what its stub does."""
        if name not in self._names:
            raise UnknownTool(f"no tool named {name!r}; the tools are: {', '.join(sorted(self._names)) or 'none'}")
        call_id = self._calls.claim(name, input, id)
        try:
            outcome = self._stubs.outcome(name, input, call_id)
        except ScenarioError as error:
            self._trouble(f"{self._where}: {error}")
            raise
        return Logged(call_id, name, input, Execution(Did.RETURNED)), outcome

    def _play(self, outcome: Outcome, entry: Logged) -> object:
        if outcome.delay:
            time.sleep(min(outcome.delay, self._deadline))
        if outcome.mutate:
            given = entry.input
            entry = replace(entry, input=copy.deepcopy(given))  # the log keeps what was asked for
            _spoil(given)
        match outcome:
            case Returns(value=value):
                return self._returned(entry, value)
            case Blocks(content=content):
                return self._returned(entry, [dict(block) for block in content])
            case ReturnsError(content=content):
                self._log(entry, Execution(Did.FAILED, content, telling=telling(content)))
                return ErrorResult(content)
            case Garbage(kind=kind):
                value = garbage_value(kind)
                self._log(entry, Execution(Did.RETURNED, value, telling=telling(value)))
                return value
            case Raises():
                return self._raise(entry, self._built(outcome))
            case Calls(target=target):
                return self._call(entry, target)
            case Denies(reason=reason):
                raise Denied(reason)  # the tool was not run, so nothing is logged
            case Hangs(seconds=seconds):
                return self._hang(entry, min(seconds, self._deadline))
            case Exits():
                return self._raise(entry, SystemExit("the tool ended the process"))

    def _built(self, outcome: Raises) -> BaseException:
        try:
            return outcome.build()
        except ScenarioError as error:
            self._trouble(f"{self._where}: {error}")
            raise

    def _hang(self, entry: Logged, seconds: float) -> object:
        time.sleep(seconds)
        return self._raise(entry, TimeoutError(f"the tool did not answer in {seconds:g} s"))

    def _call(self, entry: Logged, target: str) -> object:
        try:
            value = waited(self._start(entry, target))
        except KeyboardInterrupt:
            raise  # the user's own: a real tool has no other
        except BaseException as error:  # noqa: BLE001  (the user's own tool may raise anything; it is raised again)
            return self._raise(entry, error)
        return self._returned(entry, value)

    async def _call_async(self, entry: Logged, outcome: Calls) -> object:
        """The same; a coroutine runs in the loop's own event loop, anything else in a thread."""
        await asyncio.sleep(min(outcome.delay, self._deadline))
        try:
            value = await in_thread(lambda: self._start(entry, outcome.target))
            value = await value if inspect.isawaitable(value) else value
        except KeyboardInterrupt:
            raise  # as above
        except BaseException as error:  # noqa: BLE001  (as above)
            return self._raise(entry, error)
        return self._returned(entry, value)

    def _start(self, entry: Logged, target: str) -> object:
        try:
            function = self._code.find(target)
        except ScenarioError as error:
            self._trouble(str(error))
            raise
        return function(**entry.input)

    def _returned(self, entry: Logged, value: object) -> object:
        self._log(entry, Execution(Did.RETURNED, value, telling=telling(value)))
        return value

    def _raise(self, entry: Logged, error: BaseException) -> object:
        self._raised.append(error)
        message = message_of(error)
        did = Did.RAISED if isinstance(error, Exception) else Did.INTERRUPTED
        # The name of its class stands in for a message, and any loop's own error may have the same.
        words = () if message == type(error).__name__ else telling(message)
        self._log(entry, Execution(did, error=message, telling=words))
        raise error

    def _log(self, entry: Logged, execution: Execution) -> None:
        self.log.append(Logged(entry.id, entry.name, entry.input, execution))

    def _trouble(self, message: str) -> None:
        if message not in self.troubles:
            self.troubles.append(message)


def _is_same(error: BaseException, raised: BaseException) -> bool:
    """Whether it is the exception that was raised; asyncio makes a TimeoutError that comes out of a thread anew."""
    return error is raised or (isinstance(raised, TimeoutError) and repr(error) == repr(raised))


def _spoil(value: object) -> None:
    """Change an input wherever it can be changed: what a tool does that takes it for its own."""
    if isinstance(value, dict):
        for item in value.values():
            _spoil(item)
        value["changed_by_the_tool"] = True
    elif isinstance(value, list):
        for item in value:
            _spoil(item)
        value.append("changed by the tool")
