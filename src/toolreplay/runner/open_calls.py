"""The calls the model asked for, and which of them a tool run belongs to.

A loop that calls a function by name does not say which tool_use it is answering. Calls of the same name with an equal
input are interchangeable, so the first of the newest reply that has not run is as good as any: older ones that did not
run were denied, or cut.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolreplay.wire.model import Reply, ToolUse


@dataclass(frozen=True, slots=True)
class Served:
    """A call and the reply that asked for it, counted from 1 over the run, with its stop reason, step and agent."""

    use: ToolUse
    turn: int
    prompt: int
    agent: str
    stop_reason: str | None


@dataclass
class OpenCalls:
    """All calls of a run. Thread safe."""

    served: list[Served] = field(default_factory=list)
    _claimed: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, reply: Reply, turn: int, prompt: int, agent: str) -> None:
        """Take note of a reply's calls."""
        with self._lock:
            self.served += [Served(use, turn, prompt, agent, reply.stop_reason) for use in reply.tool_uses]

    def claim(self, name: str, tool_input: Mapping[str, object], use_id: str | None = None) -> str | None:
        """The id of the call that a tool run belongs to; None when the model asked for no such call.

        A run beyond the calls asked for belongs to the last equal one, which then ran more than once.
        """
        with self._lock:
            named = [index for index, served in enumerate(self.served) if served.use.name == name]
            if use_id is not None:
                equal = [index for index in named if self.served[index].use.id == use_id]
            else:
                equal = [index for index in named if self.served[index].use.input == tool_input]
            left = [index for index in equal if index not in self._claimed]
            if use_id is None and not left:
                # An input that came as broken JSON equals nothing; a loop that mended it ran that call all the same.
                broken = [index for index in named if not isinstance(self.served[index].use.input, dict)]
                left = [index for index in broken if index not in self._claimed]
                equal = equal or broken
            if not equal:
                return use_id
            newest = max((self.served[index].turn for index in left), default=0)
            index = next((index for index in left if self.served[index].turn == newest), equal[-1])
            self._claimed.add(index)
            return self.served[index].use.id
