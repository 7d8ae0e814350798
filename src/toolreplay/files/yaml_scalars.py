"""What a YAML scalar means here: JSON's types only, everything else is the text as written."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

STANDARD: Final = "tag:yaml.org,2002:"
_MAX_DIGITS: Final = 400  # more than a double has; Python itself refuses integers over 4,300
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: Final[Mapping[str, object]] = {"": None, "null": None, "true": True, "false": False}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}


def plain(text: str) -> object:
    """The value of an unquoted scalar: a JSON number, `true`, `false`, `null`, nothing at all, or its text.

    Raises:
        ValueError: a number that no double holds; the message says what to do.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not _NUMBER.fullmatch(text):
        return text
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} characters is too long; put it in quotes")
    if text.removeprefix("-").isdigit():
        return int(text)
    if math.isinf(number := float(text)):
        raise ValueError(f"the number {text} is too large; put it in quotes")
    return number


def tagged(tag: str, text: str) -> object:
    """The value of a scalar with an explicit tag.

    Raises:
        ValueError: the tag is none of YAML's own for JSON's types, or does not fit; says what to do.
    """
    short = tag.removeprefix(STANDARD)
    if tag == STANDARD + "str":
        return text
    if tag == short or short not in _TYPES:
        raise ValueError(refused_tag(tag))
    value = plain(text)
    if type(value) not in _TYPES[short]:
        raise ValueError(f"the tag '!!{short}' does not fit {text!r}; leave the tag out")
    return float(value) if short == "float" and isinstance(value, int) else value


def refused_tag(tag: str) -> str:
    """What to tell someone who wrote a tag that is not read."""
    return f"the tag {tag.replace(STANDARD, '!!', 1)!r} is not read, values are plain data; leave the tag out"
