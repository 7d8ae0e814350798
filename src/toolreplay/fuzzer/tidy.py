"""Making a smallest case smaller still for the eye: what the fault does not need is left out of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from pydantic import ValidationError

from .case import Case
from .playing import Played

Json = dict[str, Any]

_MOST_PLAYS: Final = 200


def tidy(case: Case, kind: str, play: Callable[[Case], Played]) -> Case:
    """The case without what its fault does not need. Each step is played: it shows the fault, and none beside it."""
    tried = {case.key}
    shown = _errors(case, play)
    while len(tried) < _MOST_PLAYS:
        for document in _smaller(case.document):
            candidate = Case(document, case.hostile)
            if candidate.key not in tried:
                tried.add(candidate.key)
                errors = _errors(candidate, play)
                if kind in errors and errors <= shown:
                    case = candidate
                    break  # and look again at what is left
        else:
            break
    return case


def _errors(case: Case, play: Callable[[Case], Played]) -> set[str]:
    try:
        return {fault.kind for fault in play(case).faults if fault.is_error}
    except ValidationError:  # what was left out is needed after all
        return set()


def _smaller(document: Json) -> Iterator[Json]:
    steps = document["conversation"]
    for index in reversed(range(len(steps) if len(steps) > 1 else 0)):
        yield {**document, "conversation": [*steps[:index], *steps[index + 1 :]]}
    yield {**document, "conversation": [_without(step, "expect") for step in steps]}
    yield {**document, "conversation": [{**step, "user": "Go on."} for step in steps]}
    for fewer in _fewer(steps):
        yield {**document, "conversation": fewer}
    yield {**document, "conversation": _short_ids(steps)}
    used = _used(steps)
    needed = [tool for tool in document["tools"] if tool.get("name") in used]
    yield {**document, "tools": needed or document["tools"][:1]}  # without any the API would ask for none
    for tools in _fewer_entries(document["tools"]):
        yield {**document, "tools": tools}
    yield {**document, "tools": [_plain_entries(tool) for tool in document["tools"]]}
    yield {**document, "tools": [_plain(tool) for tool in document["tools"]]}
    for name in ("max_turns", "max_tokens", "system", "betas", "tool_choice", "extra_body", "history", "thinking"):
        if name in document:
            yield _without(document, name)


def _fewer(steps: list[Json]) -> Iterator[list[Json]]:
    """The steps without one of their replies, or without one block of a reply."""
    for at, step in enumerate(steps):
        script = step.get("script", [])
        for number, reply in enumerate(script):
            yield [*steps[:at], _scripted(step, [*script[:number], *script[number + 1 :]]), *steps[at + 1 :]]
            content = reply.get("content", [])
            for index in range(len(content) if len(content) > 1 else 0):
                rest = {**reply, "content": [*content[:index], *content[index + 1 :]]}
                smaller = [*script[:number], rest, *script[number + 1 :]]
                yield [*steps[:at], _scripted(step, smaller), *steps[at + 1 :]]


def _scripted(step: Json, script: list[Json]) -> Json:
    return {**step, "script": script} if script else _without(step, "script")


def _short_ids(steps: list[Json]) -> list[Json]:
    """The steps with ids that are quick to read, in place of recorded ones."""
    names: dict[str, str] = {}

    def renamed(block: Json) -> Json:
        if block.get("type") != "tool_use":
            return block
        return {**block, "id": names.setdefault(block["id"], f"toolu_{len(names) + 1}")}

    def reply(fields: Json) -> Json:
        return {**fields, "content": [*map(renamed, fields["content"])]} if "content" in fields else fields

    return [{**step, "script": [*map(reply, step["script"])]} if "script" in step else step for step in steps]


def _used(steps: list[Json]) -> set[str]:
    blocks = (block for step in steps for reply in step.get("script", ()) for block in reply.get("content", ()))
    return {block["name"] for block in blocks if block.get("type") == "tool_use"}


def _fewer_entries(tools: list[Json]) -> Iterator[list[Json]]:
    """The tools with one entry alone in a stub, which then takes every call, or without one of its entries."""
    for at, tool in enumerate(tools):
        stub = tool.get("stub")
        entries = stub if isinstance(stub, list) else []
        alone = [_without(entry, "when") for entry in entries]
        fewer = [[*entries[:index], *entries[index + 1 :]] for index in range(len(entries) if len(entries) > 1 else 0)]
        for smaller in (*alone, *fewer):
            yield [*tools[:at], {**tool, "stub": smaller}, *tools[at + 1 :]]


def _plain_entries(tool: Json) -> Json:
    """The tool without the entry for changed inputs, and with inputs written as they are."""
    stub = tool.get("stub")
    if not isinstance(stub, list) or len(stub) < 2:
        return tool
    return {**tool, "stub": [_plain_input(entry) for entry in stub[:-1]]}


def _plain_input(entry: Json) -> Json:
    when = entry.get("when", {})
    return {**entry, "when": when["equals"]} if "equals" in when else entry


def _plain(tool: Json) -> Json:
    """The tool without its description, and with a schema that takes anything."""
    if "input_schema" not in tool:
        return tool
    return {**_without(tool, "description"), "input_schema": {"type": "object"}}


def _without(mapping: Json, name: str) -> Json:
    return {key: value for key, value in mapping.items() if key != name}


def lone_calls(case: Case) -> Iterator[Case]:
    """The case cut down to one prompt and one call, for each call whose tool has an entry; the likeliest cause first.

    For a loop that does not end: every try costs its deadline, so only the best are made.
    """
    tools = {tool["name"]: tool for tool in case.document["tools"] if isinstance(tool.get("stub"), list)}
    found = [
        Case(_alone(case.document, step, block, tool, entry), case.hostile)
        for step in case.document["conversation"]
        for reply in step.get("script", ())
        for block in reply.get("content", ())
        for tool in [tools.get(block.get("name"))]
        if tool is not None
        for entry in tool["stub"]
        if entry.get("when") == {"equals": block["input"]}
    ]
    yield from sorted(found, key=lambda one: not one.risky)


def _alone(document: Json, step: Json, block: Json, tool: Json, entry: Json) -> Json:
    stub = {name: value for name, value in entry.items() if name != "when"}
    conversation = [{"user": step["user"], "script": [{"content": [block]}]}]
    return {**document, "tools": [{**tool, "stub": stub}], "conversation": conversation}
