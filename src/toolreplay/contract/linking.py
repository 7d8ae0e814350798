"""Which conversation a request goes on with, and from which of its messages on it is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from toolreplay.wire.fields import items, mapping, text
from toolreplay.wire.model import Message, Reply, Request
from toolreplay.wire.sameness import same_json

from .branches import of_another_run
from .finding import Finding
from .fold import EMPTY, State
from .plain import plain_message, without_thinking
from .toolset import Toolset

_COMPARED: Final = 8


@dataclass
class Conversation:
    """One conversation so far.

    Attributes:
        number: from 1, in the order in which conversations began.
        messages: the messages of the last request, as sent; for a thread, of the whole thread.
        state: the fold over them.
        turns: replies served.
        reported: the findings that were reported, so that a bad message that stays in the history is
            reported once.
        request: the last request.
        replies: what it was answered.
        tools: the tools it offered.
    """

    number: int
    messages: Sequence[object] = ()
    state: State = EMPTY
    turns: int = 0
    reported: set[Finding] = field(default_factory=set)
    request: Request | None = None
    replies: list[Reply] = field(default_factory=list)
    tools: Toolset | None = None


@dataclass(frozen=True)
class Link:
    """How a request goes on with a conversation.

    Attributes:
        new: the messages to fold.
        whole: whether `new` are all messages of the request, to be folded from the start.
        changed: the index of the first message that the conversation had otherwise, or that is gone; None
            for none.
        touched: earlier messages that differ in nothing but what may differ freely: `cache_control`, and the thinking
            of turns before the last prompt, which may be left out (docs: extended-thinking).
        stripped: the index of the first message whose thinking was left out; None for none.
        merged: whether the last message was sent again with more at its end, as some loops continue a paused
            turn, and as a prompt joins the one before it that was left without a reply.
    """

    conversation: Conversation
    new: tuple[Message, ...]
    whole: bool = False
    changed: int | None = None
    touched: tuple[Message, ...] = ()
    merged: bool = False
    stripped: int | None = None


def linked(
    request: Request, conversations: Sequence[Conversation], by_call: Mapping[str, Conversation], *, live: bool
) -> Link | None:
    """The link of a request; None when it goes on with none of the conversations.

    Args:
        by_call: the conversation in which a call was served, by the call's id.
        live: whether all requests are of one run; else one that has what no reply had is of a run of its own.
    """
    raw = request.raw_messages
    for conversation in reversed(conversations):
        known = len(conversation.messages)
        begins = 0 < known <= len(raw) and raw[:known] == conversation.messages
        if begins and (live or not of_another_run(raw[known:], conversation.replies)):
            return Link(conversation, request.reader(raw[known:], known))
    holder = _holder_of_calls(raw, by_call)
    candidates = islice(reversed(conversations), _COMPARED) if holder is None else (holder,)
    for conversation in candidates:
        link = _but_for_what_may_differ(request, conversation)
        known = len(conversation.messages)
        if link is not None and (live or not of_another_run(raw[known:], conversation.replies)):
            return link
    return _rewritten(request, holder) if holder is not None else None


def share(raw: Sequence[object], link: Link) -> None:
    """Let equal messages be one: else every request of a long run keeps a history of its own alive."""
    if link.whole or not isinstance(raw, list):
        return
    for index, message in enumerate(link.conversation.messages):
        # What Python takes for equal may be another request: 1 and true. That one keeps its own.
        if raw[index] is not message and same_json(raw[index], message):
            raw[index] = message


def _but_for_what_may_differ(request: Request, conversation: Conversation) -> Link | None:
    """The link of a request that differs in `cache_control`, or has left out the thinking of earlier turns."""
    raw, before = request.raw_messages, conversation.messages
    known = len(before)
    if not 0 < known <= len(raw):
        return None
    touched = []
    stripped = prompt = None
    for index in range(known):
        if raw[index] == before[index]:
            continue
        now, then = plain_message(raw[index]), plain_message(before[index])
        if now != then:
            prompt = _last_prompt(raw) if prompt is None else prompt
            if index >= prompt or now != (then[0], without_thinking(then[1])):
                return None
            stripped = index if stripped is None else stripped
        touched.append(request.reader(raw[index : index + 1], index)[0])
    return Link(conversation, request.reader(raw[known:], known), touched=tuple(touched), stripped=stripped)


def _last_prompt(raw: Sequence[object]) -> int:
    """The index of the last message in which a user asks for something, and does not answer calls."""
    for index in range(len(raw) - 1, -1, -1):
        message = mapping(raw[index])
        answers = (mapping(block) for block in items(message.get("content")))
        if message.get("role") == "user" and not any("tool_use_id" in one or "toolResult" in one for one in answers):
            return index
    return -1


def _rewritten(request: Request, conversation: Conversation) -> Link:
    raw, before = request.raw_messages, conversation.messages
    differing = (
        index
        for index in range(min(len(raw), len(before)))
        if raw[index] != before[index] and plain_message(raw[index]) != plain_message(before[index])
    )
    changed = next(differing, min(len(raw), len(before)))
    merged = changed == len(before) - 1 < len(raw) and _begins_with(raw[changed], before[changed])
    return Link(conversation, request.messages, whole=True, changed=changed, merged=merged)


def _begins_with(longer: object, shorter: object) -> bool:
    role, blocks = plain_message(longer)
    first_role, first = plain_message(shorter)
    return role == first_role and blocks[: len(first)] == first


def _holder_of_calls(raw: Sequence[object], by_call: Mapping[str, Conversation]) -> Conversation | None:
    if not by_call:
        return None
    for message in reversed(raw):
        for block in items(mapping(message).get("content")):
            fields = mapping(block)
            call = mapping(fields.get("toolUse"))
            use_id = text(fields.get("id")) or text(call.get("toolUseId"))
            if use_id is not None and use_id in by_call:
                return by_call[use_id]
    return None
