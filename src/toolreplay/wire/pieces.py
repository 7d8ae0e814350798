"""A streamed response in the pieces in which a server sends it: event by event, or as the response says."""

from __future__ import annotations

from typing import Final

from .eventstream import frame_bounds, looks_framed
from .http import HttpResponse
from .sse import parse_events

STREAMS: Final = frozenset({"text/event-stream", "application/vnd.amazon.eventstream"})


def pieces(response: HttpResponse) -> list[bytes]:
    """The body's pieces, which joined are the body; one piece for what is no stream."""
    body = response.body
    if response.piece is not None:
        return [body[at : at + response.piece] for at in range(0, len(body), response.piece)]
    if response.content_type == "text/event-stream":
        return [event.raw for event in parse_events(body)]
    if looks_framed(body):
        return [body[start:end] for start, end in frame_bounds(body)]
    return [body]
