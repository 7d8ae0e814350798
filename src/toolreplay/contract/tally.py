"""What is counted over all messages of a request, one by one, so that no rule walks the history for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Marker, Message, Other, Place, ToolResult, ToolUse

_CHANGES: Final = frozenset({"tool_addition", "tool_removal", "toolAddition", "toolRemoval", "compaction"})


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A cache breakpoint in a message: `cache_control`, or Converse's `cachePoint`."""

    message: int
    path: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What the messages of a request hold.

    Attributes:
        breakpoints: the cache breakpoints, in order.
        tool_at: where the first tool_use or tool_result stands.
        tools_vary: whether messages add tools to those of the request, or take some away.
    """

    breakpoints: tuple[Breakpoint, ...] = ()
    tool_at: Place | None = None
    tools_vary: bool = False

    def plus(self, message: Message) -> Tally:
        """The tally with one more message."""
        found = tuple(_breakpoints(message))
        tool_at = self.tool_at
        if tool_at is None:
            tool_at = next((block.place for block in message.blocks if isinstance(block, ToolUse | ToolResult)), None)
        vary = self.tools_vary or any(isinstance(block, Other) and block.type in _CHANGES for block in message.blocks)
        if not found and tool_at is self.tool_at and vary == self.tools_vary:
            return self
        return Tally((*self.breakpoints, *found), tool_at, vary)

    def recounted(self, messages: Iterable[Message]) -> Tally:
        """The tally after earlier messages were sent again with other breakpoints."""
        again = {message.index: message for message in messages}
        kept = [point for point in self.breakpoints if point.message not in again]
        new = [point for message in again.values() for point in _breakpoints(message)]
        return replace(self, breakpoints=tuple(sorted((*kept, *new), key=lambda point: point.message)))


def _breakpoints(message: Message) -> Iterator[Breakpoint]:
    for block in message.blocks:
        if isinstance(block, Marker):
            yield Breakpoint(message.index, block.place.path)
            continue
        if mapping(block.raw).get("cache_control") is not None:
            yield Breakpoint(message.index, block.place.field("cache_control"))
        if isinstance(block, ToolResult):
            for part in block.parts:
                fields = mapping(part.raw)
                if fields.get("cache_control") is not None or "cachePoint" in fields:
                    yield Breakpoint(message.index, part.place.path)
