"""What a scalar of any program's YAML means."""

from __future__ import annotations

import base64
import binascii
import re

import yaml

CORE = "tag:yaml.org,2002:"

# Recorders quote what YAML 1.1 or 1.2 reads as something else, so only what both write unquoted is taken as
# no string: `no`, `on`, dates and 12:30 stay strings.
_WORDS: dict[str, object] = {"": None, "~": None}
_WORDS.update((word, None) for word in ("null", "Null", "NULL"))
_WORDS.update((word, True) for word in ("true", "True", "TRUE"))
_WORDS.update((word, False) for word in ("false", "False", "FALSE"))
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
# PyYAML takes `-.5`, `+.5` and `-.nan` for text and writes them unquoted.
_FLOAT = re.compile(r"(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_FLOAT_WORDS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("-+.0123456789")


class _Merge:
    """The key `<<`, unquoted."""


MERGE = _Merge()


def tagged(event: yaml.ScalarEvent) -> object:
    """The value of a scalar with a tag.

    Raises:
        ValueError: it is tagged as base64 and is none.
    """
    tag: str | None = event.tag
    value: str = event.value
    if tag is None or tag == "!":
        return plain(value) if event.implicit[0] else value
    name = tag.removeprefix(CORE).removeprefix("!")
    if name in ("binary", "python/bytes"):
        try:
            return base64.b64decode(value)
        except (binascii.Error, ValueError):
            raise ValueError("a !binary value is no base64") from None
    if name in ("int", "float", "bool", "null"):
        return plain(value)
    return value


def plain(value: str) -> object:
    """The value of a scalar without quotes."""
    if value in _WORDS:
        return _WORDS[value]
    if value[0] not in _NUMBER_STARTS:
        return MERGE if value == "<<" else value
    if _INT.fullmatch(value):
        try:
            return int(value)
        except ValueError:  # more digits than Python converts
            return value
    if _FLOAT.fullmatch(value):
        return float(value)
    if _FLOAT_WORDS.fullmatch(value):
        return float(value.replace(".", ""))
    return value
