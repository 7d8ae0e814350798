from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic
import pytest
from jsonschema import Draft202012Validator

from toolreplay.files.yaml import read_documents, read_file
from toolreplay.scenario.schema import json_schema, schema_text

from .build import FULL, HEAD, HELLO, TOOL
from .test_errors import SOUND

ROOT = Path(__file__).resolve().parents[2]


def _faults(text: str) -> list[str]:
    validator = Draft202012Validator(json_schema())
    return [
        error.message for document in read_documents(text, "w.yaml") for error in validator.iter_errors(document.data)
    ]


@pytest.mark.skipif(
    tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 11),
    reason="older pydantic spells the schema differently",
)
def test_the_file_is_up_to_date() -> None:
    assert (ROOT / "schema" / "scenario.json").read_text(encoding="utf-8") == schema_text()


def test_it_is_json_schema() -> None:
    Draft202012Validator.check_schema(json_schema())
    assert json_schema()["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


@pytest.mark.parametrize("case", [case for case in SOUND if case.id != "trailing-marker"], ids=lambda case: case.id)
def test_sound_scenarios_fit(case: Any) -> None:
    assert _faults(case.text) == []


@dataclass(frozen=True)
class Case:
    id: str
    text: str


BROKEN = [
    Case("field", f"{HEAD}strem: true\n{HELLO}"),
    Case("no-model", f"version: 1\nname: x\n{HELLO}"),
    Case("version", f"version: 2\nname: x\nmodel: m\n{HELLO}"),
    Case("no-step", f"{HEAD}conversation: []\n"),
    Case("step", f"{HEAD}conversation: [{{usr: x}}]\n"),
    Case("user", f"{HEAD}conversation: [{{user: 1}}]\n"),
    Case("turns", f"{HEAD}conversation: [{{user: x, expect: {{turns: many}}}}]\n"),
    Case("order", f"{HEAD}conversation: [{{user: x, expect: {{order: random}}}}]\n"),
    Case("stub", f"{HEAD}{TOOL}    stub: {{retrun: 1}}\n{HELLO}"),
    Case("stub-list", f"{HEAD}{TOOL}    stub: [{{garbage: everything}}]\n{HELLO}"),
    Case("reply", f"{HEAD}script: [{{http_error: 200}}]\n{HELLO}"),
    Case("rule", f"{HEAD}allow: [{{rule: X, reason: r}}]\n{HELLO}"),
    Case("history", f"{HEAD}history: [{{role: usr, content: x}}]\n{HELLO}"),
]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.id)
def test_broken_scenarios_do_not_fit(case: Case) -> None:
    assert _faults(case.text) != []


def test_short_forms_fit() -> None:
    text = f"{HEAD}{TOOL}    stub: {{return: 1}}\nconversation: [{{user: x, expect: {{turns: 2}}}}]\n"

    assert _faults(text) == []
    assert _faults(FULL) == []


def test_the_scenarios_of_this_repository_fit() -> None:
    validator = Draft202012Validator(json_schema())
    for path in sorted((ROOT / "scenarios").rglob("*.yaml")):
        for document in read_file(path, path.name):
            assert [error.message for error in validator.iter_errors(document.data)] == [], path


def test_every_field_is_described() -> None:
    schema = json_schema()
    for name, part in {"": schema, **schema["$defs"]}.items():
        for field, description in part.get("properties", {}).items():
            assert description.get("description"), f"{name}.{field}"
