"""The hand that draws one conversation: its replies, calls and stubs, and what they have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from toolreplay.wire.model import Wire

from .ground import Ground
from .inputs import inputs, unfit
from .outcomes import tool_outcomes

Json = dict[str, Any]
Drawn = TypeVar("Drawn")

_CALLS: Final = (1, 1, 2, 2, 3, 1, 4, 5, 8)
_TURNS: Final = (1, 1, 1, 2, 3)
_LATER_TURNS: Final = (0, 0, 1)
_USUAL: Final = "fits"
_CALL_KINDS: Final = (_USUAL,) * 12 + ("unknown", "unfit", "again")
# What ends a prompt shows in the next one.
_ENDS: Final = ("text",) * 6 + ("empty", "cut", "pause", "refusal")
_CONVERSE_ENDS: Final = ("text",) * 6 + ("empty", "cut")
_LAST_ENDS: Final = ("text",) * 10 + ("empty", "cut")
_ERRORS: Final = {Wire.MESSAGES: (529, 429, 500), Wire.CONVERSE: (503, 429, 500)}
_HAZARDS: Final = (None,) * 25 + ("error", "errors", "reset")
_STREAM_HAZARDS: Final = (None,) * 10 + ("piece", "piece", "piece", "cut_after", "error_after", "broken_input")
MOST_TURNS: Final = 12


class Choices:
    """The strategies for a ground, made once: Hypothesis looks each new one over, which costs more than a draw."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.tools = st.sampled_from(ground.callable)
        self.inputs = {str(tool["name"]): inputs(tool) for tool in ground.callable}
        self.unfit = {str(tool["name"]): unfit(tool) for tool in ground.callable}


class Author:
    """Draws the parts of one conversation, and keeps what they have in common: ids, markers, and stubs."""

    def __init__(self, draw: st.DrawFn, choices: Choices, hostility: str | None = None) -> None:
        self._draw = draw
        self._choices = choices
        self._ground = choices.ground
        self._hostility = hostility
        self._ids = 0
        self._may_raise = False  # whether an exception may leave the step that is drawn
        self._last: Json | None = None
        self._entries: dict[tuple[str, str], Json] = {}

    def step(self, prompt: Any, index: int, *, recorded: bool) -> Json:
        """A prompt and the replies to it."""
        self._may_raise = False
        replies = self._recorded(index) if recorded else self._generated(index)
        step: Json = {"user": prompt}
        if replies:
            step["script"] = replies
        if self._may_raise:
            step["expect"] = {"raises": "allow"}
        return step

    def stub(self, tool: Mapping[str, Any]) -> Json:
        """The stub of a tool: an entry for every call that was drawn, and one for inputs that a loop changed."""
        name = str(tool["name"])
        if name not in self._choices.inputs:
            return {}
        entries = [entry for (named, _), entry in self._entries.items() if named == name]
        return {"stub": [*entries, {"return": "some other result"}]}

    def turn(self) -> Json:
        """A reply that calls tools."""
        content: list[Json] = list(self._thinking())
        if self._rarely():
            content.append({"type": "text", "text": "Let me see."})
        for number in range(self._one_of(_CALLS)):
            if number and self._rarely():
                content.append({"type": "text", "text": "And this."})
            content.append(self._call())
        if self._hostility == "blank text":
            content.insert(0, {"type": "text", "text": self._one_of(("", " "))})
        return {"content": content}

    def _generated(self, index: int) -> list[Json]:
        turns = self._one_of(_LATER_TURNS if index else _TURNS)
        if self._hostility == "many turns" and not index:
            turns = MOST_TURNS - 2
        replies: list[Json] = []
        for _ in range(turns):
            replies += self._hazard()
            replies.append(self._streamed(self.turn()))
        return [*replies, *self._end(index)]

    def _recorded(self, index: int) -> list[Json]:
        """The recorded replies, as many and with as many of their calls as are drawn."""
        found = self._ground.recorded[index] if index < len(self._ground.recorded) else ()
        kept = found[: self._draw(st.integers(0 if index else min(1, len(found)), len(found)))]
        replies: list[Json] = []
        for reply in kept:
            replies += self._hazard()
            replies.append(self._streamed(self._thinned(reply)))
        return replies

    def _thinned(self, reply: Json) -> Json:
        calls = [block for block in reply["content"] if block.get("type") == "tool_use"]
        most = len(calls)
        left = self._draw(st.integers(min(1, most), most))
        kept = {id(block) for block in calls[:left]}
        content = [block for block in reply["content"] if block.get("type") != "tool_use" or id(block) in kept]
        for block in content:
            if block.get("type") == "tool_use" and isinstance(block["input"], dict):
                self._entry(str(block["name"]), block["input"])
        return {**reply, "content": content}

    def _call(self) -> Json:
        kind = self._one_of(_CALL_KINDS)
        if kind == "again" and self._last is not None:
            return {**self._last, "id": self._id()}
        name = str(self._draw(self._choices.tools)["name"])
        drawn = self._draw((self._choices.unfit if kind == "unfit" else self._choices.inputs)[name])
        if kind == "unknown":
            self._draw(tool_outcomes())  # for nothing: what takes fewer draws passes for plainer when a case shrinks
            return {"type": "tool_use", "id": self._id(), "name": "no_such_tool", "input": {}}
        self._entry(name, drawn)
        self._last = {"type": "tool_use", "id": self._id(), "name": name, "input": drawn}
        return self._last

    def _entry(self, name: str, given: Json) -> None:
        """What a tool does for an input. Calls that are equal cannot be told apart by a loop, so they fare alike."""
        key = (name, json.dumps(given, sort_keys=True))
        if key not in self._entries and name in self._choices.inputs:
            marker = f"mark-{len(self._entries) + 1:02d}"
            self._entries[key] = {"when": {"equals": given}, **self._draw(tool_outcomes(marker))}

    def _id(self) -> str:
        doubled = self._hostility == "id twice" and self._ids > 0
        self._ids += not doubled
        return f"toolu_{self._ids:02d}"

    def _thinking(self) -> list[Json]:
        if not self._ground.fields.get("thinking") or self._ground.wire is not Wire.MESSAGES:
            return []
        return [{"type": "thinking", "thinking": "I need a tool.", "signature": "c2lnbmVk"}]

    def _end(self, index: int) -> list[Json]:
        """What ends a prompt; plain text comes by itself."""
        ends = _ENDS if self._ground.wire is Wire.MESSAGES else _CONVERSE_ENDS
        match self._one_of(_LAST_ENDS if index and index + 1 >= len(self._ground.prompts) else ends):
            case "empty":
                return [{"content": [], "stop_reason": "end_turn"}]
            case "cut":
                self._may_raise = True
                return [{"content": [*self._thinking(), self._call()], "stop_reason": "max_tokens"}]
            case "pause":
                self._may_raise = True
                return [{"content": [{"type": "text", "text": "One moment."}], "stop_reason": "pause_turn"}]
            case "refusal":
                self._may_raise = True
                return [{"content": [{"type": "text", "text": "I cannot."}], "stop_reason": "refusal"}]
        return []

    def _hazard(self) -> list[Json]:
        """What the API answers before it replies. A client that does not ask again may raise."""
        kind = self._one_of(_HAZARDS)
        if kind is None:
            return []
        self._may_raise = True
        if kind == "reset":
            return [{"reset": True}]
        error = {"http_error": self._one_of(_ERRORS[self._ground.wire])}
        return [error] * (2 if kind == "errors" else 1)

    def _streamed(self, reply: Json) -> Json:
        """How a reply travels, where it is streamed."""
        kind = self._one_of(_STREAM_HAZARDS) if self._ground.stream else None
        if kind is None:
            return reply
        if kind == "piece":
            return {**reply, "piece": self._one_of((1, 2, 3, 7, 16, 100))}
        self._may_raise = True
        if kind == "broken_input":
            content = [_broken(block) for block in reply["content"]]
            return {**reply, "content": content}
        after = self._draw(st.integers(1, 8 if kind == "error_after" else 900))
        return {**reply, kind: after}

    def _rarely(self) -> bool:
        return self._one_of((False, False, False, False, True))

    def _one_of(self, options: tuple[Drawn, ...]) -> Drawn:
        chosen: Drawn = self._draw(_sampled(options))
        return chosen


@cache
def _sampled(options: tuple[Drawn, ...]) -> SearchStrategy[Drawn]:
    return st.sampled_from(options)


def _broken(block: Json) -> Json:
    """A call whose input arrives as text that is no JSON."""
    if block.get("type") != "tool_use" or not block["input"]:
        return block
    return {**block, "input": json.dumps(block["input"])[:-2]}
