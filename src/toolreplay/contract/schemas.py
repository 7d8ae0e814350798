"""Where a tool's input schema breaks JSON Schema 2020-12, and where a strict one is not closed.

A table of the meta-schema in place of the `jsonschema` package: tools stand in every request, and there the
package costs 0.4 s to import and 8 ms a schema. The tests hold the table against the package. The walk has
an end for any schema, resolves no reference and runs no pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from toolreplay.wire.fields import mapping

from .wording import spelled

Fault: TypeAlias = tuple[str, str]
"""Where in the schema (`.properties.city`, "" for its root) and what is wrong there."""

TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
UNIONS: Final = ("oneOf", "allOf", "anyOf")
MOST_NODES: Final = 20_000
_SHOWN: Final = 40

_ONE: Final = frozenset(
    [
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
_LISTS: Final = frozenset({*UNIONS, "prefixItems"})
_MAPS: Final = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_COUNTS: Final = frozenset(
    [
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
    ]
)
_NUMBERS: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"})
_TEXTS: Final = frozenset(
    [
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "description",
        "format",
        "pattern",
        "title",
    ]
)
_FLAGS: Final = frozenset({"deprecated", "readOnly", "uniqueItems", "writeOnly"})


def fault_of(schema: object) -> Fault | None:
    """The first place where a schema is not valid by the 2020-12 meta-schema; formats are not looked at."""
    for where, node in _nodes(schema):
        if isinstance(node, bool):
            continue
        if not isinstance(node, dict):
            return where, f"{spelled(node, _SHOWN)} is no schema; a schema is an object or a boolean"
        for keyword, value in node.items():
            wrong = _CHECKS[keyword](value) if keyword in _CHECKS else None
            if wrong is not None:
                return f"{where}.{keyword}", f"{spelled(value, _SHOWN)} is not {wrong}"
    return None


def open_object(schema: object) -> str | None:
    """Where an object of a schema does not set `additionalProperties` to false, which `strict` asks for."""
    for where, node in _nodes(schema):
        if mapping(node).get("type") == "object" and mapping(node).get("additionalProperties") is not False:
            return where
    return None


def _nodes(schema: object) -> Iterator[tuple[str, object]]:
    """A schema and all schemas in it, outer ones first; the walk ends after `MOST_NODES`."""
    waiting: list[tuple[str, object]] = [("", schema)]
    for _ in range(MOST_NODES):
        if not waiting:
            return
        where, node = waiting.pop()
        yield where, node
        if isinstance(node, dict):
            waiting += reversed(list(_inside(where, node)))


def _inside(where: str, node: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for keyword, value in node.items():
        if keyword in _ONE:
            yield f"{where}.{keyword}", value
        elif keyword in _LISTS and isinstance(value, list):
            yield from ((f"{where}.{keyword}[{index}]", item) for index, item in enumerate(value))
        elif keyword in _MAPS and isinstance(value, dict):
            yield from ((f"{where}.{keyword}.{name}", item) for name, item in value.items())
        elif keyword == "dependencies" and isinstance(value, dict):
            yield from (
                (f"{where}.{keyword}.{name}", item) for name, item in value.items() if not isinstance(item, list)
            )


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _a_type(value: object) -> str | None:
    if isinstance(value, list):
        single = [item for item in value if isinstance(item, str) and item in TYPES]
        return None if value and len(set(single)) == len(value) else "a list of different JSON types"
    return None if isinstance(value, str) and value in TYPES else "a JSON type"


def _a_count(value: object) -> str | None:
    whole = _number(value) and isinstance(value, int | float) and value >= 0 and value == value // 1
    return None if whole else "a whole number from 0"


def _a_number(value: object) -> str | None:
    return None if _number(value) else "a number"


def _a_step(value: object) -> str | None:
    return None if _number(value) and isinstance(value, int | float) and value > 0 else "a number above 0"


def _a_text(value: object) -> str | None:
    return None if isinstance(value, str) else "a string"


def _a_flag(value: object) -> str | None:
    return None if isinstance(value, bool) else "a boolean"


def _a_list(value: object) -> str | None:
    return None if isinstance(value, list) else "a list"


def _a_full_list(value: object) -> str | None:
    return None if isinstance(value, list) and value else "a list with something in it"


def _an_object(value: object) -> str | None:
    return None if isinstance(value, dict) else "an object"


def _names(value: object) -> str | None:
    if isinstance(value, list) and all(isinstance(item, str) for item in value) and len(set(value)) == len(value):
        return None
    return "a list of different strings"


def _lists_of_names(value: object) -> str | None:
    whole = isinstance(value, dict) and all(_names(item) is None for item in value.values())
    return None if whole else "an object of lists of strings"


def _dependencies(value: object) -> str | None:
    whole = isinstance(value, dict) and all(_names(item) is None for item in value.values() if isinstance(item, list))
    return None if whole else "an object of schemas or lists of strings"


_CHECKS: Final[Mapping[str, Callable[[object], str | None]]] = {
    **dict.fromkeys(_LISTS, _a_full_list),
    **dict.fromkeys(_MAPS, _an_object),
    **dict.fromkeys(_COUNTS, _a_count),
    **dict.fromkeys(_NUMBERS, _a_number),
    **dict.fromkeys(_TEXTS, _a_text),
    **dict.fromkeys(_FLAGS, _a_flag),
    "dependencies": _dependencies,
    "dependentRequired": _lists_of_names,
    "enum": _a_list,
    "examples": _a_list,
    "multipleOf": _a_step,
    "required": _names,
    "type": _a_type,
}
