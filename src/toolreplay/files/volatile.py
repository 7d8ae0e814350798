"""`[tool.toolreplay] volatile`: values that change with every run, and are left out where recordings are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from toolreplay.errors import UsageError

# A step into a body: a field's name, an index, or None for every item of a list.
Step: TypeAlias = str | int | None

_STEP = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<index>\d+|\*)\]")


@dataclass(frozen=True, slots=True)
class Volatile:
    """One kind of value: where it stands in a body, or what it looks like.

    Attributes:
        path: the steps to it; empty where it is told by its looks.
        looks: matches it wherever it stands in a text.
        name: what stands for it.
    """

    path: tuple[Step, ...] = ()
    looks: re.Pattern[str] | None = None
    name: str = "VOLATILE"


def volatiles(value: object) -> tuple[Volatile, ...]:
    """Read the setting: a list of `{path = "metadata.user_id"}` and `{regex = "...", as = "DATE"}`.

    Raises:
        UsageError: says what is wrong and what to write.
    """
    if not isinstance(value, list):
        raise UsageError(f'volatile is {value!r}; write a list of {{path = "..."}} and {{regex = "...", as = "DATE"}}')
    return tuple(_volatile(item) for item in value)


def _volatile(item: object) -> Volatile:
    if not isinstance(item, dict) or not item.keys() <= {"path", "regex", "as"} or len(item.keys() - {"as"}) != 1:
        what = 'write {path = "metadata.user_id"} or {regex = "...", as = "DATE"}'
        raise UsageError(f"volatile holds {item!r}; {what}")
    if not all(isinstance(text, str) and text for text in item.values()):
        raise UsageError(f"volatile holds {item!r}; write its values as strings that are not empty")
    name = item.get("as", "VOLATILE")
    if "path" in item:
        return Volatile(path=tuple(_steps(item["path"])), name=name)
    try:
        looks = re.compile(item["regex"])
    except re.error as error:
        raise UsageError(f"volatile: regex {item['regex']!r}: {error}; mend it") from None
    if looks.match(""):
        raise UsageError(f"volatile: regex {item['regex']!r} matches nothing at all, everywhere; make it longer")
    return Volatile(looks=looks, name=name)


def _steps(path: str) -> Iterable[Step]:
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise UsageError(f"volatile: path {path!r} cannot be read at {path[at:]!r}; write messages[*].content")
        at = found.end()
        index = found["index"]
        yield found["name"] if index is None else None if index == "*" else int(index)
