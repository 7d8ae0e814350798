"""Which conversation a request belongs to, in constant time and bounded memory.

`contract.conversations` compares a request with every conversation before it. Here it is first looked up by
what it can be told by: its first message, the reply it continues, or the calls it holds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from toolreplay.contract.conversations import Conversations, Verdict
from toolreplay.contract.finding import Finding, Profile
from toolreplay.wire.model import Reply, Request, ServerToolUse, ToolResult, ToolUse

_MOST_ALIKE: Final = 64
"""Conversations that begin alike and are followed together; a log may hold a million that begin with "hi"."""

_SHOWN: Final = 64


@dataclass
class _Group:
    """The conversations that begin alike.

    Attributes:
        size: about how many bytes of the log are kept for them.
        ids: the calls and replies that are looked up for them.
        asked: the numbers of the conversations whose latest reply asked for tools.
    """

    key: Hashable
    conversations: Conversations
    size: int = 0
    ids: list[str] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Followed:
    """A request's verdict.

    Attributes:
        flattened: whether it goes on after a reply that asked for tools, offers tools, and has no tool block:
            the recording turned them into text.
    """

    verdict: Verdict
    flattened: bool
    group: _Group


class Following:
    """Follows the requests of one file, in order.

    Args:
        budget: bytes of requests to remember; beyond them the conversations that were quiet the longest are
            forgotten, and their next request begins one of its own. None in a file that is in memory anyway.
    """

    def __init__(self, profile: Profile | None, budget: int | None = None) -> None:
        self._profile = profile
        self._budget = budget
        self._groups: OrderedDict[Hashable, _Group] = OrderedDict()
        self._by_id: dict[str, Hashable] = {}
        self._size = 0

    def judge(self, request: Request, size: int = 0) -> Followed:
        """Link a request of `size` bytes to its conversation and judge what is new in it."""
        group = self._group(request)
        verdict = group.conversations.judge(request)
        number = verdict.conversation.number
        flattened = number in group.asked and bool(verdict.new_messages) and _without_tool_blocks(request)
        if verdict.new_messages:
            group.asked.discard(number)
        self._remember(group, size * len(verdict.new_messages) // max(1, len(request.raw_messages)))
        return Followed(verdict, flattened, group)

    def served(self, followed: Followed, reply: Reply) -> tuple[Finding, ...]:
        """Take note of the reply to a request; what is wrong with the reply itself."""
        group = followed.group
        found = group.conversations.served(followed.verdict, reply)
        if reply.tool_uses:
            group.asked.add(followed.verdict.conversation.number)
        for name in (reply.id, *(use.id for use in reply.tool_uses)):
            if name is not None:
                self._by_id[name] = group.key
                group.ids.append(name)
        return found

    def forget(self) -> None:
        """Begin anew."""
        self._groups.clear()
        self._by_id.clear()
        self._size = 0

    def _group(self, request: Request) -> _Group:
        key = self._key(request)
        group = self._groups.get(key)
        if group is not None and len(group.conversations) > _MOST_ALIKE and self._budget is not None:
            self._drop(group)
            group = None
        if group is None:
            group = self._groups[key] = _Group(key, Conversations(self._profile))
        self._groups.move_to_end(key)
        return group

    def _key(self, request: Request) -> Hashable:
        first = request.raw_messages[0] if request.raw_messages else None
        begins: Hashable = (request.wire.value, _mark(first))
        if request.continues is not None:
            return self._by_id.get(request.continues, begins)
        if begins in self._groups or not self._by_id:
            return begins
        # Its beginning was cut off or rewritten: the calls in it tell.
        for message in reversed(request.messages):
            for block in message.blocks:
                if isinstance(block, ToolUse) and block.id in self._by_id:
                    return self._by_id[block.id]
        return begins

    def _remember(self, group: _Group, size: int) -> None:
        group.size += size
        self._size += size
        while self._budget is not None and self._size > self._budget and len(self._groups) > 1:
            self._drop(next(iter(self._groups.values())))

    def _drop(self, group: _Group) -> None:
        del self._groups[group.key]
        self._size -= group.size
        for name in group.ids:
            if self._by_id.get(name) == group.key:
                del self._by_id[name]


def _mark(message: object) -> Hashable:
    """What equal messages have in common, and most others have not.

    A text is the same as one block of that text, and `cache_control` is not looked at: clients move it.
    """
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else [{"text": content}]
    first = blocks[0] if blocks else None
    text = first.get("text") if isinstance(first, dict) else None
    return (len(blocks), len(text), text[:_SHOWN]) if isinstance(text, str) else len(blocks)


def _without_tool_blocks(request: Request) -> bool:
    blocks = (block for message in request.messages for block in message.blocks)
    return bool(request.tools) and not any(isinstance(one, ToolUse | ToolResult | ServerToolUse) for one in blocks)
