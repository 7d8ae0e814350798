"""Streams that the API itself breaks off: an error in place of the rest."""

from __future__ import annotations

from dataclasses import replace

from toolreplay.wire.eventstream import encode_frame, looks_framed
from toolreplay.wire.http import HttpResponse
from toolreplay.wire.pieces import pieces
from toolreplay.wire.sse import encode_event


def errored(response: HttpResponse, after: int, error: HttpResponse) -> HttpResponse:
    """A stream that ends in an error after some of its events; a response that is no stream is the error at once.

    Sources: docs, build-with-claude/streaming (`event: error`); botocore's service model (ModelStreamErrorException).

    Args:
        after: how many of the stream's events come first.
        error: what a request that is refused at once is answered with.
    """
    whole = pieces(response)
    if looks_framed(response.body):
        headers = {
            ":exception-type": "modelStreamErrorException",
            ":content-type": "application/json",
            ":message-type": "exception",
        }
        last = encode_frame(headers, error.body)
    elif response.content_type == "text/event-stream":
        last = encode_event("error", error.json)
    else:
        return error
    return replace(response, body=b"".join([*whole[:after], last]))
