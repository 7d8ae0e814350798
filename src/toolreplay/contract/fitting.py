"""Whether a tool's input fits its schema: the first thing that does not, in words.

What a schema can say and this does not look at passes: remote references, `format`, patterns that could run
long. It is counted how much has been looked at, so that a schema made to explode ends the comparison and
nothing else; a comparison costs about 10 microseconds, and the `jsonschema` package 100 after 0.4 s of
import. The tests hold the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from toolreplay.wire.fields import items, mapping, text

from .wording import spelled

MOST_STEPS: Final = 5_000
DEEPEST: Final = 64

_LONGEST_PATTERN: Final = 200
_LONGEST_MATCHED: Final = 256
_RISKY: Final = re.compile(r"\)\s*[*+?{]|\\\d|\(\?")
_UNBOUNDED: Final = re.compile(r"(?<!\\)[*+]|\{\d*,\d*\}|\{\d{3,}\}")
_SHOWN: Final = 40
_UNSEEN: Final = frozenset(
    [
        "$dynamicRef",
        "$recursiveRef",
        "contains",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "format",
        "multipleOf",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    ]
)


class _GiveUpError(Exception):
    """The schema is too much work, or says something that is not looked at where that would decide."""


def misfit(value: object, schema: object) -> str | None:
    """What does not fit: `input.city is 4, not of type string`; None when all fits or nothing can be said."""
    try:
        return _Fit(schema).fault(value, schema, "input", 0)
    except (_GiveUpError, RecursionError):  # the latter: values nested deeper than Python compares
        return None


class _Fit:
    def __init__(self, root: object) -> None:
        self._root = root
        self._steps = 0
        # In `not`, `oneOf` and `if` a value that passes only because nobody looked would be a fault.
        self._exact = 0

    def fault(self, value: object, schema: object, path: str, depth: int) -> str | None:
        self._steps += 1
        if self._steps > MOST_STEPS or depth > DEEPEST:
            raise _GiveUpError
        if schema is False:
            return f"{path} is not allowed"
        if not isinstance(schema, dict):
            return None
        if self._exact and not _UNSEEN.isdisjoint(schema):
            raise _GiveUpError
        for keyword, wanted in schema.items():
            check = _SIMPLE.get(keyword)
            found = check(value, wanted, path) if check is not None else None
            if found is not None:
                return found
        if "pattern" in schema and isinstance(value, str) and self._matches(schema["pattern"], value) is False:
            return f"{path} is {_shown(value)}, which does not match {_shown(schema['pattern'])}"
        for part, wanted, where in self._parts(value, schema, path):
            found = self.fault(part, wanted, where, depth + 1)
            if found is not None:
                return found
        return self._in_forms(value, schema, path, depth + 1)

    def _in_forms(self, value: object, schema: Mapping[str, object], path: str, depth: int) -> str | None:
        if "anyOf" in schema:
            faults = [self.fault(value, form, path, depth) for form in items(schema["anyOf"])]
            if faults and None not in faults:
                return faults[0] if len(faults) == 1 else f"{path} fits no form of anyOf"
        if items(schema.get("oneOf")):
            fits = sum(self._fits(value, form, path, depth) for form in items(schema["oneOf"]))
            if fits != 1:
                return f"{path} fits {fits} forms of oneOf, not one"
        if "not" in schema and self._fits(value, schema["not"], path, depth):
            return f"{path} fits what it must not"
        if "if" in schema:
            branch = "then" if self._fits(value, schema["if"], path, depth) else "else"
            return self.fault(value, schema.get(branch, True), path, depth)
        return None

    def _fits(self, value: object, schema: object, path: str, depth: int) -> bool:
        self._exact += 1
        fits = self.fault(value, schema, path, depth) is None
        self._exact -= 1
        return fits

    def _parts(self, value: object, schema: Mapping[str, object], path: str) -> Iterator[tuple[object, object, str]]:
        """What is compared further: a part of the value, its schema, and its path."""
        if "$ref" in schema:
            yield value, self._target(schema["$ref"]), path
        for one in items(schema.get("allOf")):
            yield value, one, path
        if isinstance(value, dict):
            yield from self._members(value, schema, path)
        elif isinstance(value, list):
            first = items(schema.get("prefixItems"))
            for index, item in enumerate(value):
                yield (
                    item,
                    first[index] if index < len(first) else schema.get("items", True),
                    f"{path}[{index}]",
                )

    def _members(
        self, value: Mapping[str, object], schema: Mapping[str, object], path: str
    ) -> Iterator[tuple[object, object, str]]:
        named = mapping(schema.get("properties"))
        patterns = mapping(schema.get("patternProperties"))
        for name, member in value.items():
            where = f"{path}.{name}"
            found = [self._matches(pattern, name) for pattern in patterns]
            if name in named:
                yield member, named[name], where
            elif not any(match is not False for match in found):
                yield member, schema.get("additionalProperties", True), where
            yield from ((member, one, where) for match, one in zip(found, patterns.values(), strict=True) if match)
            if "propertyNames" in schema:
                yield name, schema["propertyNames"], f"{path}: the name {_shown(name)}"

    def _target(self, reference: object) -> object:
        """What a reference inside the schema (`#/$defs/city`) means; any other means anything."""
        start, _, rest = (text(reference) or "").partition("#")
        node = self._root
        for step in rest.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            node = node[name] if isinstance(node, dict) and name in node else None
        if start or (rest and not rest.startswith("/")) or node is None:
            if self._exact:
                raise _GiveUpError
            return True
        return node

    def _matches(self, pattern: object, value: str) -> bool | None:
        """Whether a pattern is found; None where looking could take long."""
        found = _found(pattern, value)
        if found is None and self._exact:
            raise _GiveUpError
        return found


def _found(pattern: object, value: str) -> bool | None:
    if not isinstance(pattern, str) or len(pattern) > _LONGEST_PATTERN or len(value) > _LONGEST_MATCHED:
        return None
    if _RISKY.search(pattern) or len(_UNBOUNDED.findall(pattern)) > 1:
        return None
    try:
        return re.search(pattern, value) is not None
    except (re.error, RecursionError, OverflowError):
        return None


def _is(value: object, kind: object) -> bool:
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "number":
            return _number(value)
        case "integer":
            return _number(value) and (not isinstance(value, float) or value.is_integer())
    return True


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(left: object, right: object) -> bool:
    # JSON tells true from 1, Python does not; inside lists and objects that is let pass.
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _shown(value: object) -> str:
    return spelled(value, _SHOWN)


def _type(value: object, wanted: object, path: str) -> str | None:
    kinds = wanted if isinstance(wanted, list) else [wanted]
    if any(_is(value, kind) for kind in kinds):
        return None
    told = (kind if isinstance(kind, str) else _shown(kind) for kind in kinds)
    return f"{path} is {_shown(value)}, not of type {' or '.join(told)}"


def _enum(value: object, wanted: object, path: str) -> str | None:
    choices = items(wanted)
    if not isinstance(wanted, list) or any(_same(value, one) for one in choices):
        return None
    return f"{path} is {_shown(value)}, not one of {_shown(wanted)}"


def _const(value: object, wanted: object, path: str) -> str | None:
    return None if _same(value, wanted) else f"{path} is {_shown(value)}, not {_shown(wanted)}"


def _required(value: object, wanted: object, path: str) -> str | None:
    if not isinstance(value, dict):
        return None
    missing = next((name for name in items(wanted) if isinstance(name, str) and name not in value), None)
    return None if missing is None else f"{path} has no {missing!r}, which is required"


def _at_least(value: object, wanted: object, path: str) -> str | None:
    return _compared(value, wanted, path, lambda left, right: left >= right, "below the minimum")


def _at_most(value: object, wanted: object, path: str) -> str | None:
    return _compared(value, wanted, path, lambda left, right: left <= right, "above the maximum")


def _above(value: object, wanted: object, path: str) -> str | None:
    return _compared(value, wanted, path, lambda left, right: left > right, "not above")


def _below(value: object, wanted: object, path: str) -> str | None:
    return _compared(value, wanted, path, lambda left, right: left < right, "not below")


def _compared(
    value: object, wanted: object, path: str, holds: Callable[[float, float], bool], words: str
) -> str | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    if not isinstance(wanted, int | float) or isinstance(wanted, bool) or holds(value, wanted):
        return None
    return f"{path} is {_shown(value)}, {words} {_shown(wanted)}"


def _sized(
    kind: type[str | list[object] | dict[str, object]], *, least: bool
) -> Callable[[object, object, str], str | None]:
    def check(value: object, wanted: object, path: str) -> str | None:
        if not isinstance(value, kind) or not isinstance(wanted, int | float) or isinstance(wanted, bool):
            return None
        size = len(value)
        if size >= wanted if least else size <= wanted:
            return None
        return f"{path} has the length {size}, {'less' if least else 'more'} than {_shown(wanted)}"

    return check


_SIMPLE: Final[Mapping[str, Callable[[object, object, str], str | None]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "minimum": _at_least,
    "maximum": _at_most,
    "exclusiveMinimum": _above,
    "exclusiveMaximum": _below,
    "minLength": _sized(str, least=True),
    "maxLength": _sized(str, least=False),
    "minItems": _sized(list, least=True),
    "maxItems": _sized(list, least=False),
    "minProperties": _sized(dict, least=True),
    "maxProperties": _sized(dict, least=False),
}
