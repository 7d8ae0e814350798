"""TR607, TR608: tools that ran for a reply that was cut, or ran twice."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract.catalogue import SEQUEL_RULES, also, on_run
from toolreplay.contract.facts import RunFacts
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.sequel import CUT_SHORT, Sequel
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import named
from toolreplay.wire.model import ToolResult

from .runs import place_of


@on_run(
    "TR607",
    "truncated-call-run",
    "EEE",
    evidence="docs: handling-stop-reasons (a call in a reply cut by max_tokens may be incomplete); in "
    "recordings a warning",
)
def truncated_call_run(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """A tool ran for a call of a reply that was cut or refused.

    Why: the input may end in the middle, and a parser that repairs JSON makes something else of it. A loop
    that runs every tool_use block it finds does so.
    Fix: run tools only when the stop_reason is tool_use; after max_tokens send the request again with more
        room.
    Good:
        calls:
          - {id: toolu_1, name: write_page, stop_reason: max_tokens}
        turns: 1
    Bad:
        calls:
          - id: toolu_1
            name: write_page
            stop_reason: max_tokens
            tool: {returned: ok}
            sent: {content: ok}
    """
    for call in facts.calls:
        if call.executions and call.stop_reason in CUT_SHORT:
            yield Broken(place_of(call), f"{named(call.use)} ran, and its reply ended with {call.stop_reason}")


@also(SEQUEL_RULES, "TR607")
def truncated_call_answered(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """In a recording: a good result for a call of a reply that was cut or refused."""
    del context
    reply = sequel.reply
    if sequel.live or reply is None or reply.stop_reason not in CUT_SHORT:
        return
    calls = {use.id: use for use in reply.tool_uses if use.id is not None}
    for message in sequel.new:
        for block in message.blocks:
            if isinstance(block, ToolResult) and block.id in calls and not block.is_error:
                words = f"{named(calls[block.id])} was run, and its reply ended with {reply.stop_reason}"
                yield Broken(block.place.path, words, severity=Severity.WARNING)


@on_run(
    "TR608",
    "tool-run-twice",
    "EEE",
    evidence="seen in frameworks under injected failures: a turn is tried again after its tools ran",
)
def tool_run_twice(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """One call ran more than once.

    Why: a tool that writes, pays or sends has then done it twice, and the model knows of one. It comes from
    retries of a whole turn in place of the request alone.
    Fix: run a call once and keep its outcome; repeat the request, not the tools.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: [{returned: rain}, {returned: rain}], sent: {content: rain}}
    """
    for call in facts.calls:
        if len(call.executions) > 1:
            yield Broken(place_of(call), f"{named(call.use)} ran {len(call.executions)} times")
