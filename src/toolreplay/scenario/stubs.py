"""Playing stubs: which entry answers a call, and what it does. Pure but for the counters of `times`."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

from toolreplay.errors import ScenarioError

from .matchers import mismatch
from .nearest import did_you_mean
from .outcomes import Outcome, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .tools import StubEntry, Tool


class UnknownToolError(LookupError):
    """The model called a tool that the scenario does not have; a good loop answers it with an error."""


class NoStubError(ScenarioError):
    """A tool was called whose stub is missing, or has no entry for the call."""


class StubBook:
    """The stubs of a scenario for one run; safe to ask from several threads at once."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.key: tool for tool in tools}
        self._answered: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()

    def outcome(
        self, name: str, arguments: object, call_id: str | None = None, *, toolset: str | None = None
    ) -> Outcome:
        """What the tool does for a call: the first entry that matches and is not used up.

        Args:
            name: the tool's name; of a toolset's member, the member's.
            arguments: the call's input, as the loop passed it on.
            call_id: the tool_use id; entries with an `id` match no call without one.
            toolset: `computer` or `browser` for a member's call.

        Raises:
            UnknownToolError: there is no such tool.
            NoStubError: the tool has no stub, or no entry for this call.
        """
        tool = self._tools.get(toolset or name)
        if tool is None:
            hint = did_you_mean(name, self._tools, f"the tools are {', '.join(self._tools) or 'none at all'}")
            raise UnknownToolError(f"no tool is named {name!r}; {hint}")
        if not tool.stub:
            raise NoStubError(f"{name}: was called and has no stub; add one, stub: {{return: ...}}")
        with self._lock:
            found = self._answering(tool, arguments, call_id)
            if found is not None:
                index, entry = found
                self._answered[tool.key, index] += 1
                return outcome_of(entry)
        raise NoStubError(_no_entry(tool, name, arguments, call_id))

    def denial(self, name: str, arguments: object, call_id: str | None = None) -> str | None:
        """Why a call is not to be run, where the entry that answers it says `deny`; it counts as answered then."""
        tool = self._tools.get(name)
        if tool is None:
            return None
        with self._lock:
            found = self._answering(tool, arguments, call_id)
            if found is None:
                return None
            index, entry = found
            if entry.deny is not None:
                self._answered[tool.key, index] += 1
            return entry.deny

    def _answering(self, tool: Tool, arguments: object, call_id: str | None) -> tuple[int, StubEntry] | None:
        """The first entry that matches a call and is not used up, with its index; asked under the lock."""
        for index, entry in enumerate(tool.stub):
            used = self._answered[tool.key, index]
            if (entry.times is None or used < entry.times) and _matches(entry, arguments, call_id):
                return index, entry
        return None


def _matches(entry: StubEntry, arguments: object, call_id: str | None) -> bool:
    if entry.id is not None and entry.id != call_id:
        return False
    return entry.when is None or mismatch(entry.when, arguments, "input", subset=True) is None


def _no_entry(tool: Tool, name: str, arguments: object, call_id: str | None) -> str:
    """Why the last entry does not answer: the one most likely meant to."""
    entry = tool.stub[-1]
    differs = mismatch(entry.when, arguments, "input", subset=True) if entry.when is not None else None
    if entry.id is not None and entry.id != call_id:
        why = f"id: expected {entry.id!r}, got {call_id!r}"
    elif differs is not None:
        why = differs.text
    else:
        why = f"it has answered {entry.times} times"
    return f"{name}: no stub entry answers this call (stub[{len(tool.stub) - 1}]: {why}); add an entry for it"
