"""What makes two requests the same place in a conversation: user texts, calls asked for, calls answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from toolreplay.wire.model import Message, MessageReader, Text, ToolResult, ToolUse

Saying = tuple[str, str]


class Sayings:
    """Keys of requests. Later requests of a conversation share messages with earlier ones; each is read once.

    Args:
        text: a user's text as it is compared.
    """

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text
        self._read: dict[int, tuple[object, tuple[Saying, ...]]] = {}  # with the message, so that its id stays its own

    def key(self, messages: Sequence[object], reader: MessageReader) -> tuple[tuple[str, ...], ...]:
        """The key of a request.

        Args:
            messages: as sent.
            reader: parses them.
        """
        return _grouped(chain.from_iterable(self._said(message, reader) for message in messages))

    def _said(self, message: object, reader: MessageReader) -> tuple[Saying, ...]:
        known = self._read.get(id(message))
        if known is None:
            (parsed,) = reader((message,), 0)
            known = self._read[id(message)] = (message, tuple(_sayings(parsed, self._text)))
        return known[1]


def conversation_key(messages: Iterable[Message], text: Callable[[str], str] = str) -> tuple[tuple[str, ...], ...]:
    """The key of a request whose messages are parsed.

    Args:
        text: a user's text as it is compared.
    """
    return _grouped(chain.from_iterable(_sayings(message, text) for message in messages))


def _sayings(message: Message, text: Callable[[str], str]) -> Iterator[Saying]:
    """What a message says. A text beside results is no prompt but the loop's own word on them (a reminder)."""
    prompts = message.role == "user" and not any(isinstance(block, ToolResult) for block in message.blocks)
    for block in message.blocks:
        match block:
            case ToolResult():
                yield "result", block.id or ""
            case ToolUse():
                yield "use", block.id or ""
            case Text() if prompts:
                yield "user", text(block.text or "")
            case _:
                pass


def _grouped(sayings: Iterable[Saying]) -> tuple[tuple[str, ...], ...]:
    """Results of one turn as one: they may come in any order, and spread over messages."""
    key: list[tuple[str, ...]] = []
    answered: list[str] = []
    for saying in sayings:
        if saying[0] == "result":
            answered.append(saying[1])
            continue
        if answered:
            key.append(("results", *sorted(answered)))
            answered.clear()
        key.append(saying)
    if answered:
        key.append(("results", *sorted(answered)))
    return tuple(key)
