"""TR6xx: a whole run: what the model asked for, what the tools really did, and what was sent."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract.carried import carries_own, failed, sendable, swapped_with, told
from toolreplay.contract.catalogue import on_run
from toolreplay.contract.facts import CallFacts, Did, RunFacts
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import named, shown


@on_run("TR601", "lost-result", "EEE", evidence="seen in frameworks under injected failures; see TR101")
def lost_result(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """A call ran and its result was never sent, although the loop went on.

    Why: the tool's side effects happened and the model does not know. It comes from a sibling call that
    raised, from a limit that is checked after the tools ran, and from answering only the first of several
    calls.
    Fix: send one result for every call that ran, whatever happened to its siblings.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
          - {id: toolu_2, name: weather, tool: {returned: fog}}
    """
    for call in facts.calls:
        if call.executions and call.result is None and call.followed and not call.excused:
            yield Broken(place_of(call), f"{named(call.use)} ran and its result was never sent")


@on_run(
    "TR602",
    "wrong-status",
    "EEE",
    evidence="docs: handle-tool-calls (is_error), Bedrock API reference (status)",
)
def wrong_status(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """The status of a result is not what the tool did.

    Why: a failure that is sent as a success is taken for data; the model repeats the error text as an answer.
    The other way round, an error status on a returned value, is a warning.
    Fix: set `is_error: true` (Converse: `status: error`) exactly when the tool failed.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {raised: no city}, sent: {content: no city, is_error: true}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {raised: no city}, sent: {content: no city}}
    """
    for call in facts.calls:
        severity = _status_fault(call)
        if severity is None or swapped_with(call, facts.calls) is not None:
            continue
        if severity is Severity.ERROR:
            did = "raised" if call.executions[-1].did is Did.RAISED else "failed"
            message = f"{named(call.use)} {did} and its result says success"
        else:
            message = f"{named(call.use)} returned a value and its result says error"
        yield Broken(place_of(call), message, severity=severity)


@on_run(
    "TR603",
    "wrong-content",
    "EEE",
    evidence="seen in frameworks under injected failures: documents dropped, one text for all errors",
)
def wrong_content(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """A result does not carry what the tool returned, or what it failed with.

    Why: the model goes on without the output it asked for. Cutting, wrapping and pretty-printing are no
    fault: one recognisable word or value of the outcome is enough. A fixed text in place of an error's own is
    a warning.
    Fix: put the tool's output, or the message of its error, into the content of the result.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: "Result: rain"}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: done}}
    """
    for call in facts.calls:
        if call.result is None or carries_own(call) or swapped_with(call, facts.calls) is not None:
            continue
        if _status_fault(call) is Severity.WARNING:
            continue  # TR602 tells of a returned value that is sent as an error
        blank = not told(call.result).strip()
        if not all(failed(execution) for execution in call.executions):
            yield Broken(place_of(call), f"the result of {named(call.use)} shows nothing of what the tool returned")
        elif not blank:
            message = f"the result of {named(call.use)} has a fixed text in place of the error's own"
            yield Broken(place_of(call), message, severity=Severity.WARNING)
        elif not call.result.is_error:  # else TR302 tells of the empty error
            yield Broken(place_of(call), f"the result of {named(call.use)} does not tell what failed")


@on_run("TR604", "swapped-results", "EEE", evidence="docs: parallel-tool-use (results are matched by id)")
def swapped_results(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """The result of one call stands under the id of another.

    Why: nothing on the wire is invalid, and the model works with the wrong data. It comes from pairing
    results with calls by position when calls finish in another order, or are filtered.
    Fix: keep each call's id with its result from the start; never pair by position.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
          - {id: toolu_2, name: weather, tool: {returned: fog}, sent: {content: fog}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: fog}}
          - {id: toolu_2, name: weather, tool: {returned: fog}, sent: {content: rain}}
    """
    for call in facts.calls:
        other = swapped_with(call, facts.calls)
        if other is not None:
            message = f"the result of {named(call.use)} carries what {named(other.use)} gave"
            yield Broken(place_of(call), message)


@on_run("TR609", "loop-crashed", "EEE", evidence="docs: handle-tool-calls (errors go back as results)")
def loop_crashed(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """The loop raised because a tool failed, or over a call that it could not deal with.

    Why: a failing tool is an everyday event the model can deal with, and so is a tool that does not exist. An
    exception that leaves the loop also leaves a call unanswered in the history, and the session's next request
    is refused (TR101).
    Fix: catch what a tool raises, an unknown name and a value that cannot be sent, and send an error result.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {raised: no city}, sent: {content: no city, is_error: true}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {raised: no city}}
        turns: 1
        crashed: "LookupError: no city"
    """
    if facts.crashed is None:
        return
    culprit = next((call for call in reversed(facts.calls) if _raised_unanswered(call)), None)
    unanswered = next((call for call in facts.calls if call.left_open), None)
    if culprit is not None:
        why = f"because {named(culprit.use)} raised"
    elif unanswered is not None:
        why = f"before it answered {named(unanswered.use)}"
    else:
        why = "because a tool raised"
    where = culprit or unanswered
    yield Broken(place_of(where) if where else f"turn {facts.turns}", f"the loop ended {why}: {shown(facts.crashed)}")


@on_run(
    "TR610",
    "loop-abandoned",
    "EEE",
    evidence="docs: handling-stop-reasons (tool_use: run all calls and go on)",
)
def loop_abandoned(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """The model asked for tools and the loop stopped without answering.

    Why: the last reply is no answer, and the calls stay open in the history. Where a call ran, its side
    effects happened unseen: an iteration limit that is checked after the tools ran does that.
    Fix: go on until the stop_reason is not tool_use; check limits before the tools run, and answer the open
        calls with error results before the history is used again.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}}
        turns: 1
    """
    ended = facts.refused or facts.over_limit is not None or facts.stopped is not None or facts.crashed is not None
    if ended or facts.pending_expected:
        return
    left = [call for call in facts.calls if call.left_open]
    if left:
        calls = ", ".join(named(call.use) for call in left)
        ran = "; a tool had run" if any(call.executions for call in left) else ""
        yield Broken(place_of(left[0]), f"the loop stopped without answering {calls}{ran}")


@on_run(
    "TR611",
    "loop-endless",
    "EEE",
    evidence="docs: define-tools (a forced tool_choice asks for a tool every turn)",
)
def loop_endless(facts: RunFacts, _context: Context) -> Iterator[Broken]:
    """The loop asked for more turns than allowed, or did not end in its time.

    Why: every turn is paid for. A forced `tool_choice` that is kept on every request never ends, nor does a
    loop that sends again what was just answered.
    Fix: stop at a limit of your own and take a forced tool_choice off after the first turn; raise `max_turns`
        where the work really needs more.
    Good:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
    Bad:
        calls:
          - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
        over_limit: 2
    """
    if facts.over_limit is None and facts.stopped is not None:
        yield Broken(f"turn {facts.turns}", facts.stopped)
    if facts.over_limit is not None:
        limit = facts.over_limit
        yield Broken(f"turn {limit + 1}", f"the loop asked for another reply after {limit}, the most it is allowed")


def place_of(call: CallFacts) -> str:
    """Where a finding about a call stands: its result in the request, or its turn."""
    return call.result_path or f"turn {call.turn}: {shown(call.use.name)} ({shown(call.use.id)})"


def _raised_unanswered(call: CallFacts) -> bool:
    return call.result is None and any(execution.did is Did.RAISED for execution in call.executions)


def _status_fault(call: CallFacts) -> Severity | None:
    """How wrong the result's status is; a call that ran several times may be told by any of its runs."""
    if call.result is None or not call.executions:
        return None
    if call.result.is_error:
        wrong = all(not failed(execution) and sendable(execution) for execution in call.executions)
        return Severity.WARNING if wrong else None
    if call.use.programmatic:
        return None  # docs: programmatic-tool-calling shows errors as plain content
    return Severity.ERROR if all(failed(execution) for execution in call.executions) else None
