"""Several runs that begin alike: which reply a request goes on from, by what only that reply has.

A recording or a log may hold many runs with one first prompt, followed in any order, and the beginning of some may be
missing. A call's id and the signature of a thinking block are the API's own, and no two replies share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolreplay.wire.fields import items, mapping, text
from toolreplay.wire.model import Reply


def of_another_run(sent: Iterable[object], replies: Sequence[Reply]) -> bool:
    """Whether messages, as sent after those that were answered, go on from none of the replies.

    That is so where the assistant messages they begin with have calls or signatures, and none of a reply's.
    """
    marks = set(_marks(_echoed(sent)))
    if not marks or not replies:
        return False
    served = [set(_marks(reply.content)) for reply in replies]
    return all(served) and all(marks.isdisjoint(one) for one in served)


def _echoed(sent: Iterable[object]) -> Iterator[object]:
    for message in sent:
        fields = mapping(message)
        if fields.get("role") != "assistant":
            return
        yield from items(fields.get("content"))


def _marks(blocks: Iterable[object]) -> Iterator[str]:
    for block in blocks:
        fields = mapping(block)
        reasoning = mapping(fields.get("reasoningContent"))
        found = (
            fields.get("id"),
            fields.get("signature"),
            fields.get("data"),
            mapping(fields.get("toolUse")).get("toolUseId"),
            mapping(reasoning.get("reasoningText")).get("signature"),
            reasoning.get("redactedContent"),
        )
        yield from (mark for mark in map(text, found) if mark)
