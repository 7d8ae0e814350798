"""Request bodies of conversations that grow: a body that only adds messages to an earlier one is read from there on.

A loop repeats the whole history in every request, so reading each body whole costs the square of the conversation.
The bytes before the end of `messages`, and those after it, are the same from turn to turn; what stands between the
two is what is new.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

_CONVERSATIONS: Final = 8  # that may take turns, as sub-agents do, and still be read cheaply
_KEY: Final = '"messages":'
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Body:
    """A body that was read: the bytes up to the end of its last message, those from there on, and its JSON."""

    head: bytes
    tail: bytes
    data: dict[str, Any]


class GrowingBodies:
    """Reads the bodies of one session. The JSON of a body shares its messages with that of the body it goes on from."""

    def __init__(self) -> None:
        self._known: deque[_Body] = deque(maxlen=_CONVERSATIONS)

    def read(self, body: bytes) -> Any:
        """The body as JSON; None when it is none."""
        for known in self._known:
            data = _grown(known, body)
            if data is not None:
                self._known.remove(known)
                self._known.appendleft(_Body(body[: len(body) - len(known.tail)], known.tail, data))
                return data
        try:
            text = body.decode()
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
        read = _cut(body, text, data)
        if read is not None:
            self._known.appendleft(read)
        return data


def _grown(known: _Body, body: bytes) -> dict[str, Any] | None:
    """The JSON of a body that adds messages to a known one; None where it does not."""
    if not body.startswith(known.head) or not body.endswith(known.tail):
        return None
    new = body[len(known.head) : len(body) - len(known.tail)].lstrip()
    if not new.startswith(b","):
        return None
    try:
        messages = json.loads(b"[" + new[1:] + b"]")
    except (ValueError, RecursionError):
        return None
    return {**known.data, "messages": [*known.data["messages"], *messages]}


def _cut(body: bytes, text: str, data: Any) -> _Body | None:
    """Where the messages of a body end; None where that cannot be told (a schema may have a field of that name)."""
    messages = data.get("messages") if isinstance(data, dict) else None
    at = text.find(_KEY)
    if not messages or not isinstance(messages, list) or at < 0:
        return None
    start = at + len(_KEY)
    start += len(text[start:]) - len(text[start:].lstrip())
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    if value != messages or text[end - 1] != "]":
        return None
    head = text[: end - 1].rstrip().encode()
    return _Body(head, body[len(head) :], data)
