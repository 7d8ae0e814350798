"""What people hold in their hands as JSON: tuples, mappings of any kind, and the objects of an SDK.

A history that a loop keeps has the SDK's own blocks in it (`{"role": "assistant", "content": reply.content}`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from .wording import LONGEST_SHOWN, spelled

_DEEPEST: Final = 200


def as_json(value: object, depth: int = 0) -> object:
    """The value as dicts with strings for keys, and lists.

    What is no JSON by any of these ways stays as it is, for the rules to judge, and so does what is nested deeper than
    `_DEEPEST`.
    """
    if value is None or isinstance(value, str | bytes | int | float) or depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {_key(name): as_json(item, depth + 1) for name, item in value.items()}
    for method in ("to_dict", "model_dump"):  # the SDK's own, pydantic's
        convert = getattr(type(value), method, None)
        if convert is not None:
            return as_json(convert(value), depth + 1)
    if isinstance(value, Iterable):
        return [as_json(item, depth + 1) for item in value]
    return value


def _key(name: object) -> str:
    """A key as the `json` module writes it: `true`, `null`, `1`; of what it refuses (a date, bytes) its `repr`."""
    if isinstance(name, str):
        return name
    return json.dumps(name) if name is None or isinstance(name, bool) else spelled(name, LONGEST_SHOWN)
