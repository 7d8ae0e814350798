"""How the results of a run differ from those of the recording: of interest when the model is replayed and real tools run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..contract.facts import CallFacts
from ..wire.exchange import read_request
from ..wire.model import Text, ToolResult
from .run import Drift
from .sides import CassetteSide, ModelSide


def drift_of(side: ModelSide, facts: Sequence[CallFacts]) -> tuple[Drift, ...]:
    """The results that differ, in the order of the calls; the form of a result (string or blocks) is no difference."""
    if not isinstance(side, CassetteSide):
        return ()
    recorded = {result.id: result for result in _recorded(side)}
    found = []
    for call in facts:
        was, now = recorded.get(call.use.id), call.result
        if was is not None and now is not None and _said(was) != _said(now):
            found.append(Drift(call.use.id, call.use.name, _said(was), _said(now)))
    return tuple(found)


def _recorded(side: CassetteSide) -> Iterator[ToolResult]:
    for exchange in side.playback.exchanges:
        request = read_request(exchange.request)
        for message in request.messages if request is not None else ():
            for block in message.blocks:
                if isinstance(block, ToolResult):
                    yield block


def _said(result: ToolResult) -> str:
    texts = [part.text or "" if isinstance(part, Text) else repr(part.raw) for part in result.parts]
    return "\n".join([*texts, "(error)"] if result.is_error else texts)
