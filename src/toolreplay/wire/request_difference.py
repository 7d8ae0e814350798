"""Two requests compared: what their messages say, and their other fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Final

from .content_difference import Calls, content_differences
from .difference import Difference, differ, json_differences, paired
from .fields import mapping
from .model import MISSING, Message, Request, ToolDefinition, ToolUse
from .sameness import same_json
from .words import system_words, visible

_APART: Final = frozenset({"messages", "model", "modelId", "system", "tools", "toolConfig"})


def request_differences(recorded: Request, now: Request) -> Iterator[Difference]:
    """All differences between two requests, ids and the form of blocks included; the first one comes first.

    What is said comes before the fields that are set once for the whole conversation.
    """
    return chain(message_differences(recorded.messages, now.messages), field_differences(recorded, now, exact=True))


def message_differences(recorded: Sequence[Message], now: Sequence[Message]) -> Iterator[Difference]:
    """The differences between two histories; they end where the roles part, beyond which nothing can be compared."""
    calls = Calls(exact=True)
    turns = turn_numbers(recorded if len(recorded) > len(now) else now)
    for turn, old, new in zip_longest(turns, recorded, now):
        if old is not None and new is not None and old.role != new.role:
            yield differ(turn, f"role of message {old.index}", old.role, new.role)
            return
        yield from _between(turn, old, new, calls)


def turn_numbers(messages: Sequence[Message]) -> list[int]:
    """The turn of each message, from 1: those up to a reply and that reply are one."""
    numbers, turn, replied = [], 1, False
    for message in messages:
        if message.role != "assistant" and replied:
            turn += 1
        replied = message.role == "assistant"
        numbers.append(turn)
    return numbers


def field_differences(recorded: Request, now: Request, *, exact: bool) -> Iterator[Difference]:
    """The differences between all other fields: wire, model, system, tools, parameters.

    Args:
        exact: whether the form of `system`, `cache_control`, and the ids by which a thread goes on count.
    """
    yield from _apart("wire", recorded.wire.value, now.wire.value)
    yield from _apart("model", recorded.model or MISSING, now.model or MISSING)
    old, new = recorded.body.get("system", MISSING), now.body.get("system", MISSING)
    if exact or MISSING in (old, new):
        yield from json_differences(None, "system", old, new)
    else:
        yield from _apart("system", system_words(old), system_words(new))
    if recorded.wire is not now.wire:
        return  # their other fields have other names and forms
    yield from _tool_differences(recorded.tools, now.tools, exact=exact)
    for name, was, then in _other_fields(recorded.body, now.body):
        if exact or name != "thread":
            yield from json_differences(None, visible(name), was, then)


def _between(turn: int, old: Message | None, new: Message | None, calls: Calls) -> Iterator[Difference]:
    if old is not None and new is not None and same_json(old.raw, new.raw):
        for block in old.blocks:
            if isinstance(block, ToolUse):
                calls.meet(block, block)
        return
    one = old or new
    role = "" if one is None else one.role
    found = False
    for difference in content_differences(turn, role, old.blocks if old else (), new.blocks if new else (), calls):
        found = True
        yield difference
    if not found and one is not None:
        whole = f"message {one.index}"
        yield from json_differences(turn, whole, old.raw if old else MISSING, new.raw if new else MISSING)


def _apart(what: str, recorded: object, now: object) -> Iterator[Difference]:
    if recorded != now:
        yield differ(None, what, recorded, now)


def _tool_differences(
    recorded: Sequence[ToolDefinition] | None, now: Sequence[ToolDefinition] | None, *, exact: bool
) -> Iterator[Difference]:
    old, new = recorded or (), now or ()
    pairs = paired([[tool.name or tool.type] for tool in old], [[tool.name or tool.type] for tool in new])
    equal = True
    for first, second in pairs:
        was = MISSING if first is None else _definition(old[first], exact=exact)
        then = MISSING if second is None else _definition(new[second], exact=exact)
        one = old[first] if first is not None else new[second or 0]
        for difference in json_differences(None, f"tool {visible(one.name or one.type)}", was, then):
            equal = False
            yield difference
    order = [second for _, second in pairs if second is not None]
    if equal and order != sorted(order):
        yield differ(
            None, "order of the tools", *(", ".join(one.name or one.type for one in side) for side in (old, new))
        )
    elif equal and exact and (recorded is None) != (now is None):
        yield differ(None, "tools", MISSING if recorded is None else [], MISSING if now is None else [])


def _definition(tool: ToolDefinition, *, exact: bool) -> object:
    if exact or not isinstance(tool.raw, dict):
        return tool.raw
    return {name: value for name, value in tool.raw.items() if name != "cache_control"}


def _other_fields(recorded: Mapping[str, object], now: Mapping[str, object]) -> Iterator[tuple[str, object, object]]:
    for name in dict.fromkeys((*recorded, *now)):
        if name not in _APART:
            yield name, recorded.get(name, MISSING), now.get(name, MISSING)
    old, new = (mapping(body.get("toolConfig")).get("toolChoice", MISSING) for body in (recorded, now))
    yield "toolChoice", old, new
