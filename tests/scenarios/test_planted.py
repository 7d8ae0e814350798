from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.loops.faults import FAULTS
from tests.loops.planted import planted
from tests.projects import outline
from toolreplay.runner.run import Outcome

from .every import SCENARIOS, played


@dataclass(frozen=True)
class Planted:
    """A scenario, a loop with the fault that the scenario is about, and what must be said of it."""

    scenario: str
    fault: str
    named: str

    @property
    def id(self) -> str:
        return f"{self.scenario}: {self.fault}"


PLANTED = (
    Planted("agents/bedrock", "sends failures as successes", "TR602"),
    Planted("agents/bedrock", "stops answering at the first failure", "TR101"),
    Planted("agents/coding", "cuts results to 80 characters", "expected text that contains"),
    Planted("agents/coding", "drops images", "expected"),
    Planted("agents/research", "answers the server's calls too", "TR107"),
    Planted("agents/research", "puts a text after the results", "TR108"),
    Planted("agents/subagents", "begins a conversation of its own", "none that the scenario has"),
    Planted("agents/subagents", "gives each result the id of the next call", "TR604"),
    Planted("agents/support", "keeps the newest three messages", "TR102"),
    Planted("agents/support", "lets a tool's exception out", "TR609"),
    Planted("approval/allow_after_asking", "does not ask the user", "waiting"),
    Planted("approval/converse", "does not ask the user", "waiting"),
    Planted("approval/converse", "leaves denied calls unanswered", "TR101"),
    Planted("approval/denied_by_policy", "sends failures as successes", "expected status error"),
    Planted("approval/denied_by_policy", "leaves denied calls unanswered", "TR101"),
    Planted("approval/deny_one_of_two", "does not ask the user", "waiting"),
    Planted("approval/deny_one_of_two", "leaves denied calls unanswered", "TR101"),
    Planted("calls/exact_ids", "gives each result the id of the next call", "TR604"),
    Planted("calls/exact_ids", "writes ids in lower case", "TR102"),
    Planted("calls/four_turns", "keeps the newest three messages", "TR102"),
    Planted("calls/keyword_arguments", "passes arguments by position", "expected status success"),
    Planted("calls/keyword_arguments", "passes the input as one argument", "expected status success"),
    Planted("calls/no_call", "insists on a call", "used up"),
    Planted("calls/one_call", "writes ids in lower case", "TR101"),
    Planted("calls/three_parallel", "answers the first call only", "TR101"),
    Planted("calls/three_parallel", "puts a text before the results", "TR104"),
    Planted("calls/whole_requests", "sends the newest message alone", "TR102"),
    Planted("calls/whole_requests", "sends the tools once", "offers no tools"),
    Planted("converse/keyword_arguments", "passes arguments by position", "expected status success"),
    Planted("converse/parallel_ids", "answers the last call only", "TR101"),
    Planted("converse/parallel_ids", "gives each result the id of the next call", "TR604"),
    Planted("converse/parallel_ids", "writes ids in lower case", "TR102"),
    Planted("converse/result_content", "sends objects as text", "expected"),
    Planted("converse/result_content", "sends the text that Python prints", "expected"),
    Planted("converse/status_error", "sends failures as successes", "TR602"),
    Planted("converse/stream", "gives all streamed input to the first call", "TR605"),
    Planted("converse/two_prompts", "leaves the prompt when a tool fails", "TR101"),
    Planted("converse/unknown_tool", "lets a tool's exception out", "TR609"),
    Planted("converse/whole_requests", "sends the newest message alone", "TR102"),
    Planted("converse/whole_requests", "sends the tools once", "TR501"),
    Planted("failures/all_fail", "lets a tool's exception out", "TR609"),
    Planted("failures/all_fail", "sends failures as successes", "TR602"),
    Planted("failures/hanging_tool", "lets a tool's exception out", "TR609"),
    Planted("failures/no_message", "sends an exception's text even if it is empty", "TR302"),
    Planted("failures/one_of_three_fails", "sends failures without their message", "no city called Atlantis"),
    Planted("failures/one_of_three_fails", "stops answering at the first failure", "TR101"),
    Planted("failures/second_attempt", "sends failures as successes", "TR602"),
    Planted("failures/unknown_tool", "lets a tool's exception out", "TR609"),
    Planted("prompts/after_a_failure", "leaves the prompt when a tool fails", "TR101"),
    Planted("prompts/earlier_history", "sends the newest message alone", "recorded"),
    Planted("prompts/two_prompts", "lets a tool's exception out", "TR609"),
    Planted("results/blank_text", "sends values as they are", "TR304"),
    Planted("results/bytes", "sends values as they are", "TR609"),
    Planted("results/empty_string", "sends an empty text block", "TR304"),
    Planted("results/image", "sends blocks as text", "expected"),
    Planted("results/json", "sends the text that Python prints", "expected"),
    Planted("results/json", "sends values as they are", "TR301"),
    Planted("results/number_and_none", "sends values as they are", "TR301"),
    Planted("stops/converse_forced_choice", "forces the choice in every request", "tool_choice forces a call"),
    Planted("stops/converse_max_tokens", "keeps a call that it did not run", "TR101"),
    Planted("stops/converse_max_tokens", "runs calls before it looks at the stop reason", "TR607"),
    Planted("stops/empty_reply", "keeps an empty reply", "TR401"),
    Planted("stops/empty_reply", "reads the first block of the last reply", "IndexError"),
    Planted("stops/forced_choice", "forces the choice in every request", "tool_choice forces a call"),
    Planted("stops/max_tokens", "keeps a call that it did not run", "TR101"),
    Planted("stops/max_tokens", "runs calls before it looks at the stop reason", "TR607"),
    Planted("stops/overloaded", "gives up on the first error of the API", "OverloadedError"),
    Planted("stops/pause_turn", "takes a paused turn for the end", "expected 2 turns"),
    Planted("stops/refusal", "keeps a refused turn", "TR101"),
    Planted("stops/refusal", "runs calls before it looks at the stop reason", "TR607"),
    Planted("stops/thinking", "drops the thinking", "turn 1, thinking: recorded"),
    Planted("stops/turn_limit", "looks at the limit after the tools", "expected ran: False"),
    Planted("stream/broken_input", "mends a broken input and runs it", "expected ran: False"),
    Planted("stream/converse_broken_input", "mends a broken input and runs it", "expected ran: False"),
    Planted("stream/converse_no_arguments", "takes an empty input for broken JSON", "expected status success"),
    Planted("stream/converse_parallel", "gives all streamed input to the first call", "TR605"),
    Planted("stream/cut", "keeps what a cut stream held", "expected"),
    Planted("stream/cut", "runs what a cut stream held", "expected ran: False"),
    Planted("stream/no_arguments", "takes an empty input for broken JSON", "expected status success"),
    Planted("stream/parallel", "gives all streamed input to the first call", "TR605"),
)


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.id)
def test_a_scenario_fails_for_the_fault_that_it_is_about(case: Planted) -> None:
    run = played(case.scenario, FAULTS[case.fault])
    said = [" ".join(line) for line in outline(run)]
    assert run.outcome is Outcome.FAIL, said
    assert any(case.named in line for line in said), said


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_loop_without_a_fault_passes(name: str) -> None:
    run = played(name, planted())
    assert run.outcome is Outcome.PASS, outline(run)


def test_every_scenario_has_a_planted_fault() -> None:
    assert {case.scenario for case in PLANTED} == set(SCENARIOS)


def test_every_fault_is_planted_somewhere() -> None:
    assert {case.fault for case in PLANTED} == set(FAULTS)
