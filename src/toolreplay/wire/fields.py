"""Reading JSON that may be anything: each function takes any value and never raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_NOTHING: Mapping[str, object] = {}


def text(value: object) -> str | None:
    """The value if it is a string."""
    return value if isinstance(value, str) else None


def mapping(value: object) -> Mapping[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def items(value: object) -> Sequence[object]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else ()
