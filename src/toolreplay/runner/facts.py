"""The facts of a run, joined by call: what was asked for, what the tool did, what was sent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from toolreplay.contract.entry import check_run
from toolreplay.contract.facts import CallFacts, Did, Execution, RunFacts
from toolreplay.contract.finding import Finding
from toolreplay.wire.model import MISSING, Reply, ToolResult
from toolreplay.wire.words import value_words

from .run import Call, CallResult
from .session import Session
from .toolbox import Logged


def call_facts(session: Session, log: Sequence[Logged], left: Collection[int] = ()) -> tuple[CallFacts, ...]:
    """One record for each call the model asked for, in order.

    A loop goes on from a reply when its next request is answered. One that was refused for what it lacks is
    explained by the rule it broke, and not by the results that were lost with it.

    Args:
        left: the prompts that an exception left, as it may.
    """
    results = _results(session)
    answered_turns = sum(1 for exchange in session.exchanges if isinstance(exchange.reply, Reply))
    facts = []
    for served in session.calls.served:
        result = results.get(served.use.id or "")
        executions = tuple(logged.execution for logged in log if logged.id == served.use.id)
        facts.append(
            CallFacts(
                use=served.use,
                turn=served.turn,
                executions=executions,
                result=result,
                result_path=result.place.path if result is not None else "",
                stop_reason=served.stop_reason,
                followed=served.turn < answered_turns,
                excused=served.prompt in left,
            )
        )
    return tuple(facts)


def _results(session: Session) -> Mapping[str, ToolResult]:
    found: dict[str, ToolResult] = {}
    for verdict in session.verdicts:
        for message in verdict.new_messages if verdict is not None else ():
            for block in message.blocks:
                if isinstance(block, ToolResult) and block.id is not None:
                    found.setdefault(block.id, block)
    return found


def judge_run(session: Session, facts: RunFacts) -> tuple[Finding, ...]:
    """What the rules on a whole run find."""
    request = next((verdict.request for verdict in reversed(session.verdicts) if verdict is not None), None)
    return check_run(facts, request.wire) if request is not None else ()


def public_calls(facts: Sequence[CallFacts]) -> tuple[Call, ...]:
    """The calls as a `Run` shows them."""
    return tuple(
        Call(
            id=call.use.id,
            name=call.use.name,
            input=call.use.input,
            ran=bool(call.executions),
            result=_public_result(call.result),
            turn=call.turn,
            did="; ".join(map(_did, call.executions)),
        )
        for call in facts
    )


def _did(execution: Execution) -> str:
    value = execution.error if execution.did in {Did.RAISED, Did.INTERRUPTED} else execution.value
    return f"{execution.did}: {value_words(value)}"


def _public_result(result: ToolResult | None) -> CallResult | None:
    if result is None:
        return None
    content = "" if result.content is MISSING else result.content
    return CallResult("error" if result.is_error else "success", content)
