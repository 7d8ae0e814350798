"""Request bodies that go on from an earlier one: what is new in them, and the whole again.

`{extends: i, keep: n, drop: [names]}` with a body of new and changed fields means: the body of interaction `i` without
the fields of `drop`, with the fields that stand here, and with its first `keep` messages (all where `keep` is absent)
followed by those that stand here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolreplay.wire.sameness import same_text

from .file_fields import take

Extension = dict[str, Any]


class Bodies:
    """The bodies of interactions that were written, in the file's order; later ones may extend them.

    A body extends one with the same first message. So the latest with each is known, and the time to write a file does
    not grow with the square of its conversations.
    """

    def __init__(self) -> None:
        self._all: list[object] = []
        self._latest: dict[str, int] = {}  # by the first message as text
        self._last: tuple[object, str | None] = (None, None)

    def append(self, body: object) -> None:
        """Add the next body; what is no JSON object is extended by none."""
        first = self._first(body)
        if first is not None:
            self._latest[first] = len(self._all)
        self._all.append(body)

    def shortened(self, body: Mapping[str, Any]) -> tuple[Mapping[str, Any], Extension | None]:
        """What is new in a body, and the latest that it extends; the body itself and None where it is all new."""
        first = self._first(body)
        index = None if first is None else self._latest.get(first)
        keep = 0 if index is None else _shared(body, self._all[index])
        if index is None or not keep:
            return body, None
        return _shortened(body, self._all[index], index, keep)

    def extended(self, body: object, extension: object) -> dict[str, Any]:
        """The whole body again, as `extended` makes it."""
        return extended(body, extension, self._all)

    def _first(self, body: object) -> str | None:
        """The first message of a body as text; None where there is none."""
        messages = body.get("messages") if isinstance(body, dict) else None
        message = messages[0] if isinstance(messages, list) and messages else None
        if message is None:
            return None
        if message is not self._last[0]:  # else it is that of the conversation that goes on, and may be long
            self._last = (message, _text(message))
        return self._last[1]


def extended(body: object, extension: object, bodies: Sequence[object]) -> dict[str, Any]:
    """The whole body again. Its first fields are those of the one it extends, in their order.

    Raises:
        ValueError: the extension, or what it extends, is not what `shortened` makes.
    """
    index = take(extension, "extends", int)
    if not 0 <= index < len(bodies):
        raise ValueError(f"it extends {index}, which is no interaction before it")
    base = bodies[index]
    messages = take(base, "messages", list)
    keep = take(extension, "keep", int, len(messages))
    if not 0 <= keep <= len(messages):
        raise ValueError(f"it keeps {keep} messages of {len(messages)}")
    dropped = take(extension, "drop", list, [])
    added = take(body, "messages", list)
    assert isinstance(base, dict)  # it has messages
    assert isinstance(body, dict)
    merged = {key: value for key, value in base.items() if key not in dropped}
    return {**merged, **body, "messages": [*messages[:keep], *added]}


def _text(message: object) -> str | None:
    try:
        return json.dumps(message)
    except (TypeError, ValueError, RecursionError):  # no JSON, or none that can be written: it is not looked for
        return None


def _shared(body: Mapping[str, Any], base: Any) -> int:
    """How many leading messages are the same as JSON: 1, 1.0 and true are equal to Python and not here."""
    mine, theirs = body.get("messages"), base.get("messages")
    if not isinstance(mine, list) or not isinstance(theirs, list):
        return 0
    # Nearly always the base's messages are all there: one comparison, and one of the texts, tells.
    if same_text(mine[: len(theirs)], theirs):
        return len(theirs)
    pairs = enumerate(zip(mine, theirs, strict=False))
    return next((n for n, (a, b) in pairs if not same_text(a, b)), min(len(mine), len(theirs)))


def _shortened(body: Mapping[str, Any], base: Any, index: int, keep: int) -> tuple[dict[str, Any], Extension]:
    extension: Extension = {"extends": index}
    if keep < len(base["messages"]):
        extension["keep"] = keep
    dropped = [key for key in base if key not in body]
    if dropped:
        extension["drop"] = dropped
    # In the order in which `extended` has them, so that a file stays as it is when it is read and written.
    order = [*(key for key in base if key in body), *(key for key in body if key not in base)]
    changed = {key: body[key] for key in order if key not in base or not same_text(base[key], body[key])}
    return {**changed, "messages": body["messages"][keep:]}, extension
