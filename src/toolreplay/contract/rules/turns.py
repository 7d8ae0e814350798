"""TR402-405: messages and their roles, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_step
from toolreplay.contract.finding import Broken, Profile, Severity
from toolreplay.contract.models import claude_version, refuses_prefill, refuses_system_messages
from toolreplay.contract.turns import Context, Step, Turn, only_directives
from toolreplay.contract.wording import for_wire, shown
from toolreplay.wire.model import Message, Other, ServerToolResult, Text, ToolResult, ToolUse, Wire

_DIRECTIVES: Final = frozenset({"tool_addition", "tool_removal", "toolAddition", "toolRemoval", "cachePoint"})


@on_step(
    "TR402",
    "roles-not-alternating",
    "IEW",
    evidence="400 reported in BerriAI/litellm#3474 and lobehub/lobehub#1765 (the first-party API until "
    "2024-10-08, look-alikes today); since then the API joins them (release notes); Converse: "
    "langchain-ai/langchain-aws#130, but 200 recorded with Nova and Titan",
    answers={
        Wire.MESSAGES: [wording.ROLES_NOT_ALTERNATING],
        Wire.CONVERSE: [wording.ROLES_NOT_ALTERNATING_ON_CONVERSE],
    },
)
def roles_not_alternating(step: Step, context: Context) -> Iterator[Broken]:
    """Two neighbouring messages have one role.

    Why: the first-party API joins them into one message; endpoints that look like it, and Converse with
    Claude, refuse the request. Where they split the results of one turn it is an error on Converse.
    Fix: put all blocks of one side's turn into one message.
    Good:
        messages: [{role: user, content: [{type: text, text: Hi}, {type: text, text: Weather in Oslo}]}]
    Bad:
        messages: [{role: user, content: Hi}, {role: user, content: Weather in Oslo}]
    """
    if len(step.turn.messages) == 1:
        return
    split = len({result.place.message for result in step.answers}) > 1
    if split and context.profile is Profile.MESSAGES:
        return  # TR105
    for message in step.turn.messages[1:]:
        yield Broken(
            path=message.path,
            message=f"follows a message of the same role, {shown(message.role)}",
            api=_alternate(message, context),
            severity=Severity.ERROR if split and context.profile is Profile.CONVERSE else None,
        )


@on_step(
    "TR403",
    "first-message-not-user",
    "IEW",
    evidence="docs: release notes 2024-10-08 (the first-party API takes it since); 200 recorded in "
    "0xPlaygrounds/rig; Converse: docs (a conversation starts with a user message)",
    answers={Wire.MESSAGES: [wording.FIRST_NOT_USER]},
)
def first_message_not_user(step: Step, context: Context) -> Iterator[Broken]:
    """The conversation does not start with a user message.

    Why: most often a history was cut at the wrong place. The first-party API takes it; look-alike endpoints
    do not.
    Fix: cut a history before a user message without results.
    Good:
        messages: [{role: user, content: Weather in Oslo}]
    Bad:
        messages: [{role: assistant, content: Hello.}, {role: user, content: Weather in Oslo}]
    """
    if step.before is not None or not step.turn.messages or step.between:
        return
    first = step.turn.messages[0]
    compacted = any(isinstance(block, Other) and block.type == "compaction" for block in first.blocks[:1])
    if first.index == 0 and first.role != "user" and not compacted and context.request.continues is None:
        api = for_wire(context.wire, None if context.joins_neighbours else wording.FIRST_NOT_USER)
        yield Broken(first.path, f"the conversation starts with a message of role {shown(first.role)}", api)


@on_step(
    "TR404",
    "trailing-assistant",
    "WWW",
    evidence="400 reported in strands-agents/sdk-python#1694, QwenLM/qwen-code#8039 (Claude 4.6 and later: "
    "an error); docs: api/errors",
    answers={Wire.MESSAGES: [wording.NO_PREFILL], Wire.CONVERSE: [wording.NO_PREFILL]},
)
def trailing_assistant(step: Step, context: Context) -> Iterator[Broken]:
    """The request ends with an assistant message.

    A paused turn that is sent back, and a compaction, end so rightly. From Claude 4.6 on it is an error.

    Why: older models take it as the beginning of their own reply, newer ones refuse it. It comes from
    instructions that are appended under the wrong role and from a loop that sends a finished conversation
    once more.
    Fix: end the request with a user message; say how the reply shall look in the system prompt, or use
        structured output.
    Good:
        model: claude-opus-4-8
        messages: [{role: user, content: "Weather in Oslo, in one word"}]
    Bad:
        model: claude-opus-4-8
        messages: [{role: user, content: Weather in Oslo}, {role: assistant, content: "In one word:"}]
    """
    turn = step.turn
    if not step.last or turn.role != "assistant" or turn.uses or turn.server_uses or context.request.bare:
        return  # calls: TR109; a server tool: a paused turn
    message = turn.messages[-1]
    paused = context.sequel is not None and any(
        reply.stop_reason in ("pause_turn", "compaction") for reply in context.sequel.replies
    )
    if paused or any(isinstance(block, Other) and block.type == "compaction" for block in turn.blocks):
        return
    refused = refuses_prefill(context.request.model)
    yield Broken(
        path=message.path,
        message="the request ends with an assistant message" + (", which this model refuses" if refused else ""),
        api=wording.NO_PREFILL if refused else None,
        severity=Severity.ERROR if refused else None,
    )


@on_step(
    "TR405",
    "misplaced-system-message",
    "EEE",
    evidence="400 reported in anthropics/claude-code#73821; older models: sgl-project/sglang#367, "
    "ianarawjo/ChainForge#271; docs: mid-conversation-system-messages",
    answers={
        Wire.MESSAGES: [
            wording.SYSTEM_FIRST,
            wording.SYSTEM_BETWEEN,
            wording.SYSTEM_NOT_BEFORE_ASSISTANT,
            wording.SYSTEM_CONTENT,
            wording.SYSTEM_EMPTY,
            wording.SYSTEM_UNKNOWN,
        ]
    },
)
def misplaced_system_message(step: Step, context: Context) -> Iterator[Broken]:
    """A message of role `system` stands where it may not, or holds what it may not.

    Why: it follows a user message or a server tool's result and stands before an assistant message or at the
    end. First of all, the `system` parameter is meant for it; older models know no such role at all.
    Fix: move it behind the user message (its results included) that it belongs to, or into `system`.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: system, content: Answer in Norwegian.}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: system, content: Answer in Norwegian.}
          - {role: user, content: And in Bergen}
    """
    spoken = [message for message in step.between if not only_directives(message)]
    for message in spoken:
        wrong = _wrong_content(message)
        if wrong is not None:
            words, api = wrong
            n = message.index
            yield Broken(message.path, words, for_wire(context.wire, api.format(n=n)))
    if not spoken:
        return
    place = _wrong_place(spoken, step, context)
    if place is not None:
        words, api = place
        yield Broken(spoken[0].path, words, for_wire(context.wire, api.format(n=spoken[0].index)))


def _wrong_place(spoken: list[Message], step: Step, context: Context) -> tuple[str, str] | None:
    if refuses_system_messages(context.request.model):
        version = ".".join(map(str, claude_version(context.request.model) or ()))
        return f"Claude {version} knows no messages of role system", wording.SYSTEM_UNKNOWN
    before = step.before
    if before is None:
        first = spoken[0].index == 0 and context.request.continues is None
        return ("a system message comes first; that is what `system` is for", wording.SYSTEM_FIRST) if first else None
    if before.role == "assistant" and not _ends_in_server_result(before):
        if step.answers:
            return None  # TR106
        return "a system message follows an assistant message", wording.SYSTEM_BETWEEN
    if step.turn.messages and step.turn.role != "assistant":
        return "a system message stands before a user message", wording.SYSTEM_NOT_BEFORE_ASSISTANT
    return None


def _ends_in_server_result(turn: Turn) -> bool:
    return bool(turn.blocks) and isinstance(turn.blocks[-1], ServerToolResult)


def _wrong_content(message: Message) -> tuple[str, str] | None:
    if not message.blocks:
        return "the system message has no content", wording.SYSTEM_EMPTY
    for block in message.blocks:
        kind = getattr(block, "type", None)
        if not isinstance(block, Text | ToolUse | ToolResult) and kind not in _DIRECTIVES:  # tool blocks: TR204
            return f"a system message may not hold {shown(kind)}", wording.SYSTEM_CONTENT
    return None


def _alternate(message: Message, context: Context) -> str | None:
    if context.wire is Wire.CONVERSE:
        return wording.ROLES_NOT_ALTERNATING_ON_CONVERSE
    return None if context.joins_neighbours else wording.ROLES_NOT_ALTERNATING.format(role=message.role)
