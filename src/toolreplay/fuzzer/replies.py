"""Replies of the model as scripts have them, and what the API answers in their place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Wire

from .ground import Ground

Json = dict[str, Any]

THINKING: Final[Json] = {"type": "thinking", "thinking": "I need a tool.", "signature": "c2lnbmVk"}
REDACTED: Final[Json] = {"type": "redacted_thinking", "data": "c2VhbGVk"}
EMPTY: Final[Json] = {"content": [], "stop_reason": "end_turn"}
PAUSED: Final[Json] = {"content": [{"type": "text", "text": "One moment."}], "stop_reason": "pause_turn"}
REFUSED: Final[Json] = {"content": [{"type": "text", "text": "I cannot."}], "stop_reason": "refusal"}
RESET: Final[Json] = {"reset": True}
ERRORS: Final[Mapping[Wire, tuple[int, ...]]] = {Wire.MESSAGES: (529, 429, 500), Wire.CONVERSE: (503, 429, 500)}


def must_call(ground: Ground) -> tuple[Json, ...]:
    """The tools of which the first reply to a prompt must call one; none where the model may choose.

    A forced `tool_choice` is one for the first request of a prompt: kept, it would never let the model end (docs:
    define-tools).
    """
    choice = mapping(ground.fields.get("tool_choice"))
    match choice.get("type"):
        case "any":
            return ground.callable
        case "tool":
            return tuple(tool for tool in ground.callable if tool.get("name") == choice.get("name"))
    return ()


def calls_one_by_one(ground: Ground) -> bool:
    """Whether the model was told to ask for one call at a time (docs: parallel-tool-use). Converse has no such word."""
    choice = mapping(ground.fields.get("tool_choice"))
    return ground.wire is Wire.MESSAGES and choice.get("disable_parallel_tool_use") is True


def call(call_id: str, name: str, given: Json) -> Json:
    """A call of a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def unknown_call(call_id: str) -> Json:
    """A call of a tool that there is not."""
    return call(call_id, "no_such_tool", {})


def cut(content: Sequence[Json]) -> Json:
    """A reply that ends at the limit on its tokens."""
    return {"content": list(content), "stop_reason": "max_tokens"}


def cut_within(call: Json, *, stream: bool) -> Json:
    """A call with half of its input: a stream breaks off anywhere, a reply in one piece lacks the last property."""
    return _broken(call) if stream else {**call, "input": dict([*call["input"].items()][:-1])}


def with_broken_input(reply: Json) -> Json:
    """A reply whose calls stream an input that is no JSON."""
    return {**reply, "content": [_broken(block) for block in reply["content"]]}


def _broken(block: Json) -> Json:
    if block.get("type") != "tool_use" or not block["input"]:
        return block
    return {**block, "input": json.dumps(block["input"])[:-2]}
