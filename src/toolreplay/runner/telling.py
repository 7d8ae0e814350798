"""What in a tool's outcome can be looked for in a result, so that truncating, wrapping and pretty-printing are no
fault: a result carries the outcome when it shows any one of these."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Final

_LONGEST: Final = 24  # a loop may cut a long text; its beginning is still there
_MOST: Final = 16


def telling(value: object) -> tuple[str, ...]:
    """The words and values by which a value is recognised: of a text its beginning, of a structure its leaves.

    Values that JSON cannot hold, and values that say nothing (`None`, empty texts, booleans), give none: any
    non-empty content may stand for them.
    """
    return tuple(dict.fromkeys(islice(_leaves(value, 0), _MOST)))


def _leaves(value: object, depth: int) -> Iterator[str]:
    if depth > _MOST:
        return
    if isinstance(value, str):
        words = value.split("\n", 1)[0].strip() or value.strip()
        if words and words.isprintable():
            yield words[:_LONGEST]
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        if math.isfinite(value):  # NaN and infinity are written in many ways
            yield repr(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, depth + 1)
