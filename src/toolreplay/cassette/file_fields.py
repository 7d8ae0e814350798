"""Fields of a file that somebody may have edited: each of the type that it has to be, or shown as it is."""

from __future__ import annotations

from typing import Final, TypeVar

_Kind = TypeVar("_Kind")
_LONGEST: Final = 80


def take(fields: object, name: str, kind: type[_Kind], default: _Kind | None = None) -> _Kind:
    """A field of a mapping that a file holds, if it is what it has to be.

    Raises:
        ValueError: there is no mapping, or the field is of another type; a boolean is no number.
    """
    if not isinstance(fields, dict):
        raise ValueError(f"{shown(fields)} stands where {name} should be a field")  # noqa: TRY004
    value = fields.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name} is {shown(value)}")  # noqa: TRY004
    return value


def shown(value: object) -> str:
    """A value as messages show it, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
