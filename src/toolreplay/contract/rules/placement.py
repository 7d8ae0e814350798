"""TR104-106, TR108, TR110: results stand together, at the start of the very next user message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_step
from toolreplay.contract.finding import Broken, Profile, Severity
from toolreplay.contract.turns import Context, Step, only_directives
from toolreplay.contract.wording import named, shown
from toolreplay.wire.model import Block, Marker, Message, ServerToolUse, ToolResult, ToolUse, Wire

from .pairing import answer_for_unanswered


@on_step(
    "TR104",
    "result-not-first",
    "EEE",
    evidence="400 reported in shareAI-lab/learn-claude-code#55; docs: handle-tool-calls",
    answers={Wire.MESSAGES: [wording.UNANSWERED], Wire.CONVERSE: [wording.UNANSWERED_ON_CONVERSE]},
    about=(ToolResult,),
)
def result_not_first(step: Step, context: Context) -> Iterator[Broken]:
    """Something stands before a tool_result in its turn.

    Why: the API looks for results only in the leading run of tool_result blocks. A text before or between
    them hides the ones behind it: a reminder, a summary of older results, a caption.
    Fix: put every tool_result before any other block of the user turn, or send the other blocks in the turn
        after.
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
              - {type: text, text: "Here it is:"}
              - {type: tool_result, tool_use_id: toolu_1, content: rain}
    """
    if _held_open(step, context):
        return  # TR108 refuses the same block wherever it stands
    answer: str | None = None
    for view in step.views(context):
        positions = _answering(view, step)
        obstacle = next((block for block in view[: positions[-1]] if _is_other(block)), None) if positions else None
        if obstacle is not None:
            # The API refuses a request once, for the first obstacle; with thousands of messages it is one text.
            answer = answer or _answer_for_hidden(view, step, context)
            yield Broken(
                path=obstacle.place.path,
                message="stands before a tool_result of its turn; results come first",
                api=answer,
            )


@on_step(
    "TR105",
    "split-results",
    "WEE",
    evidence="docs: parallel-tool-use calls it wrong; the first-party API joins the messages (api/messages); "
    "400 reported through gateways in MoonshotAI/kosong#45, KunAgent/Kun#575; certain on Converse",
    answers={Wire.CONVERSE: [wording.UNANSWERED_ON_CONVERSE]},
    about=(ToolResult,),
)
def split_results(step: Step, context: Context) -> Iterator[Broken]:
    """The results of one turn are spread over several user messages.

    Why: the first-party API joins the messages, but the model learns from them not to call tools in parallel;
    Converse and endpoints that look like Anthropic's join nothing and refuse the request.
    Fix: collect the results of all calls of a turn and send them in one user message.
    Good:
        messages:
          - {role: user, content: Weather in Oslo and Bergen}
          - role: assistant
            content:
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
              - {type: tool_use, id: toolu_2, name: weather, input: {city: Bergen}}
          - role: user
            content:
              - {type: tool_result, tool_use_id: toolu_1, content: rain}
              - {type: tool_result, tool_use_id: toolu_2, content: fog}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo and Bergen}
          - role: assistant
            content:
              - {type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}
              - {type: tool_use, id: toolu_2, name: weather, input: {city: Bergen}}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_2, content: fog}]}
    """
    if not step.answers:
        return
    first = step.answers[0].place.message
    late = [result for result in step.answers if result.place.message != first]
    if late:
        late_ids = {result.id for result in late}
        api = None
        if not context.joins_neighbours:
            api = answer_for_unanswered([use for use in step.calls if use.id in late_ids], step.before, step, context)
        yield Broken(
            path=late[0].place.path,
            message=f"the results of one turn are split: {shown(late[0].id)} is not in messages[{first}]",
            api=api,
        )


@on_step(
    "TR106",
    "interrupted-pair",
    "EEE",
    evidence="docs: handle-tool-calls, mid-conversation-system-messages; Converse needs alternating roles "
    "(langchain-ai/langchain-aws#130)",
    answers={
        Wire.MESSAGES: [wording.SYSTEM_BETWEEN, wording.UNANSWERED],
        Wire.CONVERSE: [wording.UNANSWERED_ON_CONVERSE],
    },
    about=(ToolResult,),
)
def interrupted_pair(step: Step, context: Context) -> Iterator[Broken]:
    """A message stands between calls and their results.

    Why: results belong into the very next message. A `role: system` message may follow them, not precede
    them; where neighbours of one role are not joined, a second assistant or user message in between breaks
    the pair too.
    Fix: move the message behind the results.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
          - {role: system, content: Answer in Norwegian.}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: system, content: Answer in Norwegian.}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    if not step.answers:
        return
    for message in step.between:
        if not only_directives(message):
            api = wording.SYSTEM_BETWEEN if context.wire is Wire.MESSAGES else None
            yield Broken(message.path, "a system message stands between calls and their results", api)
    if not context.joins_neighbours:
        answered = {result.id for result in step.answers}
        calls = [use for use in step.calls if use.id in answered]
        between = list(_interruptions(calls, step))
        answer = answer_for_unanswered(calls, step.before, step, context) if between else None
        for message in between:
            yield Broken(
                path=message.path,
                message=f"a message of role {shown(message.role)} stands between calls and their results",
                api=answer,
            )


@on_step(
    "TR108",
    "pending-server-tool-crowded",
    "EE-",
    evidence="docs: server-tools, handling-stop-reasons, programmatic-tool-calling, troubleshooting-tool-use",
    answers={Wire.MESSAGES: [wording.SERVER_TOOL_OPEN]},
    about=(ToolResult,),
)
def pending_server_tool_crowded(step: Step, context: Context) -> Iterator[Broken]:
    """More than results is sent while a server tool, or code on the API's side, is waiting.

    Why: an assistant turn may call a server tool and a client tool at once; the server tool then runs at the
    start of the next request. Any block but tool_result ends the turn before it could. The same holds for
    calls made by code execution (`caller`).
    Fix: answer such a turn with tool_result blocks alone; send what else there is to say after the model's
        next reply.
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
              - {type: tool_result, tool_use_id: toolu_1, content: rain}
              - {type: text, text: Go on.}
    """
    waiting = _held_open(step, context)
    if waiting is None:
        return
    extra = next((block for block in step.turn.blocks if _is_other(block)), None)
    if extra is None:
        return
    api = None
    if isinstance(waiting, ServerToolUse):
        api = wording.SERVER_TOOL_OPEN.format(tool=waiting.name, id=waiting.id)
        held = f"the server tool {shown(waiting.name)} ({shown(waiting.id)}) is open"
    else:
        held = f"{named(waiting)} was called by code on the API's side"
    yield Broken(extra.place.path, f"only tool_result blocks may be sent while {held}", api)


@on_step(
    "TR110",
    "text-after-results",
    "IWW",
    evidence="docs: handle-tool-calls, handling-stop-reasons (it teaches empty replies); Llama on "
    "Converse: 400 reported in strands-agents/harness-sdk#1223",
    answers={Wire.CONVERSE: [wording.MIXED_TURN_ON_CONVERSE]},
    about=(ToolResult,),
)
def text_after_results(step: Step, context: Context) -> Iterator[Broken]:
    """Other content follows the results.

    Why: it is legal for Claude, but the model learns to wait for the user after a tool call and ends its turn
    with an empty reply. On Converse some model families refuse it (Llama, there an error).
    Fix: send the results alone; put what the model must know into a result's content or into the system
        prompt.
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
              - {type: text, text: Answer in one line.}
    """
    if _held_open(step, context):
        return
    for view in step.views(context):
        positions = _answering(view, step)
        extra = next((block for block in view[positions[-1] + 1 :] if _is_other(block)), None) if positions else None
        if extra is None:
            continue
        if context.wire is Wire.CONVERSE and "llama" in (context.request.model or "").lower():
            api = wording.MIXED_TURN_ON_CONVERSE.format(n=extra.place.message)
            yield Broken(extra.place.path, "this model takes results only alone", api, severity=Severity.ERROR)
        else:
            yield Broken(extra.place.path, "stands after the tool_result blocks of its turn")


def _is_other(block: Block) -> bool:
    return not isinstance(block, ToolResult | Marker)


def _answering(view: Sequence[Block], step: Step) -> list[int]:
    """Where in the view the results stand that answer a call of the turn before."""
    if not step.called:
        return []
    return [index for index, block in enumerate(view) if isinstance(block, ToolResult) and block.id in step.called]


def _held_open(step: Step, context: Context) -> ServerToolUse | ToolUse | None:
    """The call because of which the answering turn may hold nothing but results (docs: server-tools)."""
    if not step.answers or context.profile is Profile.CONVERSE:
        return None
    if step.open_servers:
        return step.open_servers[0]
    return next((use for use in step.calls if use.programmatic), None)


def _answer_for_hidden(view: Sequence[Block], step: Step, context: Context) -> str | None:
    start = next((index for index, block in enumerate(view) if _is_other(block)), len(view))
    leading = {block.id for block in view[:start] if isinstance(block, ToolResult)}
    return answer_for_unanswered([use for use in step.calls if use.id not in leading], step.before, step, context)


def _interruptions(calls: Sequence[ToolUse], step: Step) -> Iterator[Message]:
    called_at = min(use.place.message for use in calls)
    answered_at = step.answers[0].place.message
    for message in (*(step.before.messages if step.before is not None else ()), *step.turn.messages):
        if called_at < message.index < answered_at:
            yield message
