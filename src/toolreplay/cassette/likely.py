"""The line of configuration that a miss proposes: values that most often change from one run to the next."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toolreplay.files.volatile import Volatile

_MOST: Final = 3  # kinds at once; where more change it is another conversation, and the line would not be read


@dataclass(frozen=True)
class Likely:
    """What a kind of value looks like, and the name that stands for it."""

    name: str
    regex: str

    @cached_property
    def volatile(self) -> Volatile:
        """The same, as the configuration declares it."""
        return Volatile(looks=re.compile(self.regex), name=self.name)

    @property
    def toml(self) -> str:
        """The entry of `volatile`. TOML's single quotes take a regex as it is."""
        return f"{{regex = '{self.regex}', as = '{self.name}'}}"


# The most telling first: an earlier one is preferred where two would do.
LIKELY: Final = (
    Likely("DATE", r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"),
    Likely("UUID", r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    Likely("TMP", r"(/private)?/(tmp|var/folders)/[\w./+-]+"),
    Likely("TIME", r"\b\d\d?:\d\d(:\d\d)?( ?[AP]M)?\b"),
    Likely("EPOCH", r"\b1[6-9]\d{8}(\d{3})?(\.\d+)?\b"),
    Likely("HEX", r"\b[0-9a-f]{12,64}\b"),
    Likely("DATE", r"\b\d\d?[./]\d\d?[./]\d{4}\b"),
    Likely("DAY", r"\b((Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? )?(\d\d? )?"
                  r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* (\d\d?,? )?\d{4}\b"),
)  # fmt: skip


def proposal(alike: Callable[[Sequence[Volatile]], bool]) -> str | None:
    """The entries of `volatile`, as TOML, that would make a request match; None where more than such values differ.

    Args:
        alike: whether the request matches once these are volatile too.
    """

    def match(kinds: Sequence[Likely]) -> bool:
        return alike([kind.volatile for kind in kinds])

    if not match(LIKELY):
        return None
    single = next((kind for kind in LIKELY if match([kind])), None)
    if single is not None:
        return single.toml
    chosen = list(LIKELY)
    for kind in reversed(LIKELY):  # the least telling go first
        fewer = [one for one in chosen if one is not kind]
        if match(fewer):
            chosen = fewer
    return ", ".join(kind.toml for kind in chosen) if len(chosen) <= _MOST else None
