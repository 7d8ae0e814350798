"""TR409-411: calls that the API's side runs, their results, and turns that it paused."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_sequel, on_step
from toolreplay.contract.finding import Broken
from toolreplay.contract.plain import plain_content
from toolreplay.contract.sequel import Sequel
from toolreplay.contract.turns import Context, Step
from toolreplay.contract.wording import shown
from toolreplay.wire.model import ServerToolResult, ServerToolUse, Wire


@on_step(
    "TR409",
    "server-result-orphan",
    "EE-",
    evidence="400 reported in anthropics/claude-code#92509, #65726, #95406",
    answers={Wire.MESSAGES: [wording.SERVER_RESULT_ORPHAN]},
    about=(ServerToolResult,),
)
def server_result_orphan(step: Step, context: Context) -> Iterator[Broken]:
    """The result of a server tool stands in the history without its call.

    Why: the call and its result are a pair that the API matches by id. A filter that keeps some types of
    blocks and not others, or a history that is cut inside a reply, leaves half of it.
    Fix: keep server_tool_use and its result together, or leave both out.
    Good:
        messages:
          - {role: user, content: News}
          - role: assistant
            content:
              - {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}
              - {type: web_search_tool_result, tool_use_id: srvtoolu_1, content: []}
              - {type: text, text: Nothing new.}
          - {role: user, content: Look again}
    Bad:
        messages:
          - {role: user, content: News}
          - role: assistant
            content:
              - {type: web_search_tool_result, tool_use_id: srvtoolu_1, content: []}
              - {type: text, text: Nothing new.}
          - {role: user, content: Look again}
    """
    if step.before is None and context.request.continues is not None:
        return
    called: set[str | None] = set()
    for block in step.turn.blocks:
        if isinstance(block, ServerToolUse):
            called.add(block.id)
        elif isinstance(block, ServerToolResult) and block.id not in called and block.id not in step.servers:
            at = step.turn.api_place(block.place, context)
            yield Broken(
                path=block.place.path,
                message=f"{block.type} for {shown(block.id)}, which no call before it has",
                api=wording.SERVER_RESULT_ORPHAN.format(at=at, kind=block.type, id=block.id),
            )


@on_step(
    "TR410",
    "server-tool-unanswered",
    "EE-",
    evidence="400 quoted in docs: troubleshooting-tool-use, server-tools; a call that is open beside client "
    "calls: 200 recorded in pydantic/pydantic-ai (test_unpaired_native_tool_calls)",
    answers={Wire.MESSAGES: [wording.SERVER_TOOL_OPEN]},
)
def server_tool_unanswered(step: Step, context: Context) -> Iterator[Broken]:
    """A call of a server tool has no result, and may not be open any more.

    Why: a server tool's call is open only in a paused turn, and beside client calls until their results are
    sent. It is left open by a filter that drops the result, and by a model that calls a server tool it was
    not given.
    Fix: send a reply's blocks back complete; take a call without a result out of the history.
    Good:
        messages:
          - {role: user, content: News}
          - role: assistant
            content:
              - {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}
              - {type: web_search_tool_result, tool_use_id: srvtoolu_1, content: []}
          - {role: user, content: Look again}
    Bad:
        messages:
          - {role: user, content: News}
          - role: assistant
            content:
              - {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}
              - {type: text, text: Nothing new.}
          - {role: user, content: Look again}
    """
    del context
    if step.turn.role != "user" or step.answers or step.called:
        return  # beside client calls: TR108, TR101
    answered = {result.id for result in step.turn.results}
    for use in step.open_servers:
        if use.id in answered:
            continue  # TR107
        yield Broken(
            path=use.place.path,
            message=f"the server tool {shown(use.name)} ({shown(use.id)}) was called and has no result",
            api=wording.SERVER_TOOL_OPEN.format(tool=use.name, id=use.id),
        )


@on_sequel(
    "TR411",
    "pause-turn-mishandled",
    "WW-",
    evidence="docs: handling-stop-reasons (pause_turn: send the turn back as it is)",
)
def pause_turn_mishandled(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """A paused turn is not sent back unchanged as the last message.

    Why: `pause_turn` means that the API's own tools ran long, and that the turn goes on when it is sent
    back. A loop that takes it for the end loses the answer; one that adds "continue" starts a new turn.
    Fix: append the assistant message as it came and send the request again, with the same tools and nothing
        else.
    Good:
        request: {messages: [{role: user, content: News}]}
        reply:
          stop_reason: pause_turn
          content: [{type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}]
        next:
          messages:
            - {role: user, content: News}
            - role: assistant
              content: [{type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: news}}]
    Bad:
        request: {messages: [{role: user, content: News}]}
        reply: {stop_reason: pause_turn, content: [{type: text, text: Let me look.}]}
        next:
          messages:
            - {role: user, content: News}
            - {role: assistant, content: [{type: text, text: Let me look.}]}
            - {role: user, content: continue}
    """
    del context
    reply = sequel.reply
    if reply is None or reply.stop_reason != "pause_turn" or sequel.changed is not None:
        return
    if sequel.thread is not None:
        if sequel.new:
            yield Broken(sequel.new[0].path, "a message follows the turn that was paused")
        return
    if not sequel.echo:
        where = sequel.new[0].path if sequel.new else "messages"
        yield Broken(where, "the turn that was paused is not sent back")
    elif not sequel.verbatim and plain_content(sequel.echoed) != plain_content(list(reply.content)):
        yield Broken(sequel.echo[0].path, "the turn that was paused is not sent back as it was")
    elif len(sequel.new) > len(sequel.echo):
        yield Broken(sequel.new[len(sequel.echo)].path, "a message follows the turn that was paused")
