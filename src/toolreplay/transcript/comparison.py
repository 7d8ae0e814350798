"""Two recordings compared, turn by turn, in words of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolreplay.errors import CassetteError
from toolreplay.wire.content_difference import Calls, content_differences
from toolreplay.wire.difference import Difference, differ
from toolreplay.wire.model import MISSING, ApiError, Block, Reply
from toolreplay.wire.request_difference import field_differences
from toolreplay.wire.words import block_words, value_words

from .aligning import aligned, opening_key, retold, turn_keys
from .model import Conversation, Transcript, Turn

_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Compared:
    """Two conversations that stand for each other, or one that stands alone.

    Attributes:
        recorded: the number of the first recording's conversation; None where it has none.
        now: the same of the second recording.
        differences: in the order of turns, whose numbers are the first recording's where it has the turn. What is
            set for the whole conversation is told where it first differs, and once.
        equal: how many turns are equal.
        turns: how many turns there are, those that stand for each other counted once.
        ids: the ids of calls that stand for each other and have different ids; they are no difference.
    """

    recorded: int | None
    now: int | None
    differences: tuple[Difference, ...]
    equal: int
    turns: int
    ids: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two recordings have in common and what not."""

    conversations: tuple[Compared, ...]

    @property
    def differs(self) -> bool:
        """Whether there is any difference."""
        return any(one.differences or None in (one.recorded, one.now) for one in self.conversations)

    @property
    def equal(self) -> int:
        """How many turns are equal."""
        return sum(one.equal for one in self.conversations)

    @property
    def turns(self) -> int:
        """How many turns there are, those that stand for each other counted once."""
        return sum(one.turns for one in self.conversations)


def compare(recorded: Transcript, now: Transcript) -> Comparison:
    """Compare what was said: texts, calls, results, stop reasons, errors, and what the requests set.

    Ids, signatures, token counts and the form of content (a string, or a block of text) are no difference.

    Raises:
        CassetteError: they hold something that is nested deeper than Python compares.
    """
    try:
        return _comparison(recorded, now)
    except RecursionError:
        raise CassetteError(f"{recorded.file}, {now.file}: nested too deeply to be compared") from None


def _comparison(recorded: Transcript, now: Transcript) -> Comparison:
    first, second = recorded.conversations, now.conversations
    pairs = aligned([opening_key(one) for one in first], [opening_key(one) for one in second])
    return Comparison(
        tuple(_conversation(None if a is None else first[a], None if b is None else second[b]) for a, b in pairs)
    )


@dataclass
class _Sides:
    """Two conversations while they are compared.

    Attributes:
        told: what was said already of fields that every request repeats.
    """

    calls: Calls = field(default_factory=lambda: Calls(exact=False))
    told: set[Difference] = field(default_factory=set)


def _conversation(recorded: Conversation | None, now: Conversation | None) -> Compared:
    if recorded is None or now is None:
        one, other = (None if side is None else side.number for side in (recorded, now))
        return Compared(one, other, (), 0, sum(len(side.turns) for side in (recorded, now) if side is not None))
    sides = _Sides()
    differences: list[Difference] = []
    equal = turns = 0
    before, after = retold(recorded.turns), retold(now.turns)
    for first, second in aligned(turn_keys(before), turn_keys(after)):
        old = None if first is None else before[first]
        new = None if second is None else after[second]
        found = list(_turn(old, new, sides))
        differences += found
        equal += not found
        turns += 1
    ids = tuple((str(old), str(new)) for old, new in sides.calls.partners.items() if old != new)
    return Compared(recorded.number, now.number, tuple(differences), equal, turns, ids)


def _turn(old: Turn | None, new: Turn | None, sides: _Sides) -> Iterator[Difference]:
    if old is None or new is None:
        yield from _alone(old, new, sides.calls)
        return
    for difference in field_differences(old.request, new.request, exact=False):
        if difference not in sides.told:
            sides.told.add(difference)
            yield difference
    was, now = _unreadable(old), _unreadable(new)
    if was != now:
        yield differ(old.number, "content that is no content", was, now)
    for role in _ROLES:
        yield from content_differences(old.number, role, _said(old, role), _said(new, role), sides.calls)
    yield from _answers(old, new, sides.calls)


def _alone(old: Turn | None, new: Turn | None, calls: Calls) -> Iterator[Difference]:
    one = old or new
    if one is None:
        return
    blocks = [block for message in one.said for block in message.blocks]
    replied = [_outcome(one.answer)] if one.reply is None else map(block_words, one.reply.blocks)
    words = "; ".join(filter(None, (*map(block_words, blocks), *replied)))
    yield differ(one.number, "all of it", MISSING if old is None else words, MISSING if new is None else words)
    for use in one.calls:
        calls.meet(use.use if old is not None else None, use.use if new is not None else None)


def _said(turn: Turn, role: str) -> list[Block]:
    """The new blocks of a role; roles that do not exist are a user's."""
    wanted = (role,) if role != "user" else ("user", *{one.role for one in turn.said} - set(_ROLES))
    return [block for message in turn.said if message.role in wanted for block in message.blocks]


def _unreadable(turn: Turn) -> str:
    """The content of new messages that is neither a text nor a list of blocks."""
    return "; ".join(value_words(one.content) for one in turn.said if not isinstance(one.content, str | list))


def _answers(old: Turn, new: Turn, calls: Calls) -> Iterator[Difference]:
    if old.reply is None or new.reply is None:
        if _outcome(old.answer) != _outcome(new.answer):
            yield differ(old.number, "answer", _outcome(old.answer), _outcome(new.answer))
        return
    yield from content_differences(old.number, "assistant", old.reply.blocks, new.reply.blocks, calls)
    if old.stop_reason != new.stop_reason:
        yield differ(old.number, "stop reason", old.stop_reason or MISSING, new.stop_reason or MISSING)
    if old.reply.complete != new.reply.complete:
        states = ("cut off", "complete")
        yield differ(old.number, "stream", states[old.reply.complete], states[new.reply.complete])


def _outcome(answer: Reply | ApiError | None) -> str:
    match answer:
        case Reply():
            return f"a reply: {answer.text}" if answer.text else "a reply"
        case ApiError():
            return f"error {answer.status} {answer.type or ''}: {answer.message}"
    return "none"
