"""Which rules' findings are wanted: `--select` and `--ignore`, by code, beginning of a code, or name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolreplay.contract.catalogue import all_rules
from toolreplay.errors import UsageError

_ALL = "TR"
_CODE = 0.85  # how alike a code must be to be guessed at: TR1011 is TR101, but TR999 is not TR609


@dataclass(frozen=True, slots=True)
class Selection:
    """The beginnings of codes that are wanted, and of those that are not.

    Where both have one, the longer wins: with TR101 selected and TR1 ignored, TR101 is wanted. Of two equal
    ones the ignored one wins.
    """

    select: tuple[str, ...] = (_ALL,)
    ignore: tuple[str, ...] = ()

    def wants(self, code: str) -> bool:
        """Whether findings of a code are wanted."""
        if not self.ignore and self.select == (_ALL,):
            return True
        return _longest(self.select, code) > _longest(self.ignore, code)


def selection(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Selection:
    """The selection that a user's words mean; each may hold several, separated by commas. No `select` is all.

    Raises:
        UsageError: a word is no rule's code, beginning of a code, or name, or no rule is left.
    """
    chosen = tuple(_codes(select))
    # Ignoring alone leaves the others; `--ignore` and `--select` together start from the selected.
    found = Selection(chosen or (_ALL,), tuple(_codes(ignore)))
    if not any(map(found.wants, all_rules())):
        words = ", ".join(found.ignore)
        raise UsageError(f"ignore: {words} leaves no rule to check by; ignore fewer, or select others")
    return found


def _codes(words: Iterable[str]) -> Iterable[str]:
    known = {code: rule.name for code, rule in all_rules().items()}
    by_name = {name: code for code, name in known.items()}
    for word in (part.strip() for text in words for part in text.split(",")):
        code = by_name.get(word.lower(), word.upper())
        if not word or code == "T" or not any(one.startswith(code) for one in known):
            raise UsageError(f"no rule {word!r}; {_hint(word, [*known, *by_name])}")
        yield code


def _hint(word: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(word.lower(), known, 1) or difflib.get_close_matches(word.upper(), known, 1, _CODE)
    return f"did you mean {near[0]}?" if near else "write a code (TR101), its beginning (TR1) or a name"


def _longest(beginnings: Iterable[str], code: str) -> int:
    return max((len(one) for one in beginnings if code.startswith(one)), default=-1)
