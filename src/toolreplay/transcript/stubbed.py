"""Recorded calls as stubs that return what was recorded, and as the calls that a scenario expects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolreplay.scenario.matcher_faults import MATCHERS, faults_of_arguments, faults_of_content
from toolreplay.scenario.matchers import mismatch
from toolreplay.scenario.nearest import nearest
from toolreplay.wire import mapping_back
from toolreplay.wire.mapping import UnmappableError
from toolreplay.wire.model import MISSING, Text, ToolResult, Wire

from .model import Call

_SHORT: Final = 60  # characters that an expectation holds of a text


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of a draft, as far as writing their calls needs them.

    Attributes:
        arguments: the arguments that each tool's schema names.
    """

    arguments: Mapping[str, frozenset[str]]
    wire: Wire


def tools_of(definitions: Iterable[Mapping[str, Any]], wire: Wire) -> Tools:
    """What is known of tools in Messages shape."""
    found = {}
    for tool in definitions:
        schema = tool.get("input_schema")
        names = schema.get("properties") if isinstance(schema, dict) else None
        found[str(tool.get("name"))] = frozenset(names if isinstance(names, dict) else ())
    return Tools(found, wire)


def stub_entries(calls: Sequence[Call], tools: Tools) -> list[dict[str, Any]]:
    """Entries that answer the calls of one tool as they were answered, in an order in which none hides another.

    Of equal inputs with different results, each has the entry of its id; the last one answers any further call.
    """
    by_input: dict[str, list[Call]] = {}
    for call in calls:
        if call.result is not None and isinstance(call.use.input, dict):
            by_input.setdefault(json.dumps(call.use.input, sort_keys=True), []).append(call)
    groups: list[list[Call]] = []
    for group in by_input.values():
        # An input that another holds with more besides stands behind it: `when` is a subset.
        at = next((n for n, other in enumerate(groups) if _covers(arguments(other[0], tools), group[0])), len(groups))
        groups.insert(at, group)
    return [entry for group in groups for entry in _entries(group, tools)]


def _covers(expected: Mapping[str, Any] | None, call: Call) -> bool:
    return expected is None or mismatch(expected, call.use.input, "input", subset=True) is None


def _entries(group: Sequence[Call], tools: Tools) -> Iterable[dict[str, Any]]:
    outcomes = [outcome(call.result, tools.wire) for call in group if call.result is not None]
    when = arguments(group[0], tools)
    matched = {} if when is None else {"when": when}
    last = len(outcomes) - 1
    if all(one == outcomes[0] for one in outcomes):
        return [{**matched, **outcomes[0]}]
    return [
        {**matched, **({"id": call.use.id} if index < last else {}), **outcomes[index]}
        for index, call in enumerate(group)
    ]


def arguments(call: Call, tools: Tools) -> dict[str, Any] | None:
    """A call's input as `when` and `input` match it; None for no arguments at all, which any input has."""
    value = call.use.input
    if not isinstance(value, dict) or not value:
        return None
    names = tools.arguments.get(call.use.name or "", frozenset())
    unknown = [name for name in value if name not in names]
    if any(nearest(name, names, 0.75) for name in unknown) or _looks_like_matchers(value):
        return {"equals": value}
    return value if next(faults_of_arguments(value), None) is None else {"equals": value}


def _looks_like_matchers(value: object) -> bool:
    """Whether plain data holds what a scenario would take for a matcher."""
    if isinstance(value, dict):
        return (bool(value) and all(key in MATCHERS for key in value)) or any(map(_looks_like_matchers, value.values()))
    return isinstance(value, list) and any(map(_looks_like_matchers, value))


def outcome(result: ToolResult, wire: Wire) -> dict[str, Any]:
    """What a stub does so that the reference loop sends the result again."""
    if result.is_error:
        return {"error": result.text}
    if result.content is MISSING or not result.content:
        return {"return": ""}
    if len(result.parts) == 1 and isinstance(result.parts[0], Text):
        return {"return": _value(result.text, wire)}
    if wire is Wire.CONVERSE:
        blocks = result.content if isinstance(result.content, list) else []
        if len(blocks) == 1 and isinstance(blocks[0], dict) and isinstance(blocks[0].get("json"), dict):
            return {"return": blocks[0]["json"]}
        return {"blocks": [part for block in blocks for part in _part(block)]}
    return {"blocks": result.content} if isinstance(result.content, list) else {"return": result.text}


def _part(block: object) -> list[Any]:
    """A block of a Converse result; what the Messages API has no place for stands as JSON text."""
    try:
        mapped = mapping_back.content([block])
    except UnmappableError:
        mapped = json.dumps(block, ensure_ascii=False)
    return [{"type": "text", "text": mapped}] if isinstance(mapped, str) else mapped


def _value(text: str, wire: Wire) -> Any:
    """The value that the reference loop sends as this text; the text itself where there is none but that."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # On Converse an object goes out as `json`, not as text; a list of content blocks goes out as blocks.
    is_plain = isinstance(value, int | float | list) or (isinstance(value, dict) and wire is not Wire.CONVERSE)
    if not is_plain or isinstance(value, bool) or (isinstance(value, list) and any(map(_is_mapping, value))):
        return text
    try:
        return value if json.dumps(value, ensure_ascii=False, allow_nan=False) == text else text
    except ValueError:
        return text


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def expected_call(call: Call, tools: Tools) -> dict[str, Any]:
    """A call and its result as a scenario expects them, long texts cut to what tells them apart."""
    found: dict[str, Any] = {"tool": call.use.name}
    given = arguments(call, tools)
    if given is not None:
        found["input"] = given if "equals" in given else {name: _shortened(value) for name, value in given.items()}
    if call.use.name not in tools.arguments or not isinstance(call.use.input, dict):
        return {**found, "result": {"status": "error"}}  # no tool runs, and the loop has to say so
    if call.result is None:
        return found
    status = "error" if call.result.is_error else "success"
    content = _expected_content(call.result, tools.wire)
    return {**found, "result": {"status": status, **content}}


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _SHORT and excerpt(value):
        return {"contains": excerpt(value)}
    return value


def _expected_content(result: ToolResult, wire: Wire) -> dict[str, Any]:
    """`content` of an expected result; nothing where the result holds no text."""
    sent = outcome(result, wire)
    value = sent.get("return", result.text)
    if isinstance(value, str):
        if not value.strip():
            return {}
        is_short = len(value) <= _SHORT and "\n" not in value
        return {"content": value if is_short else {"contains": excerpt(value)}}
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _SHORT:
        return {"content": {"contains": excerpt(text)}}
    literal = _looks_like_matchers(value) or next(faults_of_content(value), None) is not None
    return {"content": {"equals": value} if literal else value}


def excerpt(text: str) -> str:
    """The beginning of a text's first line that is not blank, cut between words; empty where it has none."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    if len(line) <= _SHORT:
        return line
    cut = line[:_SHORT].rpartition(" ")[0].strip()
    return cut or line[:_SHORT]
