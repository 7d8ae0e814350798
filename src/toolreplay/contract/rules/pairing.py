"""TR101-103, TR107, TR109: every call of a turn has one result, and every result one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_step
from toolreplay.contract.finding import Broken, Profile
from toolreplay.contract.turns import Context, Step, Turn
from toolreplay.contract.wording import listed, named, shown
from toolreplay.wire.model import Place, ToolResult, ToolUse, Wire

SERVER_PREFIXES = ("srvtoolu_", "mcptoolu_")


@on_step(
    "TR101",
    "unanswered-tool-use",
    "EEE",
    evidence="400 reported in anthropics/claude-code#12526; Converse: timothy-agent/timothy#33; "
    "docs: handle-tool-calls",
    answers={Wire.MESSAGES: [wording.UNANSWERED], Wire.CONVERSE: [wording.UNANSWERED_ON_CONVERSE]},
)
def unanswered_tool_use(step: Step, context: Context) -> Iterator[Broken]:
    """A tool_use has no tool_result in the next user turn.

    Why: the API refuses the request, and every later one of the session that still holds the call.
    Fix: send one tool_result for every tool_use of the turn, in the next user message; a call that failed,
        was denied or was interrupted gets one with error status.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: Never mind.}
    """
    lost = _unanswered(step.calls, step.turn.results, step)
    if not lost:
        return
    answer = answer_for_unanswered(lost, step.before, step, context)
    for use in lost:
        yield Broken(
            path=_in_body(use.place, step),
            message=f"tool_use {named(use)} has no tool_result in the next user turn",
            api=answer,
        )


@on_step(
    "TR102",
    "orphan-tool-result",
    "EEE",
    evidence="400 recorded in anthropics/anthropic-sdk-python (test_runners snapshot f59a9391), reported in "
    "github/copilot-cli#1005; Converse: pydantic/pydantic-ai#2327, strands-agents/harness-sdk#1435",
    answers={
        Wire.MESSAGES: [wording.ORPHAN, wording.ORPHAN_WITHOUT_ID],
        Wire.CONVERSE: [wording.EXCESS_ON_CONVERSE],
    },
    about=(ToolResult,),
)
def orphan_tool_result(step: Step, context: Context) -> Iterator[Broken]:
    """A tool_result answers no tool_use of the turn before.

    Why: results are matched by id with the calls of the directly preceding assistant turn. Most orphans come
    from a history that was trimmed or compacted between a call and its result, or from a result that arrived
    a turn late.
    Fix: send the result in the user message right after its tool_use, with that tool_use's id; when a history
        is cut, cut before a user message that holds no tool_result.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: "Summary: we talked about Oslo."}
          - {role: assistant, content: Go on.}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    if step.before is None and context.request.continues is not None:
        return  # a thread goes on from a reply that is not in this body
    if any(not use.id for use in step.calls):
        return  # TR202 tells of the call without an id, which leaves its result alone
    if not step.turn.results:
        return
    known = step.called | step.misplaced_ids
    orphans = [one for one in step.turn.results if one.id not in known and not _answers_server(one, step, context)]
    if not orphans:
        return
    missing = _missing_on_converse(step, context)
    for result in orphans:
        yield Broken(
            path=result.place.path,
            message=_why_orphan(result, step),
            api=_answer_for_orphan(result, step, context, missing),
        )


@on_step(
    "TR103",
    "duplicate-tool-result",
    "EEE",
    evidence="400 reported in forkwright/aletheia#57",
    answers={
        Wire.MESSAGES: [wording.DUPLICATE_RESULT],
        Wire.CONVERSE: [wording.DUPLICATE_RESULT_ON_CONVERSE],
    },
    about=(ToolResult,),
)
def duplicate_tool_result(step: Step, context: Context) -> Iterator[Broken]:
    """Two results answer one tool_use.

    Why: a call has exactly one result. The second one is often a placeholder that a loop detector, a
    permission hook or a "sibling failed" handler adds although the tool's own result is there.
    Fix: send one tool_result for each tool_use id; put what else there is to say into its content, or into a
        text block after all results.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - role: user
            content:
              - {type: tool_result, tool_use_id: toolu_1, content: rain}
              - {type: tool_result, tool_use_id: toolu_1, content: cancelled, is_error: true}
    """
    if len(step.turn.results) < 2:
        return
    # Two calls of one id (TR201) explain two results for it.
    left = Counter(use.id for use in step.calls)
    first: dict[str | None, ToolResult] = {}
    for result in step.turn.results:
        if result.id not in step.called:
            continue
        left[result.id] -= 1
        if left[result.id] >= 0:
            first[result.id] = result
            continue
        yield Broken(
            path=result.place.path,
            message=f"a second tool_result for {shown(result.id)}, after {first[result.id].place.path}",
            api=_by_wire(
                context,
                wording.DUPLICATE_RESULT.format(at=step.turn.api_place(result.place, context), id=result.id),
                wording.DUPLICATE_RESULT_ON_CONVERSE.format(n=result.place.message, id=result.id),
            ),
        )


@on_step(
    "TR107",
    "server-tool-answered",
    "EE-",
    evidence="docs: server-tools (the API pairs the results of these tools itself); the refusal is TR102's",
    answers={Wire.MESSAGES: [wording.ORPHAN]},
    about=(ToolResult,),
)
def server_tool_answered(step: Step, context: Context) -> Iterator[Broken]:
    """A client tool_result answers a call that the API's side runs.

    Why: server tools and MCP connector tools are run by the API, which puts their results into an assistant
    turn itself. A loop that answers every block with "tool_use" in its type answers too much.
    Fix: answer only blocks of type tool_use; send server_tool_use and mcp_tool_use blocks back unchanged.
    Good:
        messages:
          - {role: user, content: News and the weather in Oslo}
          - role: assistant
            content:
              - {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: News and the weather in Oslo}
          - role: assistant
            content:
              - {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
          - role: user
            content:
              - {type: tool_result, tool_use_id: srvtoolu_1, content: "no such tool", is_error: true}
              - {type: tool_result, tool_use_id: toolu_1, content: rain}
    """
    for result in step.turn.results:
        if _answers_server(result, step, context):
            yield Broken(
                path=result.place.path,
                message=f"tool_result answers {shown(result.id)}, a call that the API's side runs",
                api=_answer_for_orphan(result, step, context) if context.wire is Wire.MESSAGES else None,
            )


@on_step(
    "TR109",
    "dangling-tool-use",
    "EEE",
    evidence="follows from TR101: the calls have no result in the next message; docs: handle-tool-calls",
    answers={Wire.MESSAGES: [wording.UNANSWERED], Wire.CONVERSE: [wording.UNANSWERED_ON_CONVERSE]},
    about=(ToolUse,),
)
def dangling_tool_use(step: Step, context: Context) -> Iterator[Broken]:
    """The request ends with an assistant turn that calls tools.

    Why: a call is never a prefill; nothing but its result may come next. Such a request is sent by a loop
    that goes on before it ran the tools, or that keeps an interrupted turn in its history.
    Fix: append the user message with a tool_result for every call before sending, or take the unfinished
        assistant turn out of the history.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
    """
    if not step.last:
        return
    open_calls = [use for use in step.turn.uses if use.id not in step.turn.misplaced_ids]
    if open_calls:
        calls = ", ".join(named(use) for use in open_calls)
        yield Broken(
            path=open_calls[0].place.path,
            message=f"the request ends with calls that have no tool_result: {calls}",
            api=answer_for_unanswered(open_calls, step.turn, step, context),
        )


def answer_for_unanswered(uses: Sequence[ToolUse], turn: Turn | None, step: Step, context: Context) -> str | None:
    """The API's words for calls of `turn` that have no result where it looks for them."""
    ids = listed(use.id for use in uses)
    if turn is None or not ids:
        return None
    last = turn.messages[-1].index
    if context.wire is Wire.CONVERSE:
        answering = step.turn.messages[0].index if turn is not step.turn and step.turn.messages else last + 1
        return wording.UNANSWERED_ON_CONVERSE.format(n=answering, ids=ids)
    return wording.UNANSWERED.format(n=turn.api_index(last, context), ids=ids)


def _unanswered(calls: Sequence[ToolUse], results: Sequence[ToolResult], step: Step) -> list[ToolUse]:
    if not calls:
        return []
    given = {result.id for result in results} | step.misplaced_ids
    first = {use.id: use for use in reversed(calls) if use.id}
    return [use for use in calls if use.id and use.id not in given and first[use.id] is use]


def _in_body(place: Place, step: Step) -> str:
    """The place, or what follows it where a thread's reply stands in no body (its index is negative)."""
    if place.message >= 0:
        return place.path
    return step.turn.messages[0].path if step.turn.messages else "messages"


def _answers_server(result: ToolResult, step: Step, context: Context) -> bool:
    if context.profile is Profile.CONVERSE or result.id is None or result.id in step.called:
        return False
    return result.id in step.servers or result.id.startswith(SERVER_PREFIXES)


def _why_orphan(result: ToolResult, step: Step) -> str:
    if result.id is None:
        return "tool_result has no tool_use_id"
    called = step.seen.get(result.id)
    if called is not None:
        return f"tool_result answers {shown(result.id)}, called at {called.path}, not in the turn before"
    return f"tool_result answers {shown(result.id)}, which no tool_use of the turn before has"


def _answer_for_orphan(result: ToolResult, step: Step, context: Context, missing: str | None = None) -> str | None:
    if context.wire is Wire.CONVERSE:
        excess = len(step.turn.results) > len(step.calls)
        return wording.EXCESS_ON_CONVERSE.format(n=result.place.message) if excess else missing
    template = wording.ORPHAN if result.id is not None else wording.ORPHAN_WITHOUT_ID
    return template.format(at=step.turn.api_place(result.place, context), id=result.id)


def _missing_on_converse(step: Step, context: Context) -> str | None:
    """What Converse answers to an orphan where results are not too many: that another call lacks its result."""
    if context.wire is not Wire.CONVERSE or len(step.turn.results) > len(step.calls):
        return None
    return answer_for_unanswered(_unanswered(step.calls, step.turn.results, step), step.before, step, context)


def _by_wire(context: Context, messages: str, converse: str) -> str:
    return converse if context.wire is Wire.CONVERSE else messages
