"""Runs that begin with the same words, in one recording or log."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, field

import pytest

from toolreplay.contract.conversations import Conversations
from toolreplay.contract.finding import Finding
from toolreplay.wire import converse, messages
from toolreplay.wire.model import Wire

from .build import ASK, C_ASK, Json, assistant, brief, c_result, c_tool, c_use, result, text, tool, use, user

THINKS: Json = {"model": "claude-sonnet-4-5", "thinking": {"type": "enabled", "budget_tokens": 1024}, "tools": [tool()]}


def thought(words: str, signature: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": signature}


def _judged(*steps: tuple[Json, Json | None], wire: Wire = Wire.MESSAGES, live: bool = False) -> list[Finding]:
    of = converse if wire is Wire.CONVERSE else messages
    conversations = Conversations(live=live)
    found: list[Finding] = []
    for body, reply in steps:
        verdict = conversations.judge(of.parse_request(copy.deepcopy(body)))
        found += verdict.fresh
        if reply is not None:
            found += conversations.served(verdict, of.parse_reply(copy.deepcopy(reply)))
    return found


def run(name: str, *, signed: bool = True, turns: int = 3) -> list[tuple[Json, Json]]:
    """The requests of a run with their replies; its calls and signatures are its own, its words are every run's."""
    history: list[Json] = [ASK]
    steps: list[tuple[Json, Json]] = []
    for turn in range(turns):
        call = use(f"toolu_{name}{turn}", given={"city": "Oslo"})
        blocks = [thought("Look.", f"sig_{name}{turn}"), call] if signed else [call]
        body = {**THINKS, "messages": [*history]} if signed else {"tools": [tool()], "messages": [*history]}
        steps.append((body, {"content": blocks, "stop_reason": "tool_use"}))
        history += [assistant(*blocks), user(result(f"toolu_{name}{turn}", content=f"{name} {turn}"))]
    return steps


def _orders(*lengths: int) -> list[tuple[int, ...]]:
    """All orders in which the requests of several runs may stand in a log."""
    runs = [number for number, length in enumerate(lengths) for _ in range(length)]
    return sorted(set(itertools.permutations(runs)))


@pytest.mark.parametrize("signed", [True, False], ids=["thinking", "plain"])
@pytest.mark.parametrize("order", _orders(3, 3) + _orders(2, 2, 2), ids=lambda order: "".join(map(str, order)))
def test_runs_that_begin_alike_are_followed_in_any_order(order: tuple[int, ...], signed: bool) -> None:
    runs = [iter(run(name, signed=signed)) for name in "abc"]

    assert _judged(*(next(runs[number]) for number in order)) == []


@pytest.mark.parametrize("signed", [True, False], ids=["thinking", "plain"])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_run_whose_beginning_is_missing_is_none_that_was_altered(first: int, signed: bool) -> None:
    whole, cut = run("a", signed=signed), run("b", signed=signed)
    assert _judged(whole[0], *cut[first:], *whole[1:]) == []
    assert _judged(*whole[:2], *cut[first:], whole[2]) == []


def test_on_converse_too() -> None:
    def steps(name: str) -> list[tuple[Json, Json]]:
        reasoning = {"reasoningContent": {"reasoningText": {"text": "Look.", "signature": f"sig_{name}"}}}
        blocks = [reasoning, c_use(f"tooluse_{name}")]
        config: Json = {"toolConfig": {"tools": [c_tool()]}}
        reply = {"output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": "tool_use"}
        sent = [C_ASK, assistant(*blocks), user(c_result(f"tooluse_{name}"))]
        return [({**config, "messages": [C_ASK]}, reply), ({**config, "messages": sent}, reply)]

    assert _judged(steps("a")[0], steps("b")[1], wire=Wire.CONVERSE) == []
    assert _judged(steps("a")[0], steps("b")[0], steps("b")[1], steps("a")[1], wire=Wire.CONVERSE) == []


@dataclass(frozen=True)
class Case:
    """How the reply `Look.`, sig_a0, toolu_a0 comes back, and what is found in a recording."""

    id: str
    echo: list[Json]
    found: list[str] = field(default_factory=list)


CALL = use("toolu_a0", given={"city": "Oslo"})
ALTERED = ["TR407 error messages[1].content[0]"]
CASES = [
    Case("as it was", [thought("Look.", "sig_a0"), CALL]),
    Case("the words", [thought("Look", "sig_a0"), CALL], ALTERED),
    Case("the signature", [thought("Look.", "sig_b0"), CALL], ALTERED),
    Case(
        "the words, and another call",
        [thought("Look", "sig_a0"), use("toolu_b0", given={"city": "Oslo"})],
        [*ALTERED, "TR605 warning messages[1]"],
    ),
    Case("nothing of it", [thought("Look", "sig_b0"), use("toolu_b0", given={"city": "Oslo"})]),
    Case("nothing but the words", [thought("Look.", "sig_b0"), use("toolu_b0", given={"city": "Oslo"})]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_only_what_goes_on_from_a_reply_can_alter_it(case: Case) -> None:
    answered = next(block["id"] for block in case.echo if block["type"] == "tool_use")
    sent = {**THINKS, "messages": [ASK, assistant(*case.echo), user(result(answered))]}

    assert sorted(brief(_judged(run("a")[0], (sent, None)))) == case.found


def test_in_a_run_every_reply_is_its_own() -> None:
    sent = {**THINKS, "messages": run("b")[1][0]["messages"]}
    found = brief(_judged(run("a")[0], (sent, None), live=True))

    assert sorted(found) == [*ALTERED, "TR605 error messages[1]"]


DONE: Json = {"content": [thought("So.", "sig_done"), text("Rain.")], "stop_reason": "end_turn"}
THEN: Json = {
    "content": [thought("Hm.", "sig_then"), use("toolu_9", given={"city": "Rome"})],
    "stop_reason": "tool_use",
}


def _stripped(turns: list[Json], *, keep: tuple[int, ...] = ()) -> list[Json]:
    found = copy.deepcopy(turns)
    for index, message in enumerate(found):
        if message["role"] == "assistant" and index not in keep:
            message["content"] = [block for block in message["content"] if block["type"] != "thinking"]
    return found


def _two_prompts() -> tuple[list[tuple[Json, Json]], list[Json], list[Json]]:
    """A run that has ended, its history with the next prompt, and that history a turn later."""
    steps = run("a", turns=2)
    history = [*steps[1][0]["messages"], assistant(*steps[1][1]["content"]), user(result("toolu_a1", content="a 1"))]
    first = [*steps, ({**THINKS, "messages": history}, DONE)]
    asked = [*history, assistant(*DONE["content"]), user("And in Rome?")]
    return first, asked, [*asked, assistant(*THEN["content"]), user(result("toolu_9"))]


@pytest.mark.parametrize("live", [True, False])
def test_thinking_of_earlier_turns_may_be_left_out_after_a_prompt(live: bool) -> None:
    first, asked, answered = _two_prompts()
    then = len(asked)

    for history, later in ((asked, answered), (_stripped(asked), _stripped(answered, keep=(then,)))):
        steps = [*first, ({**THINKS, "messages": history}, THEN), ({**THINKS, "messages": later}, None)]
        assert brief(_judged(*steps, live=live)) == []


def test_thinking_of_the_turn_that_goes_on_may_not() -> None:
    first, asked, answered = _two_prompts()
    steps = [*first, ({**THINKS, "messages": asked}, THEN), ({**THINKS, "messages": _stripped(answered)}, None)]

    assert brief(_judged(*steps)) == [f"TR406 error messages[{len(asked)}].content[0]"]


def test_where_thinking_is_bound_the_rest_may_be_refused() -> None:
    first, asked, answered = _two_prompts()
    later = _stripped(answered, keep=(len(asked),))
    bound = [({**body, "model": "claude-opus-5-5", "thinking": {"type": "adaptive"}}, reply) for body, reply in first]
    base = {"model": "claude-opus-5-5", "thinking": {"type": "adaptive"}, "tools": [tool()]}
    steps = [*bound, ({**base, "messages": asked}, THEN), ({**base, "messages": later}, None)]

    assert brief(_judged(*steps)) == ["TR412 warning messages[1]"]


def test_many_runs_of_one_beginning_are_told_apart() -> None:
    names = [f"n{number}_" for number in range(300)]
    runs = [run(name, turns=2) for name in names]

    assert _judged(*(steps[0] for steps in runs), *(steps[1] for steps in runs[-64:])) == []
