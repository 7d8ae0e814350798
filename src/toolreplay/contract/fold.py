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
        clean: how many messages the open turn had when the end of a request found nothing wrong with it; a user turn
            that ended so needs no second look when the next message comes.
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
    clean: int = 0


EMPTY = State()


@dataclass(slots=True)
class _Working:
    """A `State` that one call of `fold` changes in place: copied once a call, a long history costs its length."""

    count: int
    joined: int
    open: list[Message]
    before: Turn | None
    between: list[Message]
    seen: dict[str, Place]
    server_uses: dict[str, ServerToolUse]
    answered: set[str]
    loop: Place | None
    thought: bool
    tally: Tally
    findings: list[Finding]
    clean: int

    @classmethod
    def of(cls, state: State) -> _Working:
        return cls(
            count=state.count,
            joined=state.joined,
            open=list(state.open),
            before=state.before,
            between=list(state.between),
            seen=dict(state.seen),
            server_uses=dict(state.server_uses),
            answered=set(state.answered),
            loop=state.loop,
            thought=state.thought,
            tally=state.tally,
            findings=list(state.findings),
            clean=state.clean,
        )

    def frozen(self) -> State:
        return State(
            count=self.count,
            joined=self.joined,
            open=tuple(self.open),
            before=self.before,
            between=tuple(self.between),
            seen=self.seen,
            server_uses=self.server_uses,
            answered=frozenset(self.answered),
            loop=self.loop,
            thought=self.thought,
            tally=self.tally,
            findings=tuple(self.findings),
            clean=self.clean,
        )

    def compact(self, joined: int) -> None:
        """Forget what stands before a compaction block, all but what is counted."""
        forgotten = _Working.of(State(count=self.count, joined=joined, tally=self.tally))
        for name in self.__slots__:
            setattr(self, name, getattr(forgotten, name))


def profile_of(wire: Wire) -> Profile:
    """The profile a wire is judged by unless the user says otherwise."""
    return Profile.CONVERSE if wire is Wire.CONVERSE else Profile.MESSAGES


def fold(state: State, messages: Iterable[Message], context: Context) -> State:
    """Take in further messages of one conversation."""
    working = _Working.of(state)
    for message in messages:
        _take(working, message, context)
    return working.frozen()


def close(state: State, context: Context) -> tuple[Finding, ...]:
    """All findings of the request that ends here.

    Those of its messages, its open turn, its tools, its other fields, and of how it goes on from the one
    before.
    """
    return settle(state, context)[1]


def settle(state: State, context: Context) -> tuple[State, tuple[Finding, ...]]:
    """`close`, with the state to go on from, which knows what was judged here and found clean."""
    found = list(state.findings)
    clean = 0
    if state.open or state.between:
        of_turn = _judge_turn(_open_turn(state), state, context, last=True)
        found += of_turn
        if not of_turn and state.open and state.open[0].role == "user":
            clean = len(state.open)
    if context.tools:
        known = context.tools.remembered(context.profile)
        found += known if known is not None else _judge_tools(context)
    found += REQUEST_RULES.judge(state.tally, context)
    if context.sequel is not None:
        found += SEQUEL_RULES.judge(context.sequel, context)
    return state if state.clean == clean else replace(state, clean=clean), tuple(found)


def check_request(request: Request, profile: Profile | None = None) -> tuple[Finding, ...]:
    """Check one request whole."""
    context = Context(profile or profile_of(request.wire), request)
    return close(fold(EMPTY, request.messages, context), context)


def _take(state: _Working, message: Message, context: Context) -> None:
    compacted = _compacted(message)
    if compacted is not None:
        state.compact(state.joined + bool(state.open and state.open[0].role != message.role))
        message = compacted
    if state.open and state.open[0].role != message.role:
        _end_turn(state, context)
    state.findings += MESSAGE_RULES.judge(message, context)
    state.count += 1
    state.tally = state.tally.plus(message)
    if message.role == "system":
        state.joined += 1
        state.open.clear()
        state.between.append(message)
    else:
        state.open.append(message)


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


def _end_turn(state: _Working, context: Context) -> None:
    turn = _open_turn(state)
    if state.clean != len(state.open):
        state.findings += _judge_turn(turn, state, context, last=False)
    state.clean = 0
    for name, place in {use.id: use.place for use in turn.uses if use.id is not None}.items():
        state.seen.setdefault(name, place)
    state.server_uses.update((use.id, use) for use in turn.server_uses if use.id is not None)
    if state.server_uses:
        state.answered |= _answered(turn)
    state.loop, state.thought = _loop_after(turn, state)
    state.joined += 1
    state.open.clear()
    state.before = turn
    state.between.clear()


def _open_turn(state: State | _Working) -> Turn:
    return Turn(state.open[0].role if state.open else "", tuple(state.open), state.joined)


def _judge_turn(turn: Turn, state: State | _Working, context: Context, *, last: bool) -> list[Finding]:
    before = state.before
    called = before.server_uses if before is not None else ()
    step = Step(
        turn=turn,
        before=before,
        between=tuple(state.between),
        seen=state.seen,
        servers=state.server_uses.keys(),
        open_servers=tuple(use for use in called if use.id not in state.answered),
        last=last,
        loop=state.loop,
        thought=state.thought,
        tools_vary=state.tally.tools_vary,
    )
    return STEP_RULES.judge(step, context)


def _judge_tools(context: Context) -> tuple[Finding, ...]:
    return context.tools.remember(context.profile, TOOL_RULES.judge(context.tools, context))


def _loop_after(turn: Turn, state: _Working) -> tuple[Place | None, bool]:
    """Where the tool loop that is open after a turn began, and whether it has thinking so far.

    A loop is one turn of the model's until a user message without results (docs: build-with-claude/thinking).
    """
    if turn.role == "assistant" and turn.blocks:
        thought = state.thought or any(isinstance(block, Thinking) for block in turn.blocks)
        return state.loop or turn.blocks[0].place, thought
    return (state.loop, state.thought) if turn.results else (None, False)


def _answered(turn: Turn) -> frozenset[str]:
    return frozenset(block.id for block in turn.blocks if isinstance(block, ServerToolResult) and block.id is not None)
