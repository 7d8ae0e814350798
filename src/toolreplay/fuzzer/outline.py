"""A drawn scenario in a few lines, for whoever prints a case: the document itself may be megabytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Json = dict[str, Any]

_VALUE: Final = 60  # characters of a value that are shown
_LINES: Final = 30
_CALLS: Final = 8  # of a reply that are shown


def outline(document: Json) -> list[str]:
    """A line for each prompt and each reply: `add({"a": 1}) raise: ValueError "mark-01"`."""
    lines = list(_lines(document))
    return lines if len(lines) <= _LINES else [*lines[:_LINES], f"and {len(lines) - _LINES} more"]


def entries_of(tool: Json) -> Iterator[Mapping[str, Any]]:
    """The entries of a tool's stub, which may be a single one."""
    stub = tool.get("stub", ())
    yield from [stub] if isinstance(stub, dict) else stub


def entry_for(tools: list[Json], name: str, given: object) -> Mapping[str, Any]:
    """The entry that answers a call; an empty one where there is none."""
    entries = (entry for tool in tools if tool.get("name") == name for entry in entries_of(tool))
    return next((entry for entry in entries if _answers(entry, given)), {})


def _answers(entry: Mapping[str, Any], given: object) -> bool:
    when = entry.get("when", given)
    return bool(when == given or (isinstance(when, dict) and "equals" in when and when["equals"] == given))


def _lines(document: Json) -> Iterator[str]:
    for step in document["conversation"]:
        yield f"user: {_short(step.get('user'))}"
        for reply in step.get("script", ()):
            yield ", ".join(_parts(reply, document["tools"])) or "text"


def _parts(reply: Json, tools: list[Json]) -> Iterator[str]:
    """The calls of a reply, and what else there is to say of it: a stop reason, or what comes in its place."""
    calls = [block for block in reply.get("content", ()) if block.get("type") == "tool_use"]
    yield from (_call(block, tools) for block in calls[:_CALLS])
    if len(calls) > _CALLS:
        yield f"{len(calls) - _CALLS} more calls"
    yield from (f"{key}: {_short(value)}" for key, value in reply.items() if key != "content")


def _call(block: Json, tools: list[Json]) -> str:
    """A call, and what its tool does."""
    name, given = block["name"], block["input"]
    entry = entry_for(tools, name, given)
    does = [f" {key}: {_outcome(value)}" for key, value in entry.items() if key != "when"]
    return f"{name}({_short(given)}){''.join(does)}"


def _outcome(value: Any) -> str:
    if isinstance(value, dict) and value.keys() == {"type", "message"}:
        return f"{value['type']} {_short(value['message'])}"
    return _short(value)


def _short(value: object) -> str:
    written = json.dumps(value, default=repr)
    return written if len(written) <= _VALUE else f"{written[:_VALUE]}..."
