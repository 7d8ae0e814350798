"""Comparing what came out with what a scenario expects.

A mapping with exactly one of `equals`, `contains`, `regex`, `json`, `any` is a matcher, at any depth;
everything else is a template that has to be equal, with matchers in it. `equals` takes its value literally,
and so is the escape for data that looks like a matcher. Text from the wire is parsed as JSON before it is
compared with anything but text, since tools' values are sent as JSON text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from toolreplay.wire.model import MISSING

from .matcher_faults import matcher_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SHOWN: Final = 200  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place where something differs.

    Attributes:
        where: the field, `result.content.temp_c`.
        expected: the matcher or value that stands there in the scenario; MISSING where nothing may stand.
        actual: what came; MISSING where nothing came.
    """

    where: str
    expected: object
    actual: object

    @property
    def text(self) -> str:
        """One line: `result.content.temp_c: expected 4, got 5`."""
        return f"{self.where}: expected {in_words(self.expected)}, got {in_words(self.actual)}"

    def __str__(self) -> str:
        return self.text


class _Mode(Enum):
    LITERAL = auto()  # below `equals`: no matchers
    EXACT = auto()
    SUBSET = auto()  # mappings may hold more


def mismatch(expected: object, actual: object, where: str, *, subset: bool = False) -> Mismatch | None:
    """Compare a value with what a scenario expects of it; None when it fits.

    With `subset`, mappings may hold more than is expected of them, at every depth (`when`, `input`). Content
    blocks of text or JSON, of either wire, are compared by what they hold unless a list is expected.
    """
    matcher = matcher_of(expected)
    if not isinstance(matcher[1] if matcher is not None and matcher[0] == "equals" else expected, list):
        actual = _unwrapped(actual)
    return _compare(expected, actual, where, _Mode.SUBSET if subset else _Mode.EXACT, parse=True)


def in_words(value: object) -> str:
    """A matcher or value for a message, on one line and cut to some 200 characters."""
    if value is MISSING:
        return "nothing"
    match matcher_of(value):
        case "contains", needle:
            return f"text that contains {_all_in_words(needle)}"
        case "regex", pattern:
            return f"text that matches {_all_in_words(pattern)}"
        case "json", template:
            return f"JSON with {in_words(template)}"
        case "any", list(options):
            return "one of " + ", ".join(in_words(option) for option in options)
        case "any", _:
            return "anything"
        case "equals", literal:
            return _shown(literal)
        case _:
            return _shown(value)


def _all_in_words(value: object) -> str:
    return " and ".join(_shown(item) for item in value) if isinstance(value, list) else _shown(value)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    if any("\ud800" <= character <= "\udfff" for character in text):
        text = json.dumps(value, default=repr)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _compare(expected: object, actual: object, where: str, mode: _Mode, *, parse: bool) -> Mismatch | None:
    if mode is not _Mode.LITERAL:
        matcher = matcher_of(expected)
        if matcher is not None:
            return _match(*matcher, actual, where, parse=parse)
    if parse:
        actual = _parsed(actual, expected)
    if isinstance(expected, dict):
        return _compare_mapping(expected, actual, where, mode)
    if isinstance(expected, list):
        return _compare_list(expected, actual, where, mode)
    return None if _same(expected, actual) else Mismatch(where, expected, actual)


def _compare_mapping(expected: Mapping[str, object], actual: object, where: str, mode: _Mode) -> Mismatch | None:
    if not isinstance(actual, dict):
        return Mismatch(where, expected, actual)
    for key, value in expected.items():
        found = _compare(value, actual.get(key, MISSING), f"{where}.{key}", mode, parse=False)
        if found is not None:
            return found
    if mode is not _Mode.SUBSET:
        for key, value in actual.items():
            if key not in expected:
                return Mismatch(f"{where}.{key}", MISSING, value)
    return None


def _compare_list(expected: list[object], actual: object, where: str, mode: _Mode) -> Mismatch | None:
    if not isinstance(actual, list):
        return Mismatch(where, expected, actual)
    for index in range(max(len(expected), len(actual))):
        wanted = expected[index] if index < len(expected) else MISSING
        came = actual[index] if index < len(actual) else MISSING
        found = _compare(wanted, came, f"{where}[{index}]", mode, parse=False)
        if found is not None:
            return found
    return None


def _same(expected: object, actual: object) -> bool:
    """Equality of JSON scalars: 4 is 4.0, but 1 is not true."""
    return isinstance(expected, bool) == isinstance(actual, bool) and expected == actual


def _parsed(actual: object, expected: object) -> object:
    """What JSON text holds; where text is expected, only if what it holds is text too."""
    if not isinstance(actual, str) or actual == expected:
        return actual
    try:
        value = json.loads(actual)
    except (ValueError, RecursionError):
        return actual
    return actual if isinstance(expected, str) and not isinstance(value, str) else value


def _unwrapped(actual: object) -> object:
    """What content blocks hold: their texts as lines, or the value of the only Converse `json` block."""
    if not isinstance(actual, list) or not all(isinstance(block, dict) for block in actual):
        return actual
    if len(actual) == 1 and set(actual[0]) == {"json"}:
        value: object = actual[0]["json"]
        return value
    texts = [
        block["text"] for block in actual if block.get("type", "text") == "text" and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts) if texts else actual


def _match(name: str, value: object, actual: object, where: str, *, parse: bool) -> Mismatch | None:
    match name:
        case "equals":
            return _compare(value, actual, where, _Mode.LITERAL, parse=parse)
        case "contains":
            return _in_text(name, value, actual, where, lambda needle, text: needle in text)
        case "regex":
            return _in_text(name, value, actual, where, _searches)
        case "json":
            return _compare(value, actual, where, _Mode.SUBSET, parse=True)
        case _:
            fits = _fits_any(value, actual, where, parse=parse)
            return None if fits else Mismatch(where, {name: value}, actual)


def _fits_any(value: object, actual: object, where: str, *, parse: bool) -> bool:
    """`any: true` takes whatever is there, a list one of its values."""
    if not isinstance(value, list):
        return actual is not MISSING
    return any(_compare(option, actual, where, _Mode.EXACT, parse=parse) is None for option in value)


def _in_text(
    name: str, value: object, actual: object, where: str, holds: Callable[[str, str], bool]
) -> Mismatch | None:
    """The first of the needles or patterns that does not hold; a list means all of them."""
    for item in value if isinstance(value, list) else [value]:
        if actual is MISSING or not holds(_as_text(item), _as_text(actual)):
            return Mismatch(where, {name: item}, actual)
    return None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def _searches(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
