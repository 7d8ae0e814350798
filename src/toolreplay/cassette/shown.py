"""A value that a file holds, as messages show it."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 80


def shown(value: object) -> str:
    """A value as messages show it, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
