"""Values that change with every run, left out where a request is compared with a recording."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolreplay.files.volatile import Step, Volatile


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
                text = one.looks.sub(one.name.replace("\\", r"\\"), text)
        return text

    def json(self, value: object) -> object:
        """A body of JSON with names in place of all volatile values; what is changed is copied."""
        if any(one.looks is not None for one in self.declared):
            value = self._texts(value)
        for one in self.declared:
            if one.path:
                value = _put(value, one.path, one.name)
        return value

    def _texts(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self._texts(item) for name, item in value.items()}
        return [self._texts(item) for item in value] if isinstance(value, list) else value


class Mask:
    """Bodies and texts as they are compared: the volatile values left out.

    A loop repeats its history in every request, and requests share their messages (`wire.growing`, `extending`). So
    each message is looked at once, and a conversation costs what is new in it.
    """

    def __init__(self, volatiles: Volatiles) -> None:
        self.volatiles = volatiles
        self._texts: dict[str, str] = {}
        # By place and identity; what is looked at is kept, so that its id stays its own.
        self._seen: dict[tuple[str, int, int], tuple[object, object, bytes]] = {}

    def text(self, text: str) -> str:
        """A text without what is volatile in it."""
        if not self.volatiles:
            return text
        if text not in self._texts:
            self._texts[text] = self.volatiles.text(text)
        return self._texts[text]

    def body(self, body: object) -> object:
        """A body without what is volatile in it; itself where nothing is declared."""
        if not self.volatiles or isinstance(body, bytes):
            return body
        if not isinstance(body, dict):
            return self.volatiles.json(body)
        return {name: self._field(name, value) for name, value in body.items()}

    def key(self, body: Mapping[str, object]) -> Hashable:
        """The same for all bodies that are the same JSON once the volatile values are left out."""
        return tuple((name, self._field_key(name, body[name])) for name in sorted(body))

    def _field(self, name: str, value: object) -> object:
        if name != "messages" or not isinstance(value, list):
            return self._look_at(name, value)[1]
        return [self._look_at(name, message, index)[1] for index, message in enumerate(value)]

    def _field_key(self, name: str, value: object) -> Hashable:
        if name != "messages" or not isinstance(value, list):
            return self._look_at(name, value)[2]
        return tuple(self._look_at(name, message, index)[2] for index, message in enumerate(value))

    def _look_at(self, name: str, value: object, index: int = -1) -> tuple[object, object, bytes]:
        at = (name, index, id(value))
        found = self._seen.get(at)
        if found is None:
            # In its place, so that paths lead to it: as the field it is, or as a message after others.
            padded = value if index < 0 else [*[None] * index, value]
            masked: Any = self.volatiles.json({name: padded})
            masked = masked[name]
            masked = masked[index] if index >= 0 and isinstance(masked, list) else masked
            digest = hashlib.sha256(json.dumps(masked, sort_keys=True).encode()).digest()
            found = self._seen[at] = (value, masked, digest)
        return found


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
