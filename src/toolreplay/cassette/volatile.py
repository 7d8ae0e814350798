"""Values that change with every run, left out where a request is compared with a recording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolreplay.files.volatile import Step, Volatile
from toolreplay.wire.sameness import same_json

# What most often changes from one day, machine or run to the next, the most telling first.
LIKELY: Final = (
    ("DATE", r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"),
    ("UUID", r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    ("TMP", r"(/private)?/(tmp|var/folders)/[\w./+-]+"),
    ("TIME", r"\b\d\d?:\d\d(:\d\d)?\b"),
    ("EPOCH", r"\b1[6-9]\d{8}(\d{3})?(\.\d+)?\b"),
    ("HEX", r"\b[0-9a-f]{12,64}\b"),
)


@dataclass(frozen=True)
class Volatiles:
    """The declared ones of a project; none by default."""

    declared: Sequence[Volatile] = ()

    def __bool__(self) -> bool:
        return bool(self.declared)

    def text(self, text: str) -> str:
        """A text with a name in place of every value that looks volatile."""
        for one in self.declared:
            if one.looks is not None:
                text = one.looks.sub(lambda _, name=one.name: name, text)  # type: ignore[misc]
        return text

    def body(self, body: object) -> object:
        """A body of JSON with names in place of all volatile values."""
        for one in self.declared:
            if one.path:
                body = _put(body, one.path, one.name)
        return self._texts(body) if any(one.looks is not None for one in self.declared) else body

    def _texts(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self._texts(item) for name, item in value.items()}
        return [self._texts(item) for item in value] if isinstance(value, list) else value


def proposal(recorded: object, now: object) -> str | None:
    """The line of configuration that would make two bodies equal; None where they differ in more than such values."""
    kinds = [(name, regex, Volatile(looks=re.compile(regex), name=name)) for name, regex in LIKELY]
    chosen: list[tuple[str, str, Volatile]] = []
    for kind in kinds:
        chosen.append(kind)
        if _alike(recorded, now, chosen):
            break
    else:
        return None
    for kind in list(chosen):
        fewer = [one for one in chosen if one is not kind]
        if _alike(recorded, now, fewer):
            chosen = fewer
    # TOML's single quotes take a regex as it is.
    lines = [f"{{regex = '{regex}', as = '{name}'}}" for name, regex, _ in chosen]
    return f"volatile = [{', '.join(lines)}]"


def _alike(recorded: object, now: object, chosen: Sequence[tuple[str, str, Volatile]]) -> bool:
    found = Volatiles([one for _, _, one in chosen])
    return same_json(found.body(recorded), found.body(now))


def _put(value: Any, path: Sequence[Step], name: str) -> Any:
    """The value with a name at a path, where there is something; what is changed is copied."""
    if not path:
        return name
    step, *rest = path
    if isinstance(step, str):
        return {**value, step: _put(value[step], rest, name)} if isinstance(value, dict) and step in value else value
    if not isinstance(value, list):
        return value
    return [_put(item, rest, name) if step in (None, index) else item for index, item in enumerate(value)]
