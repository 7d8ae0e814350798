"""The checker as a fold: a state and new messages give a state with its findings.

`fold` judges what has ended and keeps it; `close` judges the request as it stands, with its last turn still
open, and keeps nothing. So a conversation that grows costs what is new in it, and checking a request whole is
the same fold from the empty state (`check_request`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Message, Other, Place, Request, ServerToolResult, ServerToolUse, Thinking, Wire

from . import rules as _rules  # noqa: F401  (registers the catalogue)
from .catalogue import MESSAGE_RULES, REQUEST_RULES, SEQUEL_RULES, STEP_RULES, TOOL_RULES
from .finding import Finding, Profile
from .tally import Tally
from .turns import Context, Step, Turn


@dataclass(frozen=True, slots=True)
class State:
    """What judging further messages needs of the earlier ones.

    Attributes:
        count: messages folded so far.
        joined: how many messages those of ended turns are when neighbours of one role are joined.
        open: the messages of the turn that has not ended yet.
        before: the turn before it, system messages aside.
        between: system messages since `before`.
        seen: where each tool_use id of an ended turn stands.
        server_uses: every server or MCP call so far, by id.
        answered: the ids of those with a result so far.
        loop: where the open tool loop began; see `Step`.
        thought: whether an ended assistant turn of that loop has thinking.
        tally: what is counted over all messages so far.
        findings: everything found in turns and messages so far.
    """

    count: int = 0
    joined: int = 0
    open: tuple[Message, ...] = ()
    before: Turn | None = None
    between: tuple[Message, ...] = ()
    seen: Mapping[str, Place] = field(default_factory=dict)
    server_uses: Mapping[str, ServerToolUse] = field(default_factory=dict)
    answered: frozenset[str] = frozenset()
    loop: Place | None = None
    thought: bool = False
    tally: Tally = field(default_factory=Tally)
    findings: tuple[Finding, ...] = ()


EMPTY = State()


def profile_of(wire: Wire) -> Profile:
    """The profile a wire is judged by unless the user says otherwise."""
    return Profile.CONVERSE if wire is Wire.CONVERSE else Profile.MESSAGES


def fold(state: State, messages: Iterable[Message], context: Context) -> State:
    """Take in further messages of one conversation."""
    for message in messages:
        state = _take(state, message, context)
    return state


def close(state: State, context: Context) -> tuple[Finding, ...]:
    """All findings of the request that ends here.

    Those of its messages, its open turn, its tools, its other fields, and of how it goes on from the one
    before.
    """
    found = list(state.findings)
    if state.open or state.between:
        found += _judge_turn(_open_turn(state), state, context, last=True)
    if context.tools:
        known = context.tools.remembered(context.profile)
        found += known if known is not None else _judge_tools(context)
    found += REQUEST_RULES.judge(state.tally, context)
    if context.sequel is not None:
        found += SEQUEL_RULES.judge(context.sequel, context)
    return tuple(found)


def check_request(request: Request, profile: Profile | None = None) -> tuple[Finding, ...]:
    """Check one request whole."""
    context = Context(profile or profile_of(request.wire), request)
    return close(fold(EMPTY, request.messages, context), context)


def _take(state: State, message: Message, context: Context) -> State:
    compacted = _compacted(message)
    if compacted is not None:
        ended = state.joined + bool(state.open and state.open[0].role != message.role)
        state, message = State(count=state.count, joined=ended, tally=state.tally), compacted
    if state.open and state.open[0].role != message.role:
        state = _end_turn(state, context)
    found = MESSAGE_RULES.judge(message, context)
    system = message.role == "system"
    return replace(
        state,
        count=state.count + 1,
        joined=state.joined + system,
        open=() if system else (*state.open, message),
        between=(*state.between, message) if system else state.between,
        tally=state.tally.plus(message),
        findings=(*state.findings, *found) if found else state.findings,
    )


def _compacted(message: Message) -> Message | None:
    """The message from its last compaction block on, if it has one.

    The API ignores every block before a compaction block with content (docs: build-with-claude/compaction),
    so the conversation is judged from there on; a client may keep or drop what stood before it.
    """
    if message.role != "assistant":
        return None
    for index in range(len(message.blocks) - 1, -1, -1):
        block = message.blocks[index]
        compaction = isinstance(block, Other) and block.type == "compaction"
        if compaction and mapping(block.raw).get("content") is not None:
            return replace(message, blocks=message.blocks[index:])
    return None


def _end_turn(state: State, context: Context) -> State:
    turn = _open_turn(state)
    found = _judge_turn(turn, state, context, last=False)
    uses = {use.id: use.place for use in turn.uses if use.id is not None}
    servers = {use.id: use for use in turn.server_uses if use.id is not None}
    loop, thought = _loop_after(turn, state)
    return replace(
        state,
        joined=state.joined + 1,
        open=(),
        before=turn,
        between=(),
        seen={**uses, **state.seen} if uses else state.seen,
        server_uses={**state.server_uses, **servers} if servers else state.server_uses,
        answered=state.answered | _answered(turn) if servers or state.server_uses else state.answered,
        loop=loop,
        thought=thought,
        findings=(*state.findings, *found) if found else state.findings,
    )


def _open_turn(state: State) -> Turn:
    return Turn(state.open[0].role if state.open else "", state.open, state.joined)


def _judge_turn(turn: Turn, state: State, context: Context, *, last: bool) -> list[Finding]:
    before = state.before
    called = before.server_uses if before is not None else ()
    step = Step(
        turn=turn,
        before=before,
        between=state.between,
        seen=state.seen,
        servers=frozenset(state.server_uses),
        open_servers=tuple(use for use in called if use.id not in state.answered),
        last=last,
        loop=state.loop,
        thought=state.thought,
        tools_vary=state.tally.tools_vary,
    )
    return STEP_RULES.judge(step, context)


def _judge_tools(context: Context) -> tuple[Finding, ...]:
    return context.tools.remember(context.profile, TOOL_RULES.judge(context.tools, context))


def _loop_after(turn: Turn, state: State) -> tuple[Place | None, bool]:
    """Where the tool loop that is open after a turn began, and whether it has thinking so far.

    A loop is one turn of the model's until a user message without results (docs: build-with-claude/thinking).
    """
    if turn.role == "assistant" and turn.blocks:
        thought = state.thought or any(isinstance(block, Thinking) for block in turn.blocks)
        return state.loop or turn.blocks[0].place, thought
    return (state.loop, state.thought) if turn.results else (None, False)


def _answered(turn: Turn) -> frozenset[str]:
    return frozenset(block.id for block in turn.blocks if isinstance(block, ServerToolResult) and block.id is not None)
