"""The name a person probably meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """The known name most like `word`, upper and lower case aside; None when nothing comes near.

    `cutoff` is difflib's similarity ratio, 0 to 1.
    """
    folded = {name.casefold().replace("-", "_"): name for name in known}
    found = difflib.get_close_matches(word.casefold().replace("-", "_"), folded, n=1, cutoff=cutoff)
    return folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """`did you mean 'x'?`, or what to say when nothing comes near."""
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near is not None else otherwise
