"""The table of the meta-schema and the comparison of inputs, held against the `jsonschema` package."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, SchemaError
from referencing import Registry

from toolreplay.contract.fitting import misfit
from toolreplay.contract.schemas import fault_of, open_object

Json = dict[str, Any]

SCALARS: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.sampled_from(
        ["a", "object", "string", "integer", "", 0.5, 2.0, [], ["a", "a"], ["a", "b"], {}, ["string", "null"]]
    )
)
ONE = st.sampled_from(["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"])
MANY = st.sampled_from(["allOf", "anyOf", "oneOf", "prefixItems"])
NAMED = st.sampled_from(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"])
PLAIN = st.sampled_from(
    [
        "$comment",
        "const",
        "default",
        "dependentRequired",
        "deprecated",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "nullable",
        "required",
        "title",
        "type",
        "uniqueItems",
        "writeOnly",
    ]
)


def any_schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Right and wrong values under every keyword."""
    parts = [
        st.dictionaries(PLAIN, SCALARS, max_size=3),
        st.dictionaries(ONE, inner, max_size=1),
        st.dictionaries(MANY, st.lists(inner, max_size=2) | SCALARS, max_size=1),
        st.dictionaries(NAMED, st.dictionaries(st.sampled_from("ab"), inner, max_size=2) | SCALARS, max_size=1),
    ]
    return st.tuples(*parts).map(lambda found: {key: value for part in found for key, value in part.items()})


ANY_SCHEMA = st.recursive(SCALARS, any_schema, max_leaves=8)


@settings(deadline=None, max_examples=300)
@given(ANY_SCHEMA)
@example({"exclusiveMinimum": True})
@example({"items": [{"type": "string"}]})
@example({"properties": {"a": {"required": True}}})
@example({"minLength": 2.0})
@example({"type": ["string", "string"]})
def test_a_schema_is_valid_where_the_package_says_so(schema: Any) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        valid = False
    else:
        valid = True
    assert (fault_of(schema) is None) is valid


FAULTS: list[tuple[Any, tuple[str, str]]] = [
    ({"type": "int"}, (".type", "'int' is not a JSON type")),
    (
        {"properties": {"a": {"required": True}}},
        (".properties.a.required", "True is not a list of different strings"),
    ),
    ({"items": [{}]}, (".items", "[{}] is no schema; a schema is an object or a boolean")),
    ({"anyOf": []}, (".anyOf", "[] is not a list with something in it")),
    (
        {"dependencies": {"a": ["b", "b"]}},
        (".dependencies", "{'a': ['b', 'b']} is not an object of schemas or lists of strings"),
    ),
]


@pytest.mark.parametrize(("schema", "fault"), FAULTS, ids=str)
def test_a_fault_is_told_with_its_place(schema: Any, fault: tuple[str, str]) -> None:
    assert fault_of(schema) == fault


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "object", "additionalProperties": False}, None),
        ({"type": "object"}, ""),
        (
            {"type": "object", "additionalProperties": False, "properties": {"a": {"type": "object"}}},
            ".properties.a",
        ),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}}, ".items.anyOf[1]"),
    ],
)
def test_strict_schemas_are_closed(schema: Any, where: str | None) -> None:
    assert open_object(schema) == where


TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
KEYWORDS: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(st.sampled_from(["a", "b", 1, 2, None]), min_size=1, max_size=3),
        "const": st.sampled_from(["a", 1, None]),
        "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
        "minimum": st.integers(-1, 2),
        "maximum": st.integers(-1, 2),
        "exclusiveMinimum": st.integers(-1, 2),
        "exclusiveMaximum": st.integers(-1, 2),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 2),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "pattern": st.sampled_from(["^a", "b$", "^[a-b]+$", "^.{2}$"]),
    },
)


def good_schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    nested = st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "c"]), inner, max_size=1),
            "additionalProperties": inner,
            "propertyNames": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    )
    return st.tuples(KEYWORDS, nested).map(lambda parts: {**parts[0], **parts[1]})


GOOD_SCHEMA = st.recursive(st.booleans() | KEYWORDS, good_schema, max_leaves=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, 1.0, "", "a", "b", "ab", "c"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=500)
@given(schema=GOOD_SCHEMA, value=VALUES)
def test_an_input_fits_where_the_package_says_so(schema: Any, value: Any) -> None:
    valid = Draft202012Validator(schema, registry=Registry()).is_valid(value)
    assert (misfit(value, schema) is None) is valid


MISFITS: list[tuple[Any, Json, str]] = [
    ({}, {"required": ["city"]}, "input has no 'city', which is required"),
    ({"city": 4}, {"properties": {"city": {"type": "string"}}}, "input.city is 4, not of type string"),
    ({"a": 1}, {"additionalProperties": False}, "input.a is not allowed"),
    ({"u": "k"}, {"properties": {"u": {"enum": ["c", "f"]}}}, "input.u is 'k', not one of ['c', 'f']"),
    (
        {"n": [1, "x"]},
        {"properties": {"n": {"items": {"type": "integer"}}}},
        "input.n[1] is 'x', not of type integer",
    ),
    ({"n": 9}, {"properties": {"n": {"maximum": 5}}}, "input.n is 9, above the maximum 5"),
    ({"s": ""}, {"properties": {"s": {"minLength": 1}}}, "input.s has the length 0, less than 1"),
    ({"s": "x"}, {"properties": {"s": {"pattern": "^a"}}}, "input.s is 'x', which does not match '^a'"),
    (
        {"s": 1},
        {"properties": {"s": {"anyOf": [{"type": "null"}, {"type": "string"}]}}},
        "input.s fits no form of anyOf",
    ),
    (
        {"s": 1},
        {"properties": {"s": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "null"}}},
        "input.s is 1, not of type null",
    ),
]


@pytest.mark.parametrize(("value", "schema", "words"), MISFITS, ids=[words for _, _, words in MISFITS])
def test_a_misfit_is_told(value: Any, schema: Json, words: str) -> None:
    assert misfit(value, schema) == words


def deep(levels: int) -> Json:
    schema: Json = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


def deep_value(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


DOUBLING = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(40)}
HOSTILE: dict[str, tuple[Any, Any]] = {
    "a pattern that runs for ever": ("a" * 40 + "!", {"pattern": "^(a+)+$"}),
    "quantifiers in a row": ("a" * 250, {"pattern": "a*a*a*a*a*b"}),
    "a pattern that is none": ("a", {"pattern": "("}),
    "a reference to itself": ({}, {"$ref": "#"}),
    "a condition on itself": ({}, {"if": {"$ref": "#"}}),
    "references that double": ({}, {"$ref": "#/$defs/d0", "$defs": DOUBLING}),
    "a remote reference": ({}, {"$ref": "http://127.0.0.1:9/schema.json"}),
    "a remote reference in not": ({}, {"not": {"$ref": "http://127.0.0.1:9/schema.json"}}),
    "a reference into nothing": ({}, {"$ref": "#/$defs/none"}),
    "nested deeply": (deep_value(900), deep(900)),
    "forms in forms": ({}, {"oneOf": [{"oneOf": [{"$ref": "#"}] * 9}] * 9}),
    "a format that decides": ("x", {"not": {"format": "date"}}),
    "wrong everywhere": ({}, {"properties": 1, "required": "a", "anyOf": {}, "enum": 4, "minLength": "x"}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_neither_hangs_nor_raises_nor_accuses(name: str) -> None:
    value, schema = HOSTILE[name]
    started = time.process_time()
    assert misfit(value, schema) is None
    fault_of(schema)
    open_object(schema)
    assert time.process_time() - started < 1.0
