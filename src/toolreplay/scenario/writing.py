"""Scenarios as files: what `load` reads, with the fields in the order of the documentation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from toolreplay.errors import ScenarioError
from toolreplay.files.yaml_writing import yaml_text

from .model import Scenario
from .steps import Expectation, ExpectedCall, ExpectedResult, UserStep
from .tools import StubEntry

Fields: TypeAlias = Mapping[str, Any]

_SCHEMA: Final = "schema/scenario.json"  # below the root: where docs/write-a-scenario.md has it saved
# Fields that a person writes over several lines, however short they are.
_OPENED: Final = frozenset({"conversation", "expect", "script", "stub", "tool_calls", "tools"})


def scenario_text(fields: Fields, schema: str, comments: Iterable[str] = ()) -> str:
    """A scenario file, which reads back as the same fields.

    Args:
        fields: the scenario as a file has it, a mapping of JSON's values.
        schema: where the JSON Schema of scenario files is, relative to the file.
        comments: lines for whoever opens the file.

    Raises:
        ScenarioError: a number that no scenario file can hold.
    """
    try:
        text = yaml_text(_ordered(fields), opened=_OPENED)
    except ValueError as error:
        raise ScenarioError(f"{fields.get('name', 'scenario')}: {error}; leave it out") from None
    head = (schema_line(schema), *(f"# {_on_a_line(comment)}" for comment in comments))
    return "".join(f"{line}\n" for line in head) + text


def _on_a_line(comment: str) -> str:
    return "".join(character if character.isprintable() else " " for character in comment)


def schema_line(schema: str) -> str:
    """The comment by which editors complete and check a scenario file."""
    return f"# yaml-language-server: $schema={schema}"


def schema_beside(path: Path, root: Path) -> str:
    """Where the schema of a project is, relative to the folder of a scenario file: `../schema/scenario.json`."""
    return Path(os.path.relpath(root / _SCHEMA, path.parent)).as_posix()


def _ordered(fields: Fields) -> dict[str, Any]:
    found = _sorted(fields, _names(Scenario))
    for name, order in (("system", _block), ("tools", _tool), ("history", _message), ("conversation", _step)):
        if name in found:
            found[name] = _each(found[name], order)
    return found


def _block(fields: Fields) -> dict[str, Any]:
    return _sorted(fields, ("type", "id", "name"))


def _message(fields: Fields) -> dict[str, Any]:
    found = _sorted(fields, ("role", "content"))
    return {**found, **{name: _each(value, _block) for name, value in found.items() if name == "content"}}


def _schema(fields: Fields) -> dict[str, Any]:
    """A JSON Schema, with what it is first at every level of its properties."""
    found = _sorted(fields, ("type", "description", "properties", "required"))
    if isinstance(found.get("properties"), Mapping):
        found["properties"] = {name: _each(value, _schema) for name, value in found["properties"].items()}
    return found


def _tool(fields: Fields) -> dict[str, Any]:
    """A tool, its stub at the end."""
    found = _sorted(fields, ("type", "name", "description", "input_schema") if "type" in fields else ("name",))
    if isinstance(found.get("input_schema"), Mapping):
        found["input_schema"] = _schema(found["input_schema"])
    if "stub" in found:
        stub = found.pop("stub")
        found["stub"] = _each(stub, lambda entry: _sorted(entry, _names(StubEntry)))
    return found


def _step(fields: Fields) -> dict[str, Any]:
    found = _sorted(fields, ("approve", *_names(UserStep)))
    if "user" in found:
        found["user"] = _each(found["user"], _block)
    expect = found.get("expect")
    if isinstance(expect, Mapping):
        found["expect"] = _sorted(expect, _names(Expectation))
        if "tool_calls" in expect:
            found["expect"]["tool_calls"] = _each(expect["tool_calls"], _call)
    return found


def _call(fields: Fields) -> dict[str, Any]:
    found = _sorted(fields, _names(ExpectedCall))
    if isinstance(found.get("result"), Mapping):
        found["result"] = _sorted(found["result"], _names(ExpectedResult))
    return found


def _each(value: Any, order: Callable[[Fields], dict[str, Any]]) -> Any:
    """A mapping, or a list of them, each in order; anything else as it is."""
    if isinstance(value, Mapping):
        return order(value)
    return [order(item) if isinstance(item, Mapping) else item for item in value] if isinstance(value, list) else value


def _names(part: type[Any]) -> tuple[str, ...]:
    """The fields of a part of a scenario, as files have them."""
    return tuple(field.alias or name for name, field in part.model_fields.items())


def _sorted(fields: Fields, names: Iterable[str]) -> dict[str, Any]:
    """The fields that are named in their order, then the others in theirs."""
    order = [name for name in names if name in fields]
    return {name: fields[name] for name in (*order, *(name for name in fields if name not in order))}
