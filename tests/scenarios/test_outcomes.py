from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.projects import outline
from toolreplay.runner.run import Outcome

from .every import SCENARIOS, played

SYNC, ASYNC, STREAMED = "toolreplay.loop:run", "toolreplay.loop:arun", "toolreplay.loop:run_streamed"
ASYNC_STREAMED = "toolreplay.loop:arun_streamed"
NO_ASYNC_CONVERSE = (
    "the loop asks for the client AsyncAnthropic, and the scenario speaks Converse, which boto3 serves, synchronously"
)
SPEAK_CONVERSE = (
    "agents/bedrock",
    "approval/converse",
    "converse/keyword_arguments",
    "converse/parallel_ids",
    "converse/result_content",
    "converse/status_error",
    "converse/stream",
    "converse/two_prompts",
    "converse/unknown_tool",
    "converse/whole_requests",
    "stops/converse_forced_choice",
    "stops/converse_max_tokens",
    "stream/converse_broken_input",
    "stream/converse_no_arguments",
    "stream/converse_parallel",
)


@dataclass(frozen=True)
class Case:
    """A scenario, a loop, and the reason why the loop cannot be served; None where it passes."""

    scenario: str
    loop: str
    skipped: str | None = None

    @property
    def id(self) -> str:
        return f"{self.scenario} {self.loop.partition(':')[2]}"


CASES = [
    Case(name, loop, NO_ASYNC_CONVERSE if name in SPEAK_CONVERSE and "arun" in loop else None)
    for name in SCENARIOS
    for loop in (SYNC, ASYNC, STREAMED, ASYNC_STREAMED)
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_scenario_comes_out_as_the_table_says(case: Case) -> None:
    run = played(case.scenario, case.loop)
    lines = [line for line in outline(run) if line[1] != "info"]
    expected = (Outcome.PASS, []) if case.skipped is None else (Outcome.SKIP, [("SKIP", case.skipped)])
    assert (run.outcome, lines) == expected
    assert (run.requests > 0) == (case.skipped is None)


def test_the_table_names_every_scenario_on_converse() -> None:
    assert set(SPEAK_CONVERSE) == {name for name, one in SCENARIOS.items() if one.wire == "converse"}


def test_there_is_a_scenario_for_every_lesson_on_both_wires() -> None:
    assert len(SCENARIOS) >= 32
    themes = {name.partition("/")[0] for name in SCENARIOS}
    assert themes == {
        "agents",
        "approval",
        "calls",
        "converse",
        "failures",
        "prompts",
        "results",
        "stops",
        "stream",
    }
