"""JSON as text: keys that stand twice, and the lines at which the entries of a recording begin.

Python's `json` takes the last of two equal keys and keeps no positions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

_LISTS: Final = (("interactions",), ("http_interactions",), ("log", "entries"), ("requests",))
"""Where formats of recordings and batches keep their entries; see `cassette.formats`."""

_SPACE: Final = re.compile(r"[ \t\n\r]*")
# A string with the colon that makes it a key, a bracket, or the end of a line.
_TOKEN: Final = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}]|\n')
_DECODER: Final = json.JSONDecoder()


class _TwiceError(Exception):
    """An object has a key twice; which one and where is asked for then only."""


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError
    return found


_CAREFUL: Final = json.JSONDecoder(object_pairs_hook=_fields)


class DuplicateKeyError(ValueError):
    """JSON in which an object has a key twice.

    Attributes:
        line: of the second one, from 1.
    """

    def __init__(self, key: str, line: int) -> None:
        super().__init__(key)
        self.line = line
        shown = key if len(key) <= 80 and key.isprintable() else ascii(key[:80])
        self.reason = f"the key '{shown}' stands twice in one object; remove one"


def loads(data: str | bytes) -> Any:
    """Parse JSON; lone surrogates pass.

    Raises:
        DuplicateKeyError: an object has a key twice, and readers differ in which one they take (RFC 8259,
            section 4).
        ValueError, RecursionError: as `json.loads`.
    """
    text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
    try:
        return _CAREFUL.decode(text)
    except _TwiceError:
        raise _second_key(text) from None


def _second_key(text: str) -> DuplicateKeyError:
    line = 1
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        string, colon = token.groups()
        if string is None:
            match token[0]:
                case "{":
                    keys.append(set())
                case "}":
                    keys.pop()
                case _:
                    line += 1
            continue
        if colon is not None:
            key: str = json.loads(string)
            if key in keys[-1]:
                return DuplicateKeyError(key, line)
            keys[-1].add(key)
            line += colon.count("\n")
    raise AssertionError("the parser saw a key twice")


def entries(data: object) -> Sequence[object]:
    """The entries of a recording or a list of bodies that was parsed; `entry_lines` tells their lines."""
    if isinstance(data, list):
        return data
    for path in _LISTS:
        found = data
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list):
            return found
    return ()


def entry_lines(text: str) -> Sequence[int]:
    """The line, from 1, at which each entry of a recording or a list of bodies begins; empty where there is no list.

    Args:
        text: JSON that has been parsed: an error in it is not expected.
    """
    starts: list[int] = []
    line, counted = 1, 0
    for start in _entry_starts(text):
        line += text.count("\n", counted, start)
        counted = start
        starts.append(line)
    return starts


def _entry_starts(text: str) -> Iterator[int]:
    root = _skip(text, 0)
    if text.startswith("[", root):
        yield from _items(text, root)
        return
    for path in _LISTS:
        place: int | None = root
        for key in path:
            place = None if place is None else _field(text, place, key)
        if place is not None and text.startswith("[", place):
            yield from _items(text, place)
            return


def _items(text: str, start: int) -> Iterator[int]:
    place = _skip(text, start + 1)
    while not text.startswith("]", place):
        yield place
        place = _skip(text, _end(text, place))
        if text.startswith(",", place):
            place = _skip(text, place + 1)


def _field(text: str, start: int, key: str) -> int | None:
    """Where the value of an object's field begins; None where there is no object or no such field."""
    if not text.startswith("{", start):
        return None
    place = _skip(text, start + 1)
    while text.startswith('"', place):
        name, end = _DECODER.raw_decode(text, place)
        value = _skip(text, _skip(text, end) + 1)  # behind the colon
        if name == key:
            return value
        place = _skip(text, _end(text, value))
        if text.startswith(",", place):
            place = _skip(text, place + 1)
    return None


def _end(text: str, place: int) -> int:
    _, end = _DECODER.raw_decode(text, place)
    return end


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()
