from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.errors import ScenarioError
from toolreplay.files.yaml import read_documents
from toolreplay.scenario.blank import blank_text
from toolreplay.scenario.load import load_text
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.writing import scenario_text, schema_beside
from toolreplay.wire.model import Wire

from .build import FULL

SCHEMA = "../schema/scenario.json"
WORDS = st.text(min_size=1).filter(str.strip) | st.sampled_from(["no", "12:30", "a\nb\n", " x", "\ud800", "{}", "a: b"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
ENTRIES = st.fixed_dictionaries(
    {"when": st.dictionaries(WORDS, JSON, max_size=2).map(lambda value: {"equals": value})},
    optional={"return": JSON, "id": WORDS, "times": st.integers(1, 3)},
)
TOOL = st.fixed_dictionaries(
    {
        "stub": st.lists(ENTRIES, min_size=1, max_size=3),
        "input_schema": st.just({"type": "object"}),
        "name": st.just("f"),
    },
    optional={"description": WORDS, "metadata": JSON},
)
TEXT = WORDS | st.lists(st.fixed_dictionaries({"text": WORDS, "type": st.just("text")}), min_size=1, max_size=2)
CALL = st.fixed_dictionaries({"tool": st.just("f")}, optional={"result": st.fixed_dictionaries({"content": JSON})})
STEP = st.fixed_dictionaries(
    {"user": TEXT},
    optional={
        "expect": st.fixed_dictionaries(
            {}, optional={"turns": st.integers(1, 9), "final_text": WORDS, "tool_calls": st.lists(CALL, max_size=2)}
        )
    },
)
FIELDS = st.fixed_dictionaries(
    {
        "conversation": st.lists(STEP, min_size=1, max_size=2),
        "tools": st.lists(TOOL, max_size=1),
        "model": WORDS,
        "version": st.just(1),
        "name": st.sampled_from(["x", "no", "1e5", "two cities, one: unknown"]),
    },
    optional={
        "system": TEXT,
        "history": st.lists(st.fixed_dictionaries({"content": TEXT, "role": st.just("user")}), max_size=2),
        "extra_body": st.dictionaries(WORDS.map(lambda word: f"x-{word}"), JSON, max_size=2),
        "betas": st.lists(WORDS, max_size=2),
    },
)


@given(FIELDS)
def test_a_scenario_that_is_written_is_the_same_when_it_is_read(fields: dict[str, Any]) -> None:
    fields = json.loads(json.dumps(fields))
    text = scenario_text(fields, SCHEMA)

    assert read_documents(text, "w.yaml")[0].data == fields
    try:
        expected = Scenario.model_validate(fields)
    except ValueError:
        return  # what is no scenario is the writer's business all the same
    assert load_text(text)[0].model_dump() == expected.model_dump()


def test_every_field_of_a_scenario_survives() -> None:
    fields = read_documents(FULL, "w.yaml")[0].data
    assert isinstance(fields, dict)
    assert load_text(scenario_text(fields, SCHEMA))[0].model_dump() == load_text(FULL)[0].model_dump()


def test_the_fields_stand_in_the_order_of_the_documentation() -> None:
    fields = {
        "conversation": [
            {
                "expect": {
                    "turns": 2,
                    "tool_calls": [{"result": {"content": "no", "status": "success"}, "input": {"a": 1}, "tool": "f"}],
                },
                "user": [{"text": "Hello.", "type": "text"}],
            }
        ],
        "tools": [
            {
                "stub": [{"return": "no", "when": {"a": 1}}],
                "input_schema": {
                    "properties": {"a": {"description": "A number.", "type": "integer"}},
                    "type": "object",
                },
                "name": "f",
                "strict": True,
            },
            {"name": "web_search", "type": "web_search_20250305"},
        ],
        "model": "m",
        "name": "x",
        "version": 1,
    }
    assert scenario_text(fields, SCHEMA, ["Drafted\nfrom a.yaml."]) == (
        "# yaml-language-server: $schema=../schema/scenario.json\n"
        "# Drafted from a.yaml.\n"
        "version: 1\n"
        "name: x\n"
        "model: m\n"
        "tools:\n"
        "  - name: f\n"
        "    input_schema: {type: object, properties: {a: {type: integer, description: A number.}}}\n"
        "    strict: true\n"
        "    stub:\n"
        "      - when: {a: 1}\n"
        '        return: "no"\n'
        "  - type: web_search_20250305\n"
        "    name: web_search\n"
        "conversation:\n"
        "  - user: [{type: text, text: Hello.}]\n"
        "    expect:\n"
        "      tool_calls:\n"
        "        - tool: f\n"
        "          input: {a: 1}\n"
        '          result: {status: success, content: "no"}\n'
        "      turns: 2\n"
    )


def test_a_number_that_no_file_can_hold_is_told() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario_text({"name": "x", "extra_body": {"temperature": float("nan")}}, SCHEMA)
    assert str(caught.value) == "x: nan is no number that a file can hold; leave it out"


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        ("scenarios/a.yaml", "../schema/scenario.json"),
        ("scenarios/a/b.yaml", "../../schema/scenario.json"),
        ("a.yaml", "schema/scenario.json"),
    ],
)
def test_the_schema_is_named_from_where_the_file_is(file: str, schema: str, tmp_path: Path) -> None:
    assert schema_beside(tmp_path / file, tmp_path) == schema


@pytest.mark.parametrize("wire", Wire)
@pytest.mark.parametrize("name", ["weather", "123", "no"])
def test_the_scenario_to_start_with_is_one(name: str, wire: Wire) -> None:
    [scenario] = load_text(blank_text(name, SCHEMA, wire))
    assert (scenario.name, scenario.wire, scenario.script is None) == (name, wire, False)
