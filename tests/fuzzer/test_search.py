from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from tests.loops import fuzzed_faulty as faulty
from tests.loops.faults import FAULTS
from tests.loops.faulty import never_ends
from tests.loops.planted import planted
from toolreplay.errors import LoopError
from toolreplay.fuzzer import engine
from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.faults import FIDELITY, OUTCOME, VALIDITY
from toolreplay.fuzzer.ground import TOOLS, plain_ground
from toolreplay.fuzzer.playing import Played
from toolreplay.fuzzer.search import Search
from toolreplay.loop import run_bedrock
from toolreplay.wire.model import Wire

from .play import Loop, codes, fuzzed, played

Json = dict[str, Any]


def case(*outcomes: Json, hostile: bool = False, **step: object) -> Case:
    """A case of one reply with a call for each outcome, and a second prompt."""
    uses = [
        {"type": "tool_use", "id": f"toolu_{number}", "name": "look_up", "input": {"key": str(number)}}
        for number, _ in enumerate(outcomes)
    ]
    stub = [{"when": {"key": str(number)}, **outcome} for number, outcome in enumerate(outcomes)]
    document = {
        "version": 1,
        "name": "made",
        "model": "claude-sonnet-5-5",
        "max_turns": 5,
        "tools": [{**TOOLS[0], "stub": [*stub, {"return": "other"}]}],
        "conversation": [{"user": "Go on.", "script": [{"content": uses}], **step}, {"user": "And now?"}],
    }
    return Case(document, hostile)


@dataclass(frozen=True)
class Judged:
    """What is said of one case."""

    id: str
    loop: Loop
    case: Case
    said: list[tuple[str, str, bool]]


FAILS: Final[Json] = {"raise": {"type": "ValueError", "message": "mark-9"}}
JUDGED: Final = (
    Judged("a good loop", planted(), case({"return": "mark-1"}, FAILS), []),
    Judged(
        "a result is left out",
        FAULTS["answers the first call only"],
        case({"return": "mark-1"}, {"return": "mark-2"}),
        [("TR101", VALIDITY, True), ("TR601", FIDELITY, True)],
    ),
    Judged(
        "a failure is sent as a success",
        FAULTS["sends failures as successes"],
        case(FAILS),
        [("TR602", FIDELITY, True)],
    ),
    Judged("a fixed text", FAULTS["sends failures without their message"], case(FAILS), [("TR603", FIDELITY, False)]),
    Judged("an exception leaves", FAULTS["lets a tool's exception out"], case(FAILS), [("TR609", OUTCOME, True)]),
    Judged(
        "a prompt too many",
        never_ends,
        case({"return": "mark-1"}),
        [("TR611", OUTCOME, True)],
    ),
    Judged(
        "an interrupt may leave a good loop",
        planted(),
        case({"raise": {"type": "KeyboardInterrupt", "message": "mark-1"}}),
        [],
    ),
    Judged(
        "what is sent after an interrupt is judged",
        faulty.keeps_a_call_for_the_next_prompt,
        case({"raise": {"type": "KeyboardInterrupt", "message": "mark-1"}}),
        [("TR101", VALIDITY, True)],
    ),
    Judged(
        "an exception of the loop's own",
        faulty.looks_unknown_tools_up,
        case({"return": "mark-1"}, script=[{"content": [{"type": "tool_use", "id": "a", "name": "b", "input": {}}]}]),
        [("TR609", OUTCOME, True)],
    ),
    Judged("the process ends", faulty.ends_the_process, case({"exit": True}), [("TR609", OUTCOME, True)]),
)


@pytest.mark.parametrize("judged", JUDGED, ids=lambda judged: judged.id)
def test_a_case_is_judged_in_three_layers(judged: Judged) -> None:
    found = played(judged.loop, judged.case)
    assert [(one.code, one.layer, one.is_error) for one in found.faults] == judged.said
    assert found.trouble is None


def test_a_loop_that_hangs_is_found_and_the_search_goes_on() -> None:
    result = fuzzed(faulty.waits_for_futures, deadline=0.6, examples=60)
    assert [(one.fault.code, one.fault.message) for one in result.found] == [
        ("TR611", "the loop did not end within 3 s after a tool raised StopIteration")
    ]
    assert result.examples > 40


def test_a_hang_does_not_keep_other_faults_from_being_found() -> None:
    result = fuzzed(faulty.waits_and_loses_the_flag, deadline=0.8, examples=60)
    assert codes(result) == {"TR602", "TR611"}


def test_a_loop_that_ends_its_process_is_found_and_the_search_goes_on() -> None:
    result = fuzzed(faulty.ends_the_process, seed=5)
    assert [(one.fault.code, one.fault.where, one.fault.message) for one in result.found] == [
        ("TR609", "the process", "the loop's process ended with exit code 3")
    ]


def test_a_loop_that_cannot_be_played_is_told_of_at_once() -> None:
    with pytest.raises(LoopError, match="asks for the client AnthropicBedrock, and the scenario speaks Converse"):
        fuzzed(run_bedrock, plain_ground(Wire.CONVERSE), examples=5)


def test_a_seed_makes_two_searches_the_same() -> None:
    first, second = (fuzzed(faulty.loses_the_flag, seed=7) for _ in range(2))
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)
    assert first.found
    assert first.seconds > 0


def test_a_long_search_is_several_runs_that_draw_different_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_BATCH", 5)
    keys: list[str] = []

    class Noted(Search):
        def play(self, case: Case) -> Played:
            keys.append(case.key)
            return super().play(case)

    monkeypatch.setattr(engine, "Search", Noted)
    result = fuzzed(planted(), examples=60)
    assert (result.examples, len(keys), result.found) == (60, 60, ())
    assert len(set(keys[40:])) > 10


def test_another_seed_draws_other_cases() -> None:
    first, second = (fuzzed(planted(), examples=15, seed=seed) for seed in (1, 2))
    assert (first.calls, first.requests) != (second.calls, second.requests)


def test_rules_that_are_ignored_stop_nothing() -> None:
    loop = planted(told=lambda error: "", answers=lambda answers: answers[:1])
    usual = fuzzed(loop)
    assert codes(usual) >= {"TR302"}
    ignoring = fuzzed(loop, ignored={"TR302"})
    assert codes(ignoring) & {"TR101", "TR302"} == {"TR101"}
    assert set(ignoring.known) == {"TR302"}


def test_with_strict_a_broken_request_is_refused() -> None:
    refused: dict[bool, list[str]] = {}

    def loop(client: Any, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Any) -> None:
        body: Json = {"model": model, "max_tokens": max_tokens, "tools": tools}
        reply = client.messages.create(**body, messages=messages).to_dict()
        answered = [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": "Well?"}]
        try:
            client.messages.create(**body, messages=[*messages, *answered])
        except Exception as error:  # noqa: BLE001  (whatever the client raises)
            told.append(str(error))

    for strict in (False, True):
        told = refused.setdefault(strict, [])
        played(loop, case({"return": "mark-1"}), strict=strict)
    assert refused[False] == []
    assert len(refused[True]) == 1
    assert refused[True][0].startswith("Error code: 400")
    assert "`tool_use` ids were found without `tool_result` blocks" in refused[True][0]


@pytest.mark.parametrize("ground", [plain_ground(), plain_ground(Wire.CONVERSE)], ids=["messages", "converse"])
def test_what_follows_from_a_hostile_model_side_is_a_warning(ground: Any) -> None:
    result = fuzzed(planted(), ground, examples=40, hostile=True)
    assert codes(result) == set()
    assert result.warnings.keys() & {"TR201", "TR304"}


def test_a_loop_that_flattens_calls_to_text_was_not_checked() -> None:
    def loop(client: Any, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Any) -> None:
        client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)

    result = fuzzed(loop, examples=20, ignored={"TR610", "TR101", "TR109", "TR601"})
    assert (result.checked, result.results, result.known >= {"TR610"}) == (False, 0, True)
