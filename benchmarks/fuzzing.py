"""Fuzzing a conversation of two calls, against an empty Hypothesis test with the same draws and the bare loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.conversations import conversations
from toolreplay.fuzzer.engine import fuzz_cases
from toolreplay.fuzzer.playing import Player
from toolreplay.runner.loops import REFERENCE, Target

from .conversation import MODEL, PAGE, TOOL, floor, run
from .timing import ratio

EXAMPLES = 200
ROUNDS = 3


def rows() -> Iterator[str]:
    """One line."""
    drawn = conversations()
    played = drawn.map(lambda _: _two_calls())

    def fuzzed() -> None:
        result = fuzz_cases(Player(Target(REFERENCE, run)), played, max_examples=EXAMPLES, seed=1)
        assert (result.found, result.examples) == ((), EXAMPLES)

    mine, bare, times = ratio(fuzzed, _bare(drawn, floor(3)), ROUNDS)
    each = f"{mine / EXAMPLES * 1000:.1f} ms an example, floor {bare / EXAMPLES * 1000:.1f} ms"
    yield f"fuzz, two calls: {each}, {times:.2f}x (must 2, aim 1.3)"


def _bare(drawn: object, play: Callable[[], object]) -> Callable[[], object]:
    """The same draws, and the loop on the SDK alone."""

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.reuse, Phase.generate, Phase.shrink],
        verbosity=Verbosity.quiet,
    )
    @given(case=drawn)  # type: ignore[arg-type]
    def test(case: Case) -> None:  # noqa: ARG001  (drawn, as fuzzing draws it)
        play()

    return test


def _two_calls() -> Case:
    """Two turns with a call each and a closing text, as the floor has them."""
    calls = [
        {
            "content": [
                {"type": "text", "text": f"I read page {turn}."},
                {"type": "tool_use", "id": f"toolu_{turn:06}", "name": TOOL["name"], "input": {"number": turn}},
            ]
        }
        for turn in (1, 2)
    ]
    return Case(
        {
            "version": 1,
            "name": "two calls",
            "model": MODEL,
            "tools": [{**TOOL, "stub": {"return": PAGE}}],
            "conversation": [{"user": "Read the book.", "script": calls}],
        }
    )
