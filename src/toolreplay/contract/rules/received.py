"""TR612, TR613: replies themselves."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract.catalogue import on_reply
from toolreplay.contract.finding import Broken
from toolreplay.contract.sequel import CUT_SHORT, Answered
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import named
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import ToolUse, Wire


@on_reply(
    "TR612",
    "cut-stream",
    "WWW",
    evidence="docs: streaming (a stream ends with message_stop), fine-grained-tool-streaming",
)
def cut_stream(answered: Answered, context: Context) -> Iterator[Broken]:
    """A recorded stream has no end, or the input of a call in it is no JSON.

    Why: what replays such a recording sees a connection that breaks off, and tests something else than it
    means to.
    Fix: record the exchange again; keep a cut stream only where the break is what is tested.
    Good:
        request: {stream: true, messages: [{role: user, content: Hi}]}
        reply: {content: [{type: text, text: Hello}], stop_reason: end_turn}
    Bad:
        request: {stream: true, messages: [{role: user, content: Hi}]}
        reply:
          stop_reason: tool_use
          content: [{type: tool_use, id: toolu_1, name: weather, input: '{"city": "Os'}]
    """
    del context
    reply = answered.reply
    if answered.live:
        return
    if not reply.complete:
        yield Broken("reply", "the recorded stream ends before its last event")
    elif reply.stop_reason not in CUT_SHORT:
        for index, block in enumerate(reply.blocks):
            if isinstance(block, ToolUse) and isinstance(block.input, str):
                yield Broken(f"reply.content[{index}].input", f"the input of {named(block)} is no JSON")


@on_reply(
    "TR613",
    "parallel-disobeyed",
    "WWW",
    evidence="docs: parallel-tool-use (disable_parallel_tool_use: at most one call)",
)
def parallel_disobeyed(answered: Answered, context: Context) -> Iterator[Broken]:
    """The reply asks for several calls although `disable_parallel_tool_use` was set.

    Why: a loop that counts on one call at a time answers the first only. A gateway that does not pass the
    field on shows in this way.
    Fix: answer every call all the same, and look where the field gets lost.
    Good:
        request:
          tool_choice: {type: auto, disable_parallel_tool_use: true}
          messages: [{role: user, content: Oslo and Bergen}]
        reply: {content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
    Bad:
        request:
          tool_choice: {type: auto, disable_parallel_tool_use: true}
          messages: [{role: user, content: Oslo and Bergen}]
        reply:
          content:
            - {type: tool_use, id: toolu_1, name: weather, input: {}}
            - {type: tool_use, id: toolu_2, name: weather, input: {}}
    """
    del context
    body = answered.request.body
    if answered.request.wire is Wire.CONVERSE:
        body = mapping(body.get("additionalModelRequestFields"))
    uses = answered.reply.tool_uses
    if len(uses) > 1 and mapping(body.get("tool_choice")).get("disable_parallel_tool_use") is True:
        yield Broken("reply", f"{len(uses)} calls in one reply, and disable_parallel_tool_use was set")
