"""Request bodies that go on from an earlier one: what is new in them, and the whole again.

`{extends: i, keep: n, drop: [names]}` with a body of new and changed fields means: the body of interaction `i` without
the fields of `drop`, with the fields that stand here, and with its first `keep` messages (all where `keep` is absent)
followed by those that stand here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolreplay.wire.sameness import same_text

from .file_fields import take

Extension = dict[str, Any]


def shortened(body: Mapping[str, Any], bodies: Sequence[object]) -> tuple[Mapping[str, Any], Extension | None]:
    """What is new in a body, and which of the earlier ones it extends; the body itself and None where it is all new.

    Args:
        bodies: those of the interactions before it, in the file's order; what is no JSON object is passed over.
    """
    base = _latest_base(body, bodies)
    if base is None:
        return body, None
    index, keep = base
    return _shortened(body, bodies[index], index, keep)


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


def _latest_base(body: Mapping[str, Any], bodies: Sequence[object]) -> tuple[int, int] | None:
    """The latest earlier body that shares leading messages: its index, and how many it shares."""
    for index in range(len(bodies) - 1, -1, -1):
        keep = _shared(body, bodies[index]) if isinstance(bodies[index], dict) else 0
        if keep:
            return index, keep
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
    changed = {key: value for key, value in body.items() if key not in base or not same_text(base[key], value)}
    return {**changed, "messages": body["messages"][keep:]}, extension
