"""Which conversation and which turn of one recording stands for which of another.

Nothing here looks at ids: a recording that is made again has others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest

from toolreplay.wire.content_difference import block_keys, id_of
from toolreplay.wire.model import Block, ToolUse
from toolreplay.wire.words import value_words

from .model import Conversation, Turn


def aligned(recorded: Sequence[Hashable], now: Sequence[Hashable]) -> Iterator[tuple[int | None, int | None]]:
    """The indexes of items that stand for each other, in order; None where a side has none.

    Equal items keep their partners when others are put in or taken out between them. Between two such, the first is
    taken for the first, and so on.
    """
    for _, first, ends, second, then_ends in SequenceMatcher(None, recorded, now, autojunk=False).get_opcodes():
        yield from zip_longest(range(first, ends), range(second, then_ends))


def opening_key(conversation: Conversation) -> Hashable:
    """What two recordings of one conversation have in common: how it begins."""
    first = conversation.turns[0]
    return tuple(block_keys(block, None, exact=False)[0] for message in first.said for block in message.blocks)


def retold(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, those that send a request again with what it said: a retry is then like the turn that it repeats."""
    found: list[Turn] = []
    for turn in turns:
        found.append(replace(turn, said=found[-1].said) if found and not turn.new else turn)
    return found


def turn_keys(turns: Sequence[Turn]) -> list[Hashable]:
    """For each turn what is said in it, without ids: results are told by the call that they answer."""
    asked: dict[str | None, Hashable] = {}
    keys: list[Hashable] = []
    for turn in turns:
        said = [block for message in turn.said for block in message.blocks]
        replied = () if turn.reply is None else turn.reply.blocks
        error = None if turn.error is None else (turn.error.status, turn.error.message)
        keys.append((_keys(said, asked), _keys(replied, asked), turn.stop_reason, error))
    return keys


def _keys(blocks: Sequence[Block], asked: dict[str | None, Hashable]) -> tuple[Hashable, ...]:
    keys = []
    for block in blocks:
        if isinstance(block, ToolUse):
            asked[block.id] = (block.name, value_words(block.input))
        keys.append(block_keys(block, asked.get(id_of(block)), exact=False)[0])
    return tuple(keys)
