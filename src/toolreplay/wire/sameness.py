"""Whether two values are the same JSON: to Python 1, 1.0 and true are equal, in a request they are not."""

from __future__ import annotations

import json


def same_json(left: object, right: object) -> bool:
    """Whether two values read from JSON would be written alike, the order of fields aside."""
    if left is right:
        return True
    if isinstance(left, bytes) or isinstance(right, bytes):
        return left == right
    if left != right:
        return False
    return same_text(left, right) or json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def same_text(left: object, right: object) -> bool:
    """Whether two values read from JSON would be written alike, in the order of their fields."""
    return left == right and json.dumps(left) == json.dumps(right)


def same_items(left: list[object], right: list[object]) -> bool:
    """Whether two lists are the same JSON; items that are the same object are not looked at again."""
    return len(left) == len(right) and all(map(same_json, left, right))
