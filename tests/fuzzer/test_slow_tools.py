from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.loops import fuzzed_good as good
from tests.loops.sound import (
    Functions,
    Json,
    answering,
    awaited,
    awaiting,
    failed,
    result,
)
from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.document import Stubs, document
from toolreplay.fuzzer.ground import plain_ground
from toolreplay.fuzzer.outcomes import SLOW
from toolreplay.fuzzer.playing import Player
from toolreplay.fuzzer.sweep import sweep
from toolreplay.loop import arun, run
from toolreplay.runner.loops import Target

from .play import Loop, played

LIMIT: Final = SLOW / 5


@answering
def limits_tools_in_threads(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    pool = ThreadPoolExecutor()
    running = [pool.submit(result, call, functions) for call in calls]
    pool.shutdown(wait=False)
    return [_in_time(call, one) for call, one in zip(calls, running, strict=True)]


def _in_time(call: Json, running: Future[Json]) -> Json:
    try:
        return running.result(LIMIT)
    except TimeoutError:
        return failed(call, TimeoutError(f"{call['name']} took more than {LIMIT:g} s"))


@awaiting
async def limits_coroutines(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    async def one(call: Json) -> Json:
        try:
            return await asyncio.wait_for(awaited(call, functions), LIMIT)
        except TimeoutError as error:
            return failed(call, error)

    return await asyncio.gather(*map(one, calls))


def _swept() -> Case:
    (slow,) = (case for case in sweep(plain_ground()) if any(one.get("hang") == SLOW for one in case.entries()))
    return slow


def _among_others() -> Case:
    """A slow call amid others, more calls after it, and calls in the second prompt."""
    ground = plain_ground()
    stubs = Stubs(ground)
    scripts = [["a", "slow", "b"], ["c"]], [["d", "e"]]
    outcomes: Mapping[str, Json] = {"slow": {"hang": SLOW}, "b": {"raise": {"type": "ValueError", "message": "bad"}}}
    steps: list[Json] = []
    for prompt in scripts:
        replies: list[Json] = []
        for turn in prompt:
            content: list[Any] = []
            for key in turn:
                stubs.add("look_up", {"key": key}, outcomes.get(key, {"return": stubs.marker}))
                content.append({"type": "tool_use", "id": f"toolu_{key}", "name": "look_up", "input": {"key": key}})
            replies.append({"content": content})
        steps.append({"user": "Go on.", "script": replies})
    return Case(document(ground, stubs, steps))


PATIENT: Final[tuple[Loop, ...]] = (run, arun, good.runs_tools_in_threads, good.gathers)
IMPATIENT: Final[tuple[Loop, ...]] = (limits_tools_in_threads, limits_coroutines)


@pytest.mark.parametrize("case", [_swept(), _among_others()], ids=["swept", "among others"])
@pytest.mark.parametrize("loop", [*PATIENT, *IMPATIENT], ids=lambda loop: str(loop.__name__))
def test_neither_waiting_for_a_slow_tool_nor_giving_it_up_is_a_fault(loop: Loop, case: Case) -> None:
    found = played(loop, case)
    assert ([one.message for one in found.faults if one.is_error], found.trouble, found.hung) == ([], None, False)
    assert found.calls == found.results


def test_a_slow_tool_leaves_a_loop_time_to_end() -> None:
    player = Player(Target("the reference loop", run), deadline=2.0)
    assert not player.here(_among_others()).hung
