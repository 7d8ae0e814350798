from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import pytest

from tests.loops import fuzzed_faulty as faulty
from tests.loops.fuzzed_faulty import PLANTED
from tests.loops.planted import planted
from toolreplay.fuzzer.ground import Ground, plain_ground
from toolreplay.wire.model import Wire

from .play import Loop, calls, codes, fuzzed, played

PLAIN: Final = plain_ground()
STREAM: Final = plain_ground(stream=True)
CONVERSE: Final = plain_ground(Wire.CONVERSE)
CONVERSE_STREAM: Final = plain_ground(Wire.CONVERSE, stream=True)
THINKING: Final = Ground(
    {**PLAIN.fields, "max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 2048}},
    PLAIN.tools,
    PLAIN.callable,
    PLAIN.prompts,
)
# Beside its own rule: a result under another id has another's status and content too.
SWAPPED: Final = frozenset({"TR602", "TR603"})


@dataclass(frozen=True)
class Case:
    """A loop with one fault and the rule that must name it; `follows` are rules that the same fault breaks."""

    loop: Loop | str
    code: str
    ground: Ground = PLAIN
    follows: frozenset[str] = field(default=frozenset())
    most_calls: int = 2
    deadline: float = 2.0
    seed: int = 1
    examples: int = 100

    @property
    def id(self) -> str:
        name = self.loop if isinstance(self.loop, str) else self.loop.__name__
        where = ", ".join(str(self.ground.fields[key]) for key in ("wire",) if key in self.ground.fields)
        return f"{name} ({where})" if where else name

    @property
    def function(self) -> Loop:
        return PLANTED[self.loop] if isinstance(self.loop, str) else self.loop


FOUND: Final = (
    Case("answers the first call only", "TR101", most_calls=2),
    Case("gives each result the id of the next call", "TR604", CONVERSE_STREAM, follows=SWAPPED, most_calls=2),
    Case(faulty.pairs_by_position, "TR604", follows=SWAPPED, most_calls=2),
    Case("stops answering at the first failure", "TR101", CONVERSE),
    Case(faulty.cancels_siblings, "TR101"),
    # Where no prompt comes after it, nothing is sent that could be refused.
    Case("leaves the prompt when a tool fails", "TR101", follows=frozenset({"TR610"})),
    Case("lets a tool's exception out", "TR609"),
    Case(faulty.gathers_without_exceptions, "TR609"),
    Case(faulty.takes_a_tools_failure_for_the_apis, "TR609"),
    Case(faulty.leaves_slow_tools_behind, "TR101"),
    Case(faulty.looks_unknown_tools_up, "TR609"),
    Case("sends failures as successes", "TR602", CONVERSE),
    Case(faulty.loses_the_flag, "TR602"),
    Case("sends an empty error message", "TR302"),
    Case(faulty.doubles_on_error, "TR103"),
    Case("puts a text before the results", "TR104"),
    Case("sends dicts as they are", "TR301", follows=frozenset({"TR609"})),  # what JSON cannot hold is never sent
    Case("sends bytes as they are", "TR609"),
    Case("sends texts as they are", "TR305", CONVERSE),
    Case("sends lists as json", "TR309", CONVERSE, follows=frozenset({"TR305", "TR609"})),  # the same
    Case("sends the newest message alone", "TR102"),
    Case("keeps the newest three messages", "TR102", follows=frozenset({"TR606"})),
    Case("begins a conversation of its own", "TR606"),
    Case(faulty.rebuilds_the_turn_from_text, "TR102"),
    Case(faulty.tries_a_tool_again, "TR608", follows=frozenset({"TR601"})),
    Case(faulty.asks_again_when_cut, "TR607"),
    Case(faulty.ignores_how_a_stream_ends, "TR607", STREAM),
    Case("keeps a call that it did not run", "TR101"),
    Case(faulty.keeps_a_call_for_the_next_prompt, "TR101"),
    Case("appends an empty assistant message", "TR401", most_calls=0),
    Case(faulty.spoils_inputs, "TR605"),
    Case(faulty.lets_tools_spoil_inputs, "TR605"),
    Case(faulty.parses_each_fragment_alone, "TR605", STREAM),
    Case("gives all streamed input to the first call", "TR605", STREAM, most_calls=2),
    Case("sends the tools once", "TR501", CONVERSE),
    Case("drops the thinking", "TR406", THINKING),
    # Where all of the thinking was redacted, the turn then begins with its calls.
    Case("drops the redacted thinking", "TR406", THINKING, follows=frozenset({"TR407"})),
    Case(faulty.waits_for_futures, "TR611", deadline=0.8),
    Case(faulty.ends_the_process, "TR609"),
    Case(faulty.hoards_memory, "TR609"),
)
# Nothing that the API refuses, or that is known for sure to be wrong.
WARNED: Final = (
    Case("sends failures without their message", "TR603"),  # a fixed text may be meant
    Case("takes a paused turn for the end", "TR411"),  # the API takes it
    Case("sends the tools once", "TR501"),  # the Messages API takes it, Converse does not
    Case("sends nothing as null", "TR308"),  # seen to be taken; Converse and gateways refuse it
)


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.id)
def test_a_faulty_loop_is_found_by_its_own_rule_and_shrunk(case: Case) -> None:
    result = fuzzed(case.function, case.ground, seed=case.seed, deadline=case.deadline, examples=case.examples)
    assert (codes(result) - case.follows, codes(result) - case.follows - {case.code}) == ({case.code}, set())
    smallest = next(one.case for one in result.found if one.fault.code == case.code)
    assert len(calls(smallest)) <= case.most_calls
    mended = played(planted(), smallest)
    assert ([one for one in mended.faults if one.is_error], mended.trouble) == ([], None)


@pytest.mark.parametrize("case", WARNED, ids=lambda case: case.id)
def test_what_the_api_takes_is_a_warning_and_counted(case: Case) -> None:
    result = fuzzed(case.function, case.ground, seed=case.seed, examples=60)
    assert (codes(result), result.warnings[case.code] > 0) == (set(), True)
