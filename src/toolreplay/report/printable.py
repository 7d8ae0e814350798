"""Text that models, tools and files supplied, made safe to print."""

from __future__ import annotations

import unicodedata
from typing import Final

# Control characters, surrogates, line and paragraph separators, and the invisible format characters, some of
# which turn the direction of text. Two of the latter are part of words and emoji and change nothing else.
_ESCAPED: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = frozenset("\u200c\u200d")


def printable(text: str) -> str:
    r"""The text on one line, with what a terminal or a log would act upon as an escape: `\x1b[31m`."""
    if text.isprintable():
        return text
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _ESCAPED or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")
