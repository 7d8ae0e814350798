"""Answers of a live server that no replay could give again, found before they are kept as if it could."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.eventstream import looks_framed
from toolreplay.wire.forms import wants_stream
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Reply
from toolreplay.wire.pieces import STREAMS

from .run import Failure, Outcome, Run, RunExchange, outcome_of

_LOOK = "look at what the server sent (toolreplay record --keep-failed), and mend the server or the address"
_ANOTHER = "give its address as base URL (--base-url, or the SDK's variable)"


def without_unplayable(run: Run) -> Run:
    """The run of a live server; an ERROR where an answer would not do in a replay, or was not understood."""
    failures = (*run.failures, *_unplayable(run))
    return replace(run, failures=failures, outcome=outcome_of(run.findings, failures))


def sent_again(request: HttpRequest, later: Sequence[HttpRequest]) -> bool:
    """Whether a request that was redirected was sent to the new place as it was, as after a 307 or 308."""
    return any((one.method, one.body) == (request.method, request.body) for one in later)


def is_redirect(response: HttpResponse) -> bool:
    """Whether a response only says where to ask."""
    return HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST


def _unplayable(run: Run) -> Iterator[Failure]:
    told: set[str] = set()
    for index, exchange in enumerate(run.exchanges):
        what, fix = "", _LOOK
        if is_redirect(exchange.response):
            if not sent_again(exchange.request, [one.request for one in run.exchanges[index + 1 :]]):
                what, fix = f"{_redirect(exchange)}, and what was answered there cannot be seen", _ANOTHER
        elif exchange.checked and exchange.served and exchange.response.status < HTTPStatus.MULTIPLE_CHOICES:
            what = _not_understood(exchange)
        if what and what not in told:  # what is tried again is said once
            told.add(what)
            yield Failure(Outcome.ERROR, f"request {exchange.number}", what, fix)


def _redirect(exchange: RunExchange) -> str:
    response = exchange.response
    place = urlsplit(urljoin(exchange.request.url, response.headers.get("location", "")))
    # Neither the query nor what stands before an @: keys are sent in both.
    shown = f"{place.scheme}://{place.netloc.rpartition('@')[2]}{place.path}"
    return f"the server answered {response.status}, which leads to {shown}"


def _not_understood(exchange: RunExchange) -> str:
    response = exchange.response
    if "content-encoding" in response.headers:
        return ""  # told where it was seen
    shown = f"{response.status}, {response.content_type or 'of no content type'}"
    streamed = response.content_type in STREAMS or not response.body[:64].lstrip().startswith(b"{")
    if exchange.reply is None:
        # A stream may end before its first event; that is a thing that happens, and replays.
        return "" if _is_stream(response) else f"the answer ({shown}) is no reply of a model that toolreplay can read"
    call = endpoint(exchange.request.method, exchange.request.url)
    if call is None or not isinstance(exchange.reply, Reply) or wants_stream(call, exchange.request) == streamed:
        return ""
    asked, is_one = ("no stream", "one") if streamed else ("a stream", "none")
    return f"{asked} was asked for, and the answer ({shown}) is {is_one}"


def _is_stream(response: HttpResponse) -> bool:
    body = response.body
    return (
        response.content_type in STREAMS
        or looks_framed(body)
        or body[:64].lstrip().startswith((b"event:", b"data:", b":"))
    )
