"""What rules look at: a conversation cut into turns.

A turn is a run of neighbouring messages of one role. The Messages API joins such neighbours before it judges
them (API docs, "Consecutive `user` or `assistant` turns in your request will be combined into a single
turn"); the other profiles do not, and the rules that care look at `Turn.messages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate

from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Block, Message, Place, Request, ServerToolUse, ToolResult, ToolUse, Wire

from .finding import Profile
from .lazy import lazy
from .sequel import Sequel
from .toolset import Toolset

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Context:
    """What stays the same over one request.

    Attributes:
        profile: whose contract is held.
        request: the request itself.
        known_tools: its tools where another request of the conversation had the same, or (in a thread) the
            one that began it.
        sequel: what it goes on from, where that was seen.
    """

    profile: Profile
    request: Request
    known_tools: Toolset | None = None
    sequel: Sequel | None = None

    @lazy
    def tools(self) -> Toolset:
        """The tools that the request offers."""
        return Toolset(self.request) if self.known_tools is None else self.known_tools

    @property
    def continues_unseen(self) -> bool:
        """Whether it continues a thread whose beginning was not seen."""
        return self.request.continues is not None and self.known_tools is None

    @property
    def wire(self) -> Wire:
        """The wire of the request."""
        return self.request.wire

    @property
    def joins_neighbours(self) -> bool:
        """Whether neighbouring messages of one role count as one (only on the first-party API)."""
        return self.profile is Profile.MESSAGES


@dataclass(frozen=True)
class Turn:
    """Neighbouring messages of one role, with their blocks sorted out once.

    Attributes:
        number: the index of the turn when neighbours are joined, which is how the first-party API counts.
    """

    role: str
    messages: tuple[Message, ...]
    number: int = 0

    @lazy
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in order."""
        if len(self.messages) == 1:
            return self.messages[0].blocks
        return tuple(block for message in self.messages for block in message.blocks)

    @lazy
    def uses(self) -> tuple[ToolUse, ...]:
        """The client calls, in order; those in a user message are TR204's business and left out."""
        if self.role != "assistant":
            return ()
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @lazy
    def results(self) -> tuple[ToolResult, ...]:
        """The client results, in order; those in an assistant message are TR204's business and left out."""
        if self.role != "user":
            return ()
        return tuple(block for block in self.blocks if isinstance(block, ToolResult))

    @lazy
    def server_uses(self) -> tuple[ServerToolUse, ...]:
        """The calls that the API's side runs."""
        return tuple(block for block in self.blocks if isinstance(block, ServerToolUse))

    @lazy
    def misplaced(self) -> tuple[ToolUse | ToolResult, ...]:
        """The tool blocks that may not stand in a turn of this role (TR204)."""
        return tuple(
            block
            for block in self.blocks
            if (isinstance(block, ToolUse) and self.role != "assistant")
            or (isinstance(block, ToolResult) and self.role != "user")
        )

    @lazy
    def misplaced_ids(self) -> frozenset[str | None]:
        """Their ids."""
        return frozenset(block.id for block in self.misplaced) if self.misplaced else _NONE

    def api_index(self, message: int, context: Context) -> int:
        """The index that the API's own error message gives to one of this turn's messages."""
        return self.number if context.joins_neighbours else message

    def api_place(self, place: Place, context: Context) -> str:
        """The name that the API's own error message gives to a block of this turn: `messages.2.content.0`."""
        if not context.joins_neighbours:
            return place.dotted
        return f"messages.{self.number}.content.{self.blocks_before[place.message] + (place.block or 0)}"

    @lazy
    def blocks_before(self) -> dict[int, int]:
        """How many blocks of the turn stand before each of its messages, by the message's index."""
        counts = accumulate((len(message.blocks) for message in self.messages), initial=0)
        return {message.index: count for message, count in zip(self.messages, counts, strict=False)}


@dataclass(frozen=True)
class Step:
    """One turn at its end, with what stood before it: what pairing rules look at.

    Attributes:
        turn: the turn that has just ended; without messages where the request ends before one could start.
        before: the turn before it, system messages aside; None at the start of the conversation.
        between: the system messages that stand between the two.
        seen: where each tool_use id of an earlier turn stands.
        servers: the ids of all server and MCP calls of earlier turns.
        open_servers: those of them made in `before` and not answered so far.
        last: whether the request ends here.
        loop: where the tool loop that this turn belongs to began: the first assistant message after the last
            user turn without results; None where no loop is open.
        thought: whether an earlier assistant message of that loop has thinking.
        tools_vary: whether messages so far added tools to those of the request, or took some away.
    """

    turn: Turn
    before: Turn | None
    between: tuple[Message, ...]
    seen: Mapping[str, Place]
    servers: AbstractSet[str]
    open_servers: tuple[ServerToolUse, ...]
    last: bool
    loop: Place | None = None
    thought: bool = False
    tools_vary: bool = False

    @property
    def calls(self) -> tuple[ToolUse, ...]:
        """The client calls that this turn has to answer."""
        return self.before.uses if self.before is not None else ()

    @lazy
    def called(self) -> frozenset[str]:
        """The ids of those calls; a call without an id is TR202's business and has none."""
        if not self.calls:
            return _NONE
        return frozenset(use.id for use in self.calls if use.id)

    @lazy
    def answers(self) -> tuple[ToolResult, ...]:
        """The results that answer a call of the turn before; where two answer the same one, the first."""
        if not self.called:
            return ()
        first: dict[str, ToolResult] = {}
        for result in self.turn.results:
            if result.id in self.called:
                first.setdefault(result.id or "", result)
        return tuple(first.values())

    @lazy
    def misplaced_ids(self) -> frozenset[str | None]:
        """Ids of tool blocks in a message of the wrong role: TR204 explains what they leave open."""
        before = self.before.misplaced_ids if self.before is not None else _NONE
        return self.turn.misplaced_ids | before

    def views(self, context: Context) -> tuple[tuple[Block, ...], ...]:
        """The blocks of the turn as the profile judges them: together where it joins, else by message."""
        if context.joins_neighbours:
            return (self.turn.blocks,)
        return tuple(message.blocks for message in self.turn.messages)


def only_directives(message: Message) -> bool:
    """Whether a system message is of the form that may stand anywhere: no content, but `output_config`."""
    return message.content == [] and "output_config" in mapping(message.raw)
