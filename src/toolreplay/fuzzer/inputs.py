"""Inputs for a tool's calls, drawn from its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from toolreplay.wire.fields import items, mapping

Json = dict[str, Any]

_WORDS: Final = st.sampled_from(["a", "b", "Oslo", "two words", "", "ünï ☂", 'quo"ted', "line\nline"])
_NUMBERS: Final = st.sampled_from([0, 1, -1, 17, 10**12])
# What the client's own tools take (docs: agents-and-tools/tool-use/bash-tool, text-editor-tool, memory-tool).
_OWN_TOOLS: Final[Mapping[str, Json]] = {
    "bash_": {"command": "ls"},
    "text_editor_": {"command": "view", "path": "/repo/a.py"},
    "memory_": {"command": "view", "path": "/memories"},
    "computer_": {"action": "screenshot"},
}


def inputs(tool: Mapping[str, Any]) -> SearchStrategy[Json]:
    """Inputs that fit a tool definition: its required properties, and some of the others.

    Constraints that are rare in tools (patterns, bounds, references) are not read: an input that breaks one is an
    input that models send as well.
    """
    kind = str(tool.get("type") or "custom")
    for prefix, example in _OWN_TOOLS.items():
        if kind.startswith(prefix):
            return st.just(example)
    found = _object(tool.get("input_schema"))
    return found.map(lambda drawn: drawn if isinstance(drawn, dict) else {})


def plainest(tool: Mapping[str, Any], number: int = 0) -> Json:
    """An input that fits a tool definition, the plainest there is; of another number another one, where it can be.

    Args:
        number: 0 or 1.
    """
    kind = str(tool.get("type") or "custom")
    for prefix, example in _OWN_TOOLS.items():
        if kind.startswith(prefix):
            return example
    found = _plainest(tool.get("input_schema"), number) if "input_schema" in tool else {}
    return found if isinstance(found, dict) else {}


def deepest(tool: Mapping[str, Any]) -> Json:
    """The plainest input that fits a tool definition, with each object and list that it may hold."""
    properties = mapping(mapping(tool.get("input_schema")).get("properties"))
    nested = {str(name): value for name, one in properties.items() if is_nested(value := _plainest(one, 0))}
    return {**plainest(tool), **nested}


def is_nested(value: object) -> bool:
    """Whether a value of an input is one that a function could change in its caller's hands."""
    return isinstance(value, dict | list)


def unfit(tool: Mapping[str, Any]) -> tuple[Json, ...]:
    """Inputs that break a tool's schema: a required property left out, or one of another type."""
    names = [str(name) for name in mapping(mapping(tool.get("input_schema")).get("properties"))]
    return {}, *({name: [{"of": "another type"}]} for name in names[:3])


def _value(schema: object) -> SearchStrategy[Any]:
    if not isinstance(schema, dict):
        return _WORDS
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    match kind:
        case "integer" | "number":
            return _NUMBERS
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return st.lists(_value(schema.get("items")), max_size=3)
        case "object":
            return _object(schema)
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list) and schema[union]:
            return st.one_of([_value(one) for one in schema[union]])
    return _WORDS


def _plainest(schema: object, number: int) -> Any:
    if not isinstance(schema, dict):
        return "ab"[number]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][min(number, len(schema["enum"]) - 1)]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) and kind else kind:
        case "integer" | "number":
            return number
        case "boolean":
            return bool(number)
        case "null":
            return None
        case "array":
            return [_plainest(schema.get("items"), number)]
        case "object":
            properties = mapping(schema.get("properties"))
            return {name: _plainest(properties.get(name), number) for name in map(str, items(schema.get("required")))}
    unions = (*items(schema.get("anyOf")), *items(schema.get("oneOf")))
    return _plainest(unions[0] if unions else None, number)


def _object(schema: object) -> SearchStrategy[Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict):
        return st.just({})
    listed = schema.get("required")
    required = set(listed) if isinstance(listed, list) else set()
    needed = {name: _value(one) for name, one in properties.items() if name in required}
    optional = {name: _value(one) for name, one in properties.items() if name not in required}
    return st.fixed_dictionaries(needed, optional=optional)
