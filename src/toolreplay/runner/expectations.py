"""What a scenario expects, held against what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolreplay.contract.facts import CallFacts
from toolreplay.scenario.matchers import in_words, mismatch
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.steps import Expectation, ExpectedCall
from toolreplay.wire.model import Reply, ToolResult

from .cast import MAIN
from .matching import matched
from .run import Failure, Outcome
from .session import Session


def check_expectations(
    scenario: Scenario, session: Session, facts: Sequence[CallFacts], steps: int
) -> tuple[Failure, ...]:
    """Every expectation that was not met, in the order of the steps; of the first `steps` alone."""
    failures = []
    answered = _answered(session)
    # Ids may be the same in the conversations of two agents, so the calls go by their place.
    asked = list(zip(session.calls.served, facts, strict=False))
    own = [(served.prompt, call) for served, call in asked if served.agent == MAIN]
    for number, step in enumerate(scenario.conversation[:steps], 1):
        if step.expect is None:
            continue
        calls = [call for prompt, call in own if prompt == number]
        everyones = [call for served, call in asked if served.prompt == number]
        replies = [
            one.reply
            for one in session.exchanges
            if one.prompt == number and one.agent == MAIN and isinstance(one.reply, Reply)
        ]
        pending = sorted(
            str(call.use.name) for prompt, call in own if _is_open(number, prompt, answered.get(call.use.id))
        )
        for field, text in _unmet(step.expect, calls, everyones, replies, pending):
            line = scenario.line_of("conversation", number - 1, "expect", *field)
            failures.append(Failure(Outcome.FAIL, f"{scenario.path}:{line}", text))
    return tuple(failures)


def _answered(session: Session) -> Mapping[str | None, int]:
    """The step in which each call was answered first."""
    found: dict[str | None, int] = {}
    for exchange, verdict in zip(session.exchanges, session.verdicts, strict=True):
        for message in verdict.new_messages if verdict is not None else ():
            for block in message.blocks:
                if isinstance(block, ToolResult):
                    found.setdefault(block.id, exchange.prompt)
    return found


def _is_open(step: int, asked: int, answered: int | None) -> bool:
    """Whether a call waits at the end of a step. One that is never answered was left behind by the step that asked."""
    if asked > step:
        return False
    return asked == step if answered is None else answered > step


_Unmet = tuple[tuple[str | int, ...], str]


def _unmet(
    expect: Expectation,
    calls: Sequence[CallFacts],
    everyones: Sequence[CallFacts],
    replies: Sequence[Reply],
    pending: Sequence[str],
) -> Iterator[_Unmet]:
    if expect.tool_calls is not None:
        yield from _unmet_calls(expect, calls)
    for index, name in enumerate(expect.never):
        called = [call for call in everyones if call.use.name == name]
        if called:
            yield ("never", index), f"{name} must never be called; it was, in turn {called[0].turn}"
    if expect.turns is not None and not expect.turns.allows(len(replies)):
        yield ("turns",), f"expected {expect.turns}, the prompt took {len(replies)}"
    last = replies[-1] if replies else None
    if expect.stop_reason is not None and (last is None or last.stop_reason != expect.stop_reason):
        found = last.stop_reason if last else None
        yield ("stop_reason",), f"expected stop_reason {expect.stop_reason!r}, the last reply has {found!r}"
    if expect.final_text is not None:
        problem = mismatch(expect.final_text, last.text if last else "", "final_text")
        if problem is not None:
            yield ("final_text",), problem.text
    if expect.pending is not None and list(pending) != sorted(expect.pending):
        yield ("pending",), f"expected open calls {sorted(expect.pending)}, open are {list(pending)}"


def _unmet_calls(expect: Expectation, calls: Sequence[CallFacts]) -> Iterator[_Unmet]:
    expected = expect.tool_calls or ()
    asks = [[_asks_for(wanted, call) for call in calls] for wanted in expected]
    fits = [
        [may and not any(_unmet_result(wanted, call)) for may, call in zip(row, calls, strict=True)]
        for row, wanted in zip(asks, expected, strict=True)
    ]
    found = matched(asks, fits, expect.order)
    for index, (wanted, chosen) in enumerate(zip(expected, found, strict=True)):
        if chosen is None:
            yield ("tool_calls", index), f"expected a call of {_wanted(wanted)}; the calls were: {_list(calls)}"
            continue
        for field, text in _unmet_result(wanted, calls[chosen]):
            yield ("tool_calls", index, *field), text
    left = [call for index, call in enumerate(calls) if index not in found]
    if left and expect.other_calls != "allow":
        yield ("tool_calls",), f"calls that are not expected: {_list(left)}; list them, or write other_calls: allow"


def _asks_for(wanted: ExpectedCall, call: CallFacts) -> bool:
    if wanted.tool != call.use.name or (wanted.id is not None and wanted.id != call.use.id):
        return False
    return wanted.input is None or mismatch(wanted.input, call.use.input, "input", subset=True) is None


def _unmet_result(wanted: ExpectedCall, call: CallFacts) -> Iterator[_Unmet]:
    expected = wanted.result
    if expected is None:
        return
    name = f"{call.use.name} ({call.use.id})"
    if expected.ran is not None and expected.ran != bool(call.executions):
        yield ("result", "ran"), f"{name}: expected ran: {expected.ran}, it ran {len(call.executions)} times"
    if expected.status is None and not expected.has_content:
        return
    if call.result is None:
        yield ("result",), f"{name}: no result was sent"
        return
    status = "error" if call.result.is_error else "success"
    if expected.status is not None and expected.status != status:
        yield (
            ("result", "status"),
            f"{name}: expected status {expected.status}, sent was {status}: {call.result.text[:80]!r}",
        )
    if expected.has_content:
        problem = mismatch(expected.content, call.result.content, f"{name}: content")
        if problem is not None:
            yield ("result", "content"), problem.text


def _wanted(wanted: ExpectedCall) -> str:
    return wanted.tool if wanted.input is None else f"{wanted.tool} with {in_words(wanted.input)}"


def _list(calls: Sequence[CallFacts]) -> str:
    return ", ".join(f"{call.use.name} {in_words(call.use.input)}" for call in calls) or "none"
