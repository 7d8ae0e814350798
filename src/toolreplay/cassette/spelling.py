"""How a JSON text was spelled, so that a body kept as data comes back byte by byte.

A length header stays true, and programs that compare bodies as bytes find them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

COMPACT: Final = "compact"
"""No blanks, no escapes beyond what JSON asks for: the SDKs and the API."""

SPACED: Final = "spaced"
"""A blank after `:` and `,`; what a file means that does not say how a response was spelled."""

# Separators, and whether other characters than ASCII are escaped.
_SPELLINGS: Final[Mapping[str, tuple[tuple[str, str], bool]]] = {
    COMPACT: ((",", ":"), False),
    SPACED: ((", ", ": "), False),
    "compact-ascii": ((",", ":"), True),
    "spaced-ascii": ((", ", ": "), True),
}


def spell(value: object, spelling: object) -> str:
    """The JSON text of a value: in UTF-8, so half a character is escaped in any spelling.

    Raises:
        ValueError: there is no such spelling.
    """
    if not isinstance(spelling, str) or spelling not in _SPELLINGS:
        raise ValueError(f"spelling is {spelling!r}, none of {', '.join(_SPELLINGS)}")
    separators, escaped = _SPELLINGS[spelling]
    text = json.dumps(value, ensure_ascii=escaped, separators=separators)
    return text if _is_whole(text) else json.dumps(value, separators=separators)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def spelling_of(text: str, value: object) -> str | None:
    """The spelling in which the value is this text again, character by character; None where there is none."""
    return next((name for name in _SPELLINGS if spell(value, name) == text), None)
