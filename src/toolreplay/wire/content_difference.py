"""What two messages or replies say, compared block by block: calls with calls, results with those of the same call."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .difference import Difference, Keys, differ, json_differences, paired
from .model import (
    MISSING,
    Block,
    Marker,
    Media,
    Other,
    ServerToolResult,
    ServerToolUse,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from .sameness import same_json
from .words import block_words, call_words, value_words, visible


@dataclass
class Calls:
    """The calls of both sides so far, by id, and which stands for which.

    Attributes:
        exact: whether ids and the form of blocks count: a request that is sent again has the same, a conversation
            that is recorded again has not.
        partners: for the id of a call the id of the call that stands for it on the second side.
    """

    exact: bool
    recorded: dict[str | None, ToolUse] = field(default_factory=dict)
    now: dict[str | None, ToolUse] = field(default_factory=dict)
    partners: dict[str | None, str | None] = field(default_factory=dict)

    def meet(self, recorded: ToolUse | None, now: ToolUse | None) -> None:
        """Take note of two calls that stand for each other, or of one that stands alone."""
        if recorded is not None:
            self.recorded[recorded.id] = recorded
        if now is not None:
            self.now[now.id] = now
        if recorded is not None and now is not None and not self.exact:
            self.partners[recorded.id] = now.id

    def result_of(self, result: ToolResult, known: dict[str | None, ToolUse]) -> str:
        """A result by its call: `result of get_weather for Oslo`."""
        use = known.get(result.id)
        return f"result of {visible(result.id or '(no id)') if use is None else call_words(use)}"


def content_differences(
    turn: int, role: str, recorded: Sequence[Block], now: Sequence[Block], calls: Calls
) -> Iterator[Difference]:
    """The differences between the blocks of two messages, or of several, of one role.

    Args:
        turn: the turn that the messages belong to.
        calls: the calls of earlier messages; those of these are added.
    """
    pairs = paired(
        [block_keys(block, calls.partners.get(id_of(block), id_of(block)), exact=calls.exact) for block in recorded],
        [block_keys(block, id_of(block), exact=calls.exact) for block in now],
    )
    label = _Labels(role, calls)
    equal = True
    for first, second in pairs:
        old = None if first is None else recorded[first]
        new = None if second is None else now[second]
        for difference in _block_differences(turn, label, old, new, calls):
            equal = False
            yield difference
    order = [second for _, second in pairs if second is not None]
    if equal and order != sorted(order):
        words = "; ".join(label.of(block, recorded=True) for block in recorded)
        yield differ(turn, "order", words, "; ".join(label.of(block, recorded=False) for block in now))


def block_keys(block: Block, use_id: Hashable, *, exact: bool) -> Keys:
    """By what a block finds the one that stands for it, the strictest first.

    Args:
        use_id: the id of the call that a block is or answers, as the other side knows it.
    """
    kind = type(block).__name__
    match block:
        case ToolUse():
            asked = (kind, block.name, value_words(block.input))
            known = [(*asked, use_id), (kind, "id", use_id)] if exact else []
            return [*known, asked, (kind, block.name), (kind,)]
        case ToolResult():
            return [(kind, use_id), (kind,)] if exact else [(kind, use_id)]
        case Text():
            return [(kind, block.text), (kind,)]
    return [(kind, block_words(block)), (kind, getattr(block, "type", None))]


def id_of(block: Block) -> str | None:
    """The id of the call that a block is or answers."""
    return block.id if isinstance(block, ToolUse | ToolResult) else None


@dataclass(frozen=True)
class _Labels:
    """What blocks of a role are called."""

    role: str
    calls: Calls

    def of(self, block: Block, *, recorded: bool) -> str:
        match block:
            case ToolUse():
                return f"call of {call_words(block)}"
            case ToolResult():
                return self.calls.result_of(block, self.calls.recorded if recorded else self.calls.now)
            case Text():
                return {"user": "user text", "assistant": "reply"}.get(self.role, f"{visible(self.role)} text")
            case ServerToolUse():
                return f"server call of {visible(block.name or block.type)}"
            case ServerToolResult():
                return "result of a server call"
            case Thinking():
                return "thinking"
            case Media() | Marker() | Other():
                return f"{visible(block.type or 'unknown')} block"


def _block_differences(
    turn: int, labels: _Labels, old: Block | None, new: Block | None, calls: Calls
) -> Iterator[Difference]:
    if isinstance(old, ToolUse | None) and isinstance(new, ToolUse | None):
        calls.meet(old, new)
    if old is None or new is None:
        yield from _alone(turn, labels, old, new)
        return
    label = labels.of(old, recorded=True)
    found = False
    for difference in _said_otherwise(turn, label, old, new, exact=calls.exact):
        found = True
        yield difference
    if calls.exact and not found and not same_json(old.raw, new.raw):
        yield from json_differences(turn, label, old.raw, new.raw)


def _alone(turn: int, labels: _Labels, old: Block | None, new: Block | None) -> Iterable[Difference]:
    if old is not None:
        return (differ(turn, labels.of(old, recorded=True), block_words(old), MISSING),)
    if new is not None:
        return (differ(turn, labels.of(new, recorded=False), MISSING, block_words(new)),)
    return ()


def _said_otherwise(turn: int, label: str, old: Block, new: Block, *, exact: bool) -> Iterator[Difference]:
    match old, new:
        case ToolUse(), ToolUse():
            if old.name != new.name:
                yield differ(turn, "call", block_words(old), block_words(new))
            else:
                yield from json_differences(turn, label, old.input, new.input)
        case ToolResult(), ToolResult():
            was, now = block_words(old), block_words(new)
            if old.is_error != new.is_error:
                yield differ(turn, label, f"{_status(old)}: {was}", f"{_status(new)}: {now}")
            elif was != now or (not exact and not _same_parts(old, new)):
                yield differ(turn, label, was, now)
        case _:
            was, now = block_words(old), block_words(new)
            if was != now:
                yield differ(turn, label, was, now)
            elif not exact and isinstance(old, Media):
                yield from json_differences(turn, label, _source(old), _source(new))
    if exact and id_of(old) != id_of(new):
        yield differ(turn, f"id of the {label}", id_of(old) or MISSING, id_of(new) or MISSING)


def _same_parts(old: ToolResult, new: ToolResult) -> bool:
    """Whether the parts that are told by their kind and size, such as images, are the same too."""
    was, now = ([_source(part) for part in one.parts if isinstance(part, Media)] for one in (old, new))
    return was == now


def _source(block: Block) -> object:
    raw = block.raw
    if not isinstance(raw, dict):
        return raw
    return raw.get("source", raw.get(getattr(block, "type", None) or ""))


def _status(result: ToolResult) -> str:
    return "error" if result.is_error else "success"
