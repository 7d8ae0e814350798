"""How the results of a run differ from those of the recording: what to know when real tools run."""

from __future__ import annotations

from collections.abc import Sequence

from toolreplay.cassette.playback import Match
from toolreplay.contract.facts import CallFacts
from toolreplay.wire.model import Text, ToolResult

from .run import Drift
from .sides import CassetteSide, ModelSide


def drift_of(side: ModelSide, facts: Sequence[CallFacts]) -> tuple[Drift, ...]:
    """The results that differ, in the order of the calls.

    Neither the form of a result (string or blocks) is a difference, nor what is declared volatile.
    """
    if not isinstance(side, CassetteSide):
        return ()
    if side.playback.match is Match.EXACT:
        return ()  # what differs was a miss
    recorded = _recorded(side, {call.use.id for call in facts if call.result is not None})
    mask = side.playback.mask
    found = []
    for call in facts:
        was, now = recorded.get(call.use.id), call.result
        if was is not None and now is not None and mask.text(_said(was)) != mask.text(_said(now)):
            found.append(Drift(call.use.id, call.use.name, _said(was), _said(now)))
    return tuple(found)


def _recorded(side: CassetteSide, wanted: set[str | None]) -> dict[str | None, ToolResult]:
    """The recorded results of some calls. The last request of a conversation holds them all: the search goes back."""
    found: dict[str | None, ToolResult] = {}
    for exchange in reversed(side.playback.exchanges):
        if wanted <= found.keys():
            break
        request = exchange.parsed
        for message in request.messages if request is not None else ():
            for block in message.blocks:
                if isinstance(block, ToolResult):
                    found.setdefault(block.id, block)
    return found


def _said(result: ToolResult) -> str:
    texts = [part.text or "" if isinstance(part, Text) else repr(part.raw) for part in result.parts]
    return "\n".join([*texts, "(error)"] if result.is_error else texts)
