from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import pytest

from tests.loops import fuzzed_good as good
from tests.loops.planted import planted
from toolreplay.fuzzer.ground import Ground, plain_ground
from toolreplay.loop import arun, arun_streamed, run
from toolreplay.wire.model import Wire

from .play import Loop, codes, fuzzed

PLAIN: Final = plain_ground()
STREAM: Final = plain_ground(stream=True)
CONVERSE: Final = plain_ground(Wire.CONVERSE)
CONVERSE_STREAM: Final = plain_ground(Wire.CONVERSE, stream=True)
# A tool that returns two megabytes, and a prompt that joins results which an empty reply left.
ALWAYS: Final = frozenset({"TR306", "TR110"})


@dataclass(frozen=True)
class Case:
    """A right loop, and the rules that may warn of it."""

    id: str
    loop: Loop
    ground: Ground = PLAIN
    warned: frozenset[str] = field(default=frozenset())
    examples: int = 60


GOOD: Final = (
    Case("reversed results", good.reverses_results),
    Case("threads", good.runs_tools_in_threads),
    Case("gather", good.gathers),
    Case("gather that gives exceptions", good.gathers_exceptions, warned=frozenset({"TR603"}), examples=25),
    Case("a task group with a bound", good.bounds_concurrency, examples=25),
    Case("the streaming helper", good.streams_with_the_helper, STREAM),
    Case("the async streaming helper", good.streams_with_the_async_helper, STREAM, examples=25),
    Case("an object with say()", good.is_an_agent),
    Case("truncates to 30 kB", good.truncates_to_30_kb),
    Case("wraps results", good.wraps_results),
    Case("hides error texts", good.hides_error_texts, warned=frozenset({"TR603"})),
    Case("denies calls", good.denies_additions),
    Case("a text behind the results", good.adds_text_behind, examples=25),
    Case("the SDK's runner with tools that return text", good.is_the_tool_runner),
    Case("the reference loop on Converse", run, CONVERSE, examples=25),
    Case("the async reference loop", arun, examples=25),
    Case("the async reference loop, streamed", arun_streamed, STREAM, examples=25),
    Case("a loop of one's own on streamed Converse", planted(), CONVERSE_STREAM, examples=25),
)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.id)
def test_a_good_loop_is_not_accused(case: Case) -> None:
    result = fuzzed(case.loop, case.ground, examples=case.examples)
    assert (codes(result), set(result.warnings) - ALWAYS - case.warned) == (set(), set())
    assert result.examples == case.examples
    assert result.results > case.examples / 2
