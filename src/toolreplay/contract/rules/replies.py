"""TR605, TR606, TR614: how replies and the history come back in the next request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolreplay.contract.catalogue import on_sequel
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.plain import Plain, plain_content, told
from toolreplay.contract.sequel import CUT_SHORT, Sequel
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import listed, shown
from toolreplay.wire.fields import items, mapping, text
from toolreplay.wire.model import Block, Other


@on_sequel(
    "TR605",
    "reply-altered",
    "WWW",
    evidence="docs: handle-tool-calls (append the reply as it is); seen in 7 of 12 frameworks under test",
)
def reply_altered(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """An assistant message of the request is not the reply that was received.

    In a run it is an error when a call's id, name or input differs; otherwise, and in recordings, a warning.
    Thinking is TR406's and TR407's.

    Why: the model goes on from words it did not say and calls it did not make. Clients that rebuild the
    message from their own records lose texts, blocks they do not know, and the order of both.
    Fix: append the reply's content to the history as it came, and give a tool a copy of its input, which the tool may
        change.
    Good:
        request: {messages: [{role: user, content: Weather in Oslo}]}
        reply:
          content: [{type: text, text: I look.}, {type: tool_use, id: toolu_1, name: weather, input: {}}]
        next:
          messages:
            - {role: user, content: Weather in Oslo}
            - role: assistant
              content: [{type: text, text: I look.}, {type: tool_use, id: toolu_1, name: weather, input: {}}]
            - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        request: {messages: [{role: user, content: Weather in Oslo}]}
        reply:
          content: [{type: text, text: I look.}, {type: tool_use, id: toolu_1, name: weather, input: {}}]
        next:
          messages:
            - {role: user, content: Weather in Oslo}
            - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
            - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    del context
    reply = sequel.reply
    if reply is None or not sequel.echo or sequel.verbatim or not reply.complete:
        return
    if reply.stop_reason in CUT_SHORT or reply.stop_reason == "pause_turn":
        return  # TR411
    if any(not isinstance(use.input, dict) for use in reply.tool_uses):
        return  # an input that came as no JSON cannot go back as it came (TR203)
    served, sent = told(plain_content(list(reply.content))), told(plain_content(sequel.echoed))
    if served == sent:
        return
    call = _altered_call(served, sent)
    path = sequel.echo[0].path
    if call is not None:
        yield Broken(path, f"{call} is not as the model asked for it", severity=_if_live(sequel))
    else:
        yield Broken(path, f"the message is not the reply: {_difference(served, sent)}")


@on_sequel(
    "TR606",
    "history-rewritten",
    "WWW",
    evidence="seen in frameworks under test; docs: prompt-caching (a changed prefix is not cached)",
)
def history_rewritten(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """Messages that the request before had are changed, or gone.

    In a run it is an error when a call that was answered is lost; otherwise, and in recordings, a warning.

    Why: the model loses what it knew, and the cache what it held. Trimming and summing up do it on purpose;
    a history that is rebuilt from records does it by accident.
    Fix: only append; where the history must become shorter, sum up whole turns, calls and their results
        together.
    Good:
        request: {messages: [{role: user, content: Weather in Oslo}]}
        reply: {content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
        next:
          messages:
            - {role: user, content: Weather in Oslo}
            - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
            - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        request: {messages: [{role: user, content: Weather in Oslo}]}
        reply: {content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
        next:
          messages:
            - {role: user, content: The weather}
            - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {}}]}
            - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    del context
    if sequel.changed is None or _compacted(sequel):
        return
    before, now = sequel.history, sequel.request.raw_messages
    gone = sequel.changed >= len(now)
    path = f"messages[{min(sequel.changed, max(len(now) - 1, 0))}]"
    words = (
        f"{len(before) - len(now)} messages of the request before are gone"
        if gone
        else "was another message in the request before"
    )
    lost = _answered_ids(before) - _called_ids(now) if sequel.live else set()
    if lost:
        words += f", with the calls {listed(sorted(lost))}"
    yield Broken(path, words, severity=Severity.ERROR if lost else None)


@on_sequel(
    "TR614",
    "answered-request-resent",
    "WWW",
    evidence="seen in frameworks under test: a turn sent again after its tools had run",
)
def answered_request_resent(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """A request that was answered is sent again.

    In recordings only requests in the middle of a conversation count: tests begin with the same words often.

    Why: it is paid for twice, and whatever the first answer asked for is lost or done twice.
    Fix: repeat a request only when no answer came; keep the reply before anything that can fail is done with
        it.
    Good:
        request:
          messages:
            - {role: user, content: Hi}
            - {role: assistant, content: Yes}
            - {role: user, content: Go on}
        reply: {content: [{type: text, text: Done.}], stop_reason: end_turn}
        next:
          messages:
            - {role: user, content: Hi}
            - {role: assistant, content: Yes}
            - {role: user, content: Go on}
            - {role: assistant, content: [{type: text, text: Done.}]}
            - {role: user, content: Thank you}
    Bad:
        request:
          messages:
            - {role: user, content: Hi}
            - {role: assistant, content: Yes}
            - {role: user, content: Go on}
        reply: {content: [{type: text, text: Done.}], stop_reason: end_turn}
        next:
          messages:
            - {role: user, content: Hi}
            - {role: assistant, content: Yes}
            - {role: user, content: Go on}
    """
    del context
    reply = sequel.reply
    if (
        reply is None
        or not reply.complete
        or reply.stop_reason == "pause_turn"
        or sequel.new
        or sequel.thread is not None
    ):
        return
    in_the_middle = any(mapping(message).get("role") == "assistant" for message in sequel.history)
    if (sequel.live or in_the_middle) and sequel.before.body == sequel.request.body:
        yield Broken("messages", "the request was answered before and is sent again")


def _altered_call(served: list[Plain], sent: list[Plain]) -> str | None:
    """A call that is not the same on both sides, in words; None where all are."""
    asked, given = _calls(served), _calls(sent)
    for use_id in (*asked, *given):
        if asked.get(use_id) != given.get(use_id):
            name = text(mapping(asked.get(use_id) or given.get(use_id)).get("name"))
            return f"the call {shown(use_id)} ({shown(name)})"
    return None


def _calls(blocks: list[Plain]) -> dict[str, Mapping[str, object]]:
    found: dict[str, Mapping[str, object]] = {}
    for block in blocks:
        use = mapping(block.get("toolUse")) or (block if block.get("type") == "tool_use" else {})
        if use:
            use_id = text(use.get("id")) or text(use.get("toolUseId")) or ""
            found[use_id] = {"name": use.get("name"), "input": use.get("input")}
    return found


def _difference(served: list[Plain], sent: list[Plain]) -> str:
    if [block for block in sent if block not in served] == [] and len(sent) < len(served):
        return f"{len(served) - len(sent)} of its {len(served)} blocks are gone"
    if sorted(map(repr, served)) == sorted(map(repr, sent)):
        return "its blocks are in another order"
    index = next(
        (index for index, (left, right) in enumerate(zip(served, sent, strict=False)) if left != right),
        min(len(served), len(sent)),
    )
    return f"block {index + 1} is another"


def _if_live(sequel: Sequel) -> Severity | None:
    return Severity.ERROR if sequel.live else None


def _compacted(sequel: Sequel) -> bool:
    first: tuple[Block, ...] = sequel.new[0].blocks if sequel.new else ()
    return any(isinstance(block, Other) and block.type == "compaction" for block in first[:1])


def _answered_ids(raw: object) -> set[str]:
    return _ids(raw, "tool_use_id", "toolResult")


def _called_ids(raw: object) -> set[str]:
    return _ids(raw, "id", "toolUse")


def _ids(raw: object, field: str, union_key: str) -> set[str]:
    found = set()
    for message in items(raw):
        for block in items(mapping(message).get("content")):
            fields = mapping(block)
            use_id = text(fields.get(field)) or text(mapping(fields.get(union_key)).get("toolUseId"))
            if use_id is not None:
                found.add(use_id)
    return found
