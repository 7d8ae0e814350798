"""What in a tool's outcome can be looked for in a result, so that truncating, wrapping and pretty-printing are no
fault: a result carries the outcome when it shows any one of these."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

_LONGEST: Final = 24  # a loop may cut a long text; its beginning is still there
_MOST: Final = 16
_END: Final = 120
_WORDS: Final = 4  # of each end
_WORD: Final = re.compile(r"\w[\w.-]{3,}")  # shorter ones stand in any text
_GROUPED: Final = 1_000


def telling(value: object) -> tuple[str, ...]:
    """The words and values by which a value is recognised: of a text its ends, of a structure its leaves.

    A loop may keep one end of a text alone, escape it, or write it anew as JSON or YAML. Values that JSON cannot hold,
    and values that say nothing (`None`, empty texts, booleans), give none: any non-empty content may stand for them.
    """
    return tuple(dict.fromkeys(islice(_leaves(value, 0), _MOST)))


def _leaves(value: object, depth: int) -> Iterator[str]:
    if depth > _MOST:
        return
    if isinstance(value, str):
        yield from _of_text(value)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield from _of_number(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, depth + 1)


def _of_text(text: str) -> Iterator[str]:
    beginning = text.split("\n", 1)[0].strip() or text.strip()
    if beginning and beginning.isprintable():
        yield beginning[:_LONGEST]
    yield from islice(_WORD.findall(text[:_END]), _WORDS)
    if len(text) > _END:
        yield from islice(reversed(_WORD.findall(text[-_END:])), _WORDS)


def _of_number(number: float) -> Iterator[str]:
    if math.isfinite(number):  # NaN and infinity are written in many ways
        yield repr(number)
        if abs(number) >= _GROUPED:
            yield f"{number:,}"
