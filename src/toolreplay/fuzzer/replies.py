"""Replies of the model as scripts have them, and what the API answers in their place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolreplay.wire.model import Wire

Json = dict[str, Any]

THINKING: Final[Json] = {"type": "thinking", "thinking": "I need a tool.", "signature": "c2lnbmVk"}
EMPTY: Final[Json] = {"content": [], "stop_reason": "end_turn"}
PAUSED: Final[Json] = {"content": [{"type": "text", "text": "One moment."}], "stop_reason": "pause_turn"}
REFUSED: Final[Json] = {"content": [{"type": "text", "text": "I cannot."}], "stop_reason": "refusal"}
RESET: Final[Json] = {"reset": True}
ERRORS: Final[Mapping[Wire, tuple[int, ...]]] = {Wire.MESSAGES: (529, 429, 500), Wire.CONVERSE: (503, 429, 500)}


def call(call_id: str, name: str, given: Json) -> Json:
    """A call of a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def unknown_call(call_id: str) -> Json:
    """A call of a tool that there is not."""
    return call(call_id, "no_such_tool", {})


def cut(content: Sequence[Json]) -> Json:
    """A reply that ends at the limit on its tokens."""
    return {"content": list(content), "stop_reason": "max_tokens"}


def with_broken_input(reply: Json) -> Json:
    """A reply whose calls stream an input that is no JSON."""
    return {**reply, "content": [_broken(block) for block in reply["content"]]}


def _broken(block: Json) -> Json:
    if block.get("type") != "tool_use" or not block["input"]:
        return block
    return {**block, "input": json.dumps(block["input"])[:-2]}
