"""The part of a recorded conversation that a plain loop can play again: prompts, and the turns that follow each.

A plain loop (`toolreplay.loop`) is known by what it sends next: the whole history, the reply, and a result for every
call. As long as the recording asks for the same, it can be played; where it goes another way (a history that was cut,
a prompt beside open calls) the rest is left out, and the reason kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from toolreplay.cassette.sayings import conversation_key
from toolreplay.wire.model import Message, Reply, Text, ToolResult, ToolUse

from .model import Conversation, Turn

Key: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A step of the conversation.

    Attributes:
        messages: what the user says. None at all where the calls at the history's end are approved: a recording that
            begins with their results.
        turns: the turns that follow, each with a reply.
    """

    messages: tuple[Message, ...]
    turns: tuple[Turn, ...]

    @property
    def is_open(self) -> bool:
        """Whether its last reply asks for more: the recording ends, or goes another way, before the answer."""
        return _goes_on(self.turns[-1])


@dataclass(frozen=True, slots=True)
class Playable:
    """What can be played of a conversation.

    Attributes:
        history: the messages before the first prompt.
        prompts: empty where nothing can be played.
        notes: what cannot be, and where the loop has to be stopped, a line each.
    """

    history: tuple[Message, ...]
    prompts: tuple[Prompt, ...]
    notes: tuple[str, ...]


@dataclass
class _Walk:
    """The walk along the turns: the place in the conversation that a loop would ask at next."""

    key: Key
    before: Key
    prompts: list[tuple[tuple[Message, ...], list[Turn]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def playable(conversation: Conversation) -> Playable:
    """The longest beginning of a conversation that a plain loop can play."""
    notes = [_unanswered(turn) for turn in conversation.turns if not _is_answered(turn)]
    turns = [turn for turn in conversation.turns if _is_answered(turn)]
    opening = _opening(turns[0].request.messages) if turns else None
    if opening is None:
        return Playable((), (), tuple(notes or ["it holds no prompt"]))
    history, prompt = opening
    begun = conversation_key(turns[0].request.messages)
    walk = _Walk(begun, conversation_key(history), [(prompt, turns[:1])], notes)
    for index, turn in enumerate(turns[1:], 1):
        if not _follows(walk, turns[index - 1], turn):
            rest = [str(one.exchange) for one in turns[index:]]
            what = f"exchange {rest[0]}" if len(rest) == 1 else f"exchanges {rest[0]} to {rest[-1]}"
            walk.notes.append(f"{what}: {_why(walk, turn)}")
            break
    prompts = _closed([Prompt(messages, tuple(found)) for messages, found in walk.prompts], walk.notes)
    return Playable(history, prompts, tuple(walk.notes))


def _is_answered(turn: Turn) -> bool:
    reply = turn.reply
    return reply is not None and reply.complete and reply.stop_reason is not None


def _unanswered(turn: Turn) -> str:
    if turn.error is not None:
        what = f"was answered {turn.error.status} {turn.error.type or ''}".rstrip()
    else:
        what = "has no whole reply"
    return f"exchange {turn.exchange}: {what}"


def _opening(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]] | None:
    """The history and the prompt of a request; no prompt where it ends with results, None where it has neither."""
    end = len(messages)
    while end and not _has_tools(messages[end - 1]):
        end -= 1
    users = [index for index in range(end, len(messages)) if messages[index].role == "user"]
    if users:
        first = users[-1]
        while first - 1 >= end and messages[first - 1].role == "user":
            first -= 1
        return tuple(messages[:first]), tuple(messages[first : users[-1] + 1])
    while end and messages[end - 1].role == "user":
        end -= 1
    if end and any(isinstance(block, ToolUse) for block in messages[end - 1].blocks):
        return tuple(messages[:end]), ()
    return None


def _has_tools(message: Message) -> bool:
    return any(isinstance(block, ToolUse | ToolResult) for block in message.blocks)


def _follows(walk: _Walk, last: Turn, turn: Turn) -> bool:
    """Go on with a turn, if it is what a loop would ask for after the last one."""
    asked = conversation_key(turn.request.messages)
    if turn.request.continues is not None:
        asked = walk.key + _uses(_reply(last)) + asked
    if _goes_on(last):
        walk.key = _answered_key(walk.key, _reply(last))
        if asked == walk.key:
            walk.prompts[-1][1].append(turn)
            return True
        return False
    start = walk.before if _reply(last).stop_reason == "refusal" else walk.key
    opening = _opening(turn.request.messages)
    if opening is None or asked != start + conversation_key(opening[1]) or not _says_something(opening[1]):
        return False
    walk.before, walk.key = start, asked
    walk.prompts.append((opening[1], [turn]))
    return True


def _says_something(prompt: Sequence[Message]) -> bool:
    return any(isinstance(block, Text) for message in prompt for block in message.blocks)


def _reply(turn: Turn) -> Reply:
    assert turn.reply is not None  # turns without one are left out
    return turn.reply


def _goes_on(turn: Turn) -> bool:
    """Whether a loop asks again after the reply without a new prompt."""
    reply = _reply(turn)
    return reply.stop_reason == "pause_turn" or (reply.stop_reason == "tool_use" and bool(reply.tool_uses))


def _uses(reply: Reply) -> Key:
    return tuple(("use", use.id or "") for use in reply.tool_uses)


def _answered_key(key: Key, reply: Reply) -> Key:
    uses = _uses(reply)
    if reply.stop_reason == "pause_turn" or not uses:
        return key + uses
    return (*key, *uses, ("results", *sorted(use.id or "" for use in reply.tool_uses)))


def _why(walk: _Walk, turn: Turn) -> str:
    """Why a turn is not what a plain loop would ask for."""
    if turn.rewritten:
        return "the request changed or dropped earlier messages, which the reference loop never does"
    if turn.prompts and _goes_on(walk.prompts[-1][1][-1]):
        return "a prompt stands beside results, which the reference loop sends alone"
    if not turn.said:
        return "the same was asked again"
    return "the request goes on in another way than the reference loop would"


def _closed(prompts: list[Prompt], notes: list[str]) -> tuple[Prompt, ...]:
    """The prompts without a last one that cannot be stopped where the recording does.

    A limit on turns (`max_turns`) holds for every prompt, and says no more than that a call was not run.
    """
    while prompts and prompts[-1].is_open:
        last = prompts[-1]
        most = max((len(one.turns) for one in prompts[:-1]), default=0)
        if last.turns[-1].stop_reason == "tool_use" and len(last.turns) >= most:
            notes.append(f"exchange {last.turns[-1].exchange}: its calls were never answered; the loop stops there")
            break
        notes.append(f"exchange {last.turns[0].exchange} and what follows: its last reply was never answered")
        prompts.pop()
    return tuple(prompts)
