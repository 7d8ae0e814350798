"""Each thing that can go wrong, once, in the plainest conversation that has room for it.

Chance leaves rare rows out of a hundred draws, and what it finds first is large. So these are played before any
conversation is drawn, and drawing is for what takes more than one cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from toolreplay.wire.model import Wire

from .case import Case
from .document import Stubs, document, prompts_of
from .ground import Ground
from .inputs import deepest, is_nested, plainest, unfit
from .outcomes import Entry, each_outcome
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

_MARKER: Final = "mark-01"  # of the call that a conversation is about; it is the first
_PIECES: Final = (1, 16)  # bytes
_CUTS: Final = (400, 900)  # bytes of a stream; the second lies within a call
_EVENTS: Final = (2, 5)  # of a stream, before its error


def sweep(ground: Ground) -> Iterator[Case]:
    """What tools do and what the model side does, in turn, the plainest first."""
    of_tools = (_case(ground, [_turn_for(ground, outcome)], outcome) for outcome in each_outcome(_MARKER))
    calm = (_case(ground, replies) for replies in _calm(ground))
    # A client that does not ask again may raise.
    rough = (_case(ground, replies, step={"expect": {"raises": "allow"}}) for replies in _rough(ground))
    for in_turn in zip_longest(of_tools, calm, rough):
        yield from (case for case in in_turn if case is not None)


def _calm(ground: Ground) -> Iterator[list[Json]]:
    """Replies that every loop has to deal with."""
    turn = _turn(ground)
    first, *others = _calls(ground)
    yield [turn, EMPTY]
    if must_call(ground):  # and so none that there is not, at first
        yield [turn, _turn(ground, unknown_call("toolu_03"))]
    else:
        yield [_turn(ground, unknown_call("toolu_01"), *others)]
    for given in unfit(_callable(ground)[0]):
        yield [_turn(ground, {**first, "input": given}, *others)]
    if not calls_one_by_one(ground):
        yield [_turn(ground, first, {**first, "id": "toolu_02"})]
    if ground.thinks:
        yield from ([{"content": [*thoughts, *_calls(ground)]}] for thoughts in ([THINKING, REDACTED], [REDACTED]))
    yield [turn, _turn(ground, {**first, "id": "toolu_03"})]
    if ground.recorded:
        yield list(ground.recorded[0])
    if ground.stream:
        yield from ([{**turn, "piece": size}] for size in _PIECES)


def _rough(ground: Ground) -> Iterator[list[Json]]:
    """Replies, and what comes in their place, that a loop may give up on."""
    turn = _turn(ground)
    yield from ([{"http_error": status}, turn] for status in ERRORS[ground.wire])
    last = {**_calls(ground)[0], "id": "toolu_03"}
    yield [turn, cut([*_thinking(ground), last])]
    if last["input"]:
        yield [turn, cut([*_thinking(ground), cut_within(last, stream=ground.stream)])]
    yield [RESET, turn]
    if ground.wire is Wire.MESSAGES:
        yield [turn, PAUSED]
        yield [turn, REFUSED]
    if ground.stream:
        yield [with_broken_input(turn)]
        yield from ([{**turn, "cut_after": size}] for size in _CUTS)
        yield from ([{**turn, "error_after": count}] for count in _EVENTS)


def _case(ground: Ground, replies: Sequence[Json], outcome: Entry | None = None, step: Json | None = None) -> Case:
    stubs = Stubs(ground)
    for block in (block for reply in replies for block in reply.get("content", ())):
        if (
            block["type"] == "tool_use"
            and isinstance(block["input"], dict)
            and stubs.lack(block["name"], block["input"])
        ):
            stubs.add(block["name"], block["input"], outcome or {"return": stubs.marker})
            outcome = None  # the calls beside it go well
    first, *later = prompts_of(ground)
    steps = [{"user": first, "script": [*replies], **(step or {})}, *_later(ground, later)]
    return Case(document(ground, stubs, steps))


def _later(ground: Ground, prompts: Sequence[Any]) -> Iterator[Json]:
    """The prompts after the first, with a call where there must be one."""
    for number, prompt in enumerate(prompts):
        repeated = {**_calls(ground)[-1], "id": f"toolu_9{number}"}
        yield {"user": prompt, "script": [_turn(ground, repeated)]} if must_call(ground) else {"user": prompt}


def _turn(ground: Ground, *calls: Json) -> Json:
    return {"content": [*_thinking(ground), *(calls or _calls(ground))]}


def _turn_for(ground: Ground, outcome: Entry) -> Json:
    """The turn in which a tool does something; one that changes its input is given something to change."""
    first, *others = _calls(ground)
    if "mutate" in outcome:
        deep = (call("toolu_01", str(tool["name"]), deepest(tool)) for tool in _callable(ground))
        first = next((one for one in deep if any(map(is_nested, one["input"].values()))), first)
    return _turn(ground, first, *others)


def _thinking(ground: Ground) -> list[Json]:
    return [THINKING] if ground.thinks else []


def _calls(ground: Ground) -> list[Json]:
    """Two calls, of two tools where there are two; one where a second could not be told from it."""
    tools = (_callable(ground)[0], _callable(ground)[-1])
    calls = [
        call(f"toolu_{number + 1:02d}", str(tool["name"]), plainest(tool, number)) for number, tool in enumerate(tools)
    ]
    told_apart = (calls[0]["name"], calls[0]["input"]) != (calls[1]["name"], calls[1]["input"])
    return calls if told_apart and not calls_one_by_one(ground) else calls[:1]


def _callable(ground: Ground) -> tuple[Json, ...]:
    return must_call(ground) or ground.callable
