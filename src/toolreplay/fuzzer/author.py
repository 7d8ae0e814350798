"""The hand that draws one conversation: its replies, calls and stubs, and what they have in common."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeVar

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from toolreplay.wire.model import Wire

from .document import MOST_TURNS, Stubs
from .ground import Ground
from .inputs import inputs, unfit
from .outcomes import SLOW, tool_outcomes
from .replies import (
    EMPTY,
    ERRORS,
    PAUSED,
    REDACTED,
    REFUSED,
    RESET,
    THINKING,
    call,
    calls_one_by_one,
    cut,
    cut_within,
    must_call,
    unknown_call,
    with_broken_input,
)

Json = dict[str, Any]
Drawn = TypeVar("Drawn")

_CALLS: Final = (*(1, 1, 2, 2, 3, 1, 4, 5, 8) * 2, 6, 7)
# Few without a call, and yet the plainest: else a case whose fault is in a later prompt keeps an idle call.
_TURNS: Final = (0, *(1, 1, 1, 2, 3) * 3)
_LATER_TURNS: Final = (0, 0, 1)
_USUAL: Final = "fits"
_CALL_KINDS: Final = (_USUAL,) * 12 + ("unknown", "unfit", "again")
_FORCED_KINDS: Final = tuple(kind for kind in _CALL_KINDS if kind != "unknown")
# What ends a prompt shows in the next one.
_ENDS: Final = ("text",) * 6 + ("empty", "cut", "pause", "refusal")
_CONVERSE_ENDS: Final = ("text",) * 6 + ("empty", "cut")
_LAST_ENDS: Final = ("text",) * 10 + ("empty", "cut")
_THOUGHTS: Final = st.sampled_from((*((THINKING,),) * 4, (THINKING, REDACTED), (REDACTED,)))
_HAZARDS: Final = (None,) * 25 + ("error", "errors", "reset")
_STREAM_HAZARDS: Final = (None,) * 10 + ("piece", "piece", "piece", "cut_after", "error_after", "broken_input")


class Choices:
    """The strategies for a ground, made once: Hypothesis looks each new one over, which costs more than a draw."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.tools = st.sampled_from(ground.callable)
        forced = must_call(ground)
        self.forced = st.sampled_from(forced) if forced else None
        self.calls = (1,) if calls_one_by_one(ground) else _CALLS
        self.inputs = {str(tool["name"]): inputs(tool) for tool in ground.callable}
        self.unfit = {str(tool["name"]): st.sampled_from(unfit(tool)) for tool in ground.callable}


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
        self._slow: tuple[str, Json] | None = None
        self.stubs = Stubs(choices.ground)

    def step(self, prompt: Any, index: int, *, recorded: bool) -> Json:
        """A prompt and the replies to it."""
        self._may_raise = False
        replies = self._recorded(index) if recorded else []
        if not recorded or (self._choices.forced is not None and not replies):
            replies = self._generated(index)
        step: Json = {"user": prompt}
        if replies:
            step["script"] = replies
        if self._may_raise:
            step["expect"] = {"raises": "allow"}
        return step

    def turn(self, *, forced: bool = False) -> Json:
        """A reply that calls tools.

        Args:
            forced: the request leaves the model no choice.
        """
        content: list[Json] = list(self._thinking())
        if self._rarely():
            content.append({"type": "text", "text": "Let me see."})
        for number in range(self._one_of(self._choices.calls)):
            if number and self._rarely():
                content.append({"type": "text", "text": "And this."})
            content.append(self._call(forced=forced))
        if self._hostility == "blank text":
            content.insert(0, {"type": "text", "text": self._one_of(("", " "))})
        return {"content": content}

    def _generated(self, index: int) -> list[Json]:
        forced = self._choices.forced is not None
        turns = max(self._one_of(_LATER_TURNS if index else _TURNS), forced)
        if self._hostility == "many turns" and not index:
            turns = MOST_TURNS - 2
        replies: list[Json] = []
        for number in range(turns):
            replies += self._hazard()
            replies.append(self._streamed(self.turn(forced=forced and not number)))
        return [*replies, *self._end(index)]

    def _recorded(self, index: int) -> list[Json]:
        """The recorded replies, as many and with as many of their calls as are drawn."""
        found = self._ground.recorded[index] if index < len(self._ground.recorded) else ()
        needed = not index or self._choices.forced is not None
        kept = found[: self._draw(st.integers(min(needed, len(found)), len(found)))]
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

    def _call(self, *, forced: bool = False) -> Json:
        kind = self._one_of(_FORCED_KINDS if forced else _CALL_KINDS)
        if kind == "again" and self._last is not None:
            self._entry(self._last["name"], self._last["input"])
            return {**self._last, "id": self._id()}
        tools = self._choices.forced if forced and self._choices.forced is not None else self._choices.tools
        name = str(self._draw(tools)["name"])
        drawn = self._draw((self._choices.unfit if kind == "unfit" else self._choices.inputs)[name])
        if kind == "unknown":
            self._draw(tool_outcomes())  # for nothing: what takes fewer draws passes for plainer when a case shrinks
            return unknown_call(self._id())
        self._entry(name, drawn)
        self._last = call(self._id(), name, drawn)
        return self._last

    def _entry(self, name: str, given: Json) -> None:
        if not self.stubs.lack(name, given):
            if (name, given) == self._slow:
                reject()  # a tool that is waited for twice takes the time in which the conversation must end
            return
        outcome = self._draw(tool_outcomes(self.stubs.marker))
        if outcome.get("hang") == SLOW:
            if self._slow is not None:
                reject()  # as above
            self._slow = name, given
        self.stubs.add(name, given, outcome)

    def _id(self) -> str:
        doubled = self._hostility == "id twice" and self._ids > 0
        self._ids += not doubled
        return f"toolu_{self._ids:02d}"

    def _thinking(self) -> list[Json]:
        return list(self._draw(_THOUGHTS)) if self._ground.thinks else []

    def _end(self, index: int) -> list[Json]:
        """What ends a prompt; plain text comes by itself."""
        ends = _ENDS if self._ground.wire is Wire.MESSAGES else _CONVERSE_ENDS
        match self._one_of(_LAST_ENDS if index and index + 1 >= len(self._ground.prompts) else ends):
            case "empty":
                return [EMPTY]
            case "cut":
                self._may_raise = True
                return [cut([*self._thinking(), self._cut_call()])]
            case "pause":
                self._may_raise = True
                return [PAUSED]
            case "refusal":
                self._may_raise = True
                return [REFUSED]
        return []

    def _cut_call(self) -> Json:
        whole = self._call()
        return cut_within(whole, stream=self._ground.stream) if self._draw(st.booleans()) else whole

    def _hazard(self) -> list[Json]:
        """What the API answers before it replies. A client that does not ask again may raise."""
        kind = self._one_of(_HAZARDS)
        if kind is None:
            return []
        self._may_raise = True
        if kind == "reset":
            return [RESET]
        error = {"http_error": self._one_of(ERRORS[self._ground.wire])}
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
            return with_broken_input(reply)
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
