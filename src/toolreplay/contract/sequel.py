"""A request that goes on with a conversation, and what it goes on from.

What rules on the reply before, or on the request before, look at. Everything is found when it is first asked
for: most requests repeat what was sent and received to the letter, and then nothing is compared block by
block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolreplay.wire.fields import items
from toolreplay.wire.model import Message, Reply, Request, ToolUse

from .lazy import lazy
from .plain import plain_content, thoughts
from .toolset import Toolset

CUT_SHORT: Final = frozenset({"max_tokens", "refusal", "model_context_window_exceeded"})
"""Stop reasons of a reply whose calls may be incomplete, and which a client may leave out (docs:
handling-stop-reasons)."""


@dataclass(frozen=True, slots=True)
class Thread:
    """The thread a request continues (docs: message-threads).

    Attributes:
        origin: the request that began it, whose `system` and `tools` hold for all of it.
        tools: the tools of that request.
        continued: whether the reply that is named was continued before.
    """

    origin: Request
    tools: Toolset
    continued: bool


@dataclass(frozen=True)
class Sequel:
    """A request and the one before it in its conversation.

    Attributes:
        before: the request before.
        replies: what it was answered, once or (where it was sent several times) more often.
        request: this request.
        new: its messages that the one before did not have, those of the replies included; all of them where
            the history was changed.
        history: the messages of the one before, as sent.
        changed: the index of the first message of that history that this request has otherwise, or not at
            all; None when it has them all.
        tools_before: the tools of the one before.
        tools: the tools of this one.
        thread: the thread that it continues; then the server holds the history and the replies.
        stripped: the index of the first message of that history whose thinking this request has left out.
        live: whether it is seen in a run, not in a recording.
    """

    before: Request
    replies: tuple[Reply, ...]
    request: Request
    new: tuple[Message, ...]
    history: Sequence[object]
    changed: int | None
    tools_before: Toolset
    tools: Toolset
    thread: Thread | None = None
    live: bool = False
    stripped: int | None = None

    @lazy
    def echo(self) -> tuple[Message, ...]:
        """The assistant messages in which the reply comes back; none where it does not."""
        if self.thread is not None or not self.replies:
            return ()
        if self.changed is None:
            return _leading(self.new, "assistant")
        asked = {use.id for reply in self.replies for use in reply.tool_uses}
        return tuple(
            message
            for message in self.new
            if any(isinstance(block, ToolUse) and block.id in asked for block in message.blocks)
        )

    @lazy
    def echoed(self) -> list[object]:
        """The blocks of the echo, as sent."""
        return [block for message in self.echo for block in _blocks(message.content)]

    @lazy
    def reply(self) -> Reply | None:
        """The reply that came back; of several, the one that is most alike."""
        if len(self.replies) < 2 or not self.echo:
            return self.replies[-1] if self.replies else None
        ids = {block.id for message in self.echo for block in message.blocks if isinstance(block, ToolUse)}
        alike = [reply for reply in self.replies if {use.id for use in reply.tool_uses} == ids]
        plain = plain_content(self.echoed)
        same = [reply for reply in alike if plain_content(list(reply.content)) == plain]
        return (same or alike or self.replies)[-1]

    @lazy
    def verbatim(self) -> bool:
        """Whether the echo is the reply to the letter."""
        return self.reply is not None and self.echoed == self.reply.content

    @lazy
    def thinking_kept(self) -> list[object]:
        """The thinking blocks of the echo."""
        return list(thoughts(self.echoed))

    @lazy
    def thinking_served(self) -> list[object]:
        """The thinking blocks of the reply."""
        return list(thoughts(list(self.reply.content))) if self.reply is not None else []

    @property
    def dropped_thinking(self) -> bool:
        """Whether the reply thought, and comes back without any of it."""
        return bool(self.echo) and not self.verbatim and bool(self.thinking_served) and not self.thinking_kept


@dataclass(frozen=True)
class Answered:
    """A reply and the request that it answers."""

    request: Request
    reply: Reply
    live: bool = False


def _leading(messages: Sequence[Message], role: str) -> tuple[Message, ...]:
    count = next((index for index, message in enumerate(messages) if message.role != role), len(messages))
    return tuple(messages[:count])


def _blocks(content: object) -> list[object]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(items(content))
