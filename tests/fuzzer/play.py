"""Fuzzing a loop as the tests do it, and what they read off a case."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.conversations import conversations
from toolreplay.fuzzer.document import plain_document
from toolreplay.fuzzer.engine import fuzz_cases
from toolreplay.fuzzer.ground import Ground, plain_ground
from toolreplay.fuzzer.playing import Played, Player
from toolreplay.fuzzer.result import Result
from toolreplay.fuzzer.sweep import sweep
from toolreplay.fuzzer.worker import Worker
from toolreplay.runner.loops import Target

Loop = Callable[..., object]
Json = dict[str, Any]


def fuzzed(
    loop: Loop,
    ground: Ground | None = None,
    *,
    examples: int = 100,
    seed: int = 1,
    hostile: bool = False,
    ignored: Collection[str] = (),
    deadline: float = 2.0,
    strict: bool = False,
) -> Result:
    """Fuzz a loop, the same way every time."""
    player = Player(Target("loop", loop), strict=strict, deadline=deadline)
    ground = ground or plain_ground()
    cases, plain = conversations(ground, hostile=hostile), Case(plain_document(ground))
    return fuzz_cases(
        player, cases, plain=plain, first=sweep(ground), max_examples=examples, seed=seed, ignored=ignored
    )


def played(loop: Loop, case: Case, *, strict: bool = False) -> Played:
    """Play one case, in a process of its own where it could spoil this one."""
    player = Player(Target("loop", loop), strict=strict, deadline=30)
    if not case.risky:
        return player.here(case)
    with Worker(player) as worker:
        return worker.play(case)


def codes(result: Result) -> set[str]:
    """The rules that were broken."""
    return {one.fault.code for one in result.found}


def calls(case: Case) -> list[Json]:
    """The calls that the model asks for in a case."""
    return [
        block
        for step in case.document["conversation"]
        for reply in step.get("script", ())
        for block in reply.get("content", ())
        if block["type"] == "tool_use"
    ]
