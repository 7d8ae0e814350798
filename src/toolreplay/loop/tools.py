"""Running a call, whatever the wire it came on: it gives one value, whatever its tool does."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from .results import ErrorResult, message_of

Functions: TypeAlias = Mapping[str, Callable[..., object]]
Result: TypeAlias = dict[str, Any]
Approve: TypeAlias = Callable[[str, Mapping[str, Any], str], bool | str | None]


class UnknownTool(LookupError):
    """The model asked for a tool that does not exist. The model is told so and goes on."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call, whatever the wire it came on.

    Attributes:
        broken: its input, where that is no JSON.
        denied: why it must not be run.
    """

    id: str
    name: str
    input: Mapping[str, Any]
    broken: str | None = None
    denied: str | None = None

    @property
    def unrunnable(self) -> ErrorResult | None:
        """The result of a call that cannot be run."""
        if self.denied is not None:
            return ErrorResult(self.denied)
        # What the model is told of an input that is no JSON (docs: fine-grained-tool-streaming).
        return ErrorResult({"INVALID_JSON": self.broken}) if self.broken is not None else None


def run_tool(name: str, tool_input: Mapping[str, Any], functions: Functions) -> object:
    """Call the function of that name with the input as keyword arguments.

    Raises:
        UnknownTool: there is none.
    """
    function = functions.get(name)
    if function is None:
        raise UnknownTool(f"no tool named {name!r}; the tools are: {', '.join(sorted(functions)) or 'none'}")
    # A copy: a tool may change what it is given, and the reply goes back as it came.
    return function(**copy.deepcopy(dict(tool_input)))


def decided(calls: Sequence[ToolCall], approve: Approve | None) -> list[ToolCall] | None:
    """The calls with the user's decision on each; None while one of them is still to be decided.

    Nothing runs until all are decided: their results go back in one message. `approve` gives True, False, a reason
    for a no, or None for not yet.
    """
    if approve is None:
        return list(calls)
    found = []
    for call in calls:
        decision = approve(call.name, call.input, call.id)
        if decision is None:
            return None
        refusal = decision if isinstance(decision, str) else None if decision else "the user denied this call"
        found.append(replace(call, denied=refusal))
    return found


def run_call(call: ToolCall, functions: Functions) -> object:
    """What a tool returns; an `ErrorResult` with its message where it raises.

    KeyboardInterrupt, SystemExit and cancellation are no failures of a tool and pass through.
    """
    if call.unrunnable is not None:
        return call.unrunnable
    try:
        return run_tool(call.name, call.input, functions)
    except Exception as error:  # noqa: BLE001  (whatever a tool raises becomes a result that says so)
        return ErrorResult(message_of(error))


async def run_call_async(call: ToolCall, functions: Functions) -> object:
    """The same for functions that may be coroutines. Plain functions run in a thread, so that they run side by side."""
    if call.unrunnable is not None:
        return call.unrunnable
    try:
        if inspect.iscoroutinefunction(functions.get(call.name)):
            value = run_tool(call.name, call.input, functions)
        else:
            value = await asyncio.to_thread(_run_apart, call, functions)
        value = await value if inspect.isawaitable(value) else value
    except Exception as error:  # noqa: BLE001  (as above)
        return ErrorResult(message_of(error))
    return value


def _run_apart(call: ToolCall, functions: Functions) -> object:
    # A StopIteration cannot cross a future: whoever waits for it would wait for ever.
    try:
        return run_tool(call.name, call.input, functions)
    except StopIteration as error:
        return ErrorResult(message_of(error))
