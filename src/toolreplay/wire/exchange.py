"""One HTTP exchange into the model: the request that was made, and the reply or the error that came back.

What a body is, is seen from the body: content types are missing or wiped out in many recordings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import converse, messages
from .endpoints import Endpoint, endpoint
from .eventstream import chunk_events, fold_converse, looks_framed, parse_frames
from .fields import mapping, text
from .http import HttpRequest, HttpResponse
from .model import ApiError, Reply, Request, Wire
from .sse import fold_events, parse_events

_ERROR = 400
_CLAUDE = ("anthropic", "claude")


def read_request(http: HttpRequest) -> Request | None:
    """The request to the model; None for another URL, another vendor, or a body that is no JSON object."""
    call = endpoint(http.method, http.url)
    if call is None or not http.is_json:
        return None
    body: dict[str, Any] = http.json
    if call.wire is Wire.CONVERSE:
        return converse.parse_request(body, call.model, len(http.body))
    if call.carrier == "invoke" and not _is_claude(body, call):
        return None
    headers = http.headers
    return messages.parse_request(
        body,
        version=headers.get("anthropic-version"),
        model=call.model,
        betas=headers.get("anthropic-beta", ""),
        size=len(http.body),
    )


def read_response(call: Endpoint | Request, http: HttpResponse) -> Reply | ApiError | None:
    """What came back on a call of `call.wire`.

    Returns:
        The reply; an error, also one that arrived in the middle of a stream (its status is then the stream's,
        200); None for anything else, such as a count of tokens or a body that is damaged.
    """
    wire = call.wire
    if http.status >= _ERROR:
        return _error(wire, http, _object(http))
    body, complete = _body(wire, http)
    if wire is Wire.CONVERSE:
        if "output" in body:
            return converse.parse_reply(body, complete=complete)
        return _error(wire, http, body) if "__type" in body else None
    if body.get("type") == "error":
        return _error(wire, http, body)
    if "content" in body or body.get("type") == "message":
        return messages.parse_reply(body, complete=complete)
    return None


def reply_json(wire: Wire, http: HttpResponse) -> dict[str, Any] | None:
    """The JSON of a reply, whatever form it came in; None where it is none or a stream that was cut."""
    body, complete = _body(wire, http)
    is_reply = "output" in body if wire is Wire.CONVERSE else body.get("type") == "message"
    return dict(body) if complete and is_reply else None


def _is_claude(body: Mapping[str, object], call: Endpoint) -> bool:
    # InvokeModel takes each vendor's own body; Claude's older one has a `prompt` and no messages.
    if "messages" not in body:
        return False
    return "anthropic_version" in body or any(name in (call.model or "").lower() for name in _CLAUDE)


def _body(wire: Wire, http: HttpResponse) -> tuple[Mapping[str, object], bool]:
    data = http.body
    if looks_framed(data):
        frames, _ = parse_frames(data)
        return fold_converse(frames) if wire is Wire.CONVERSE else fold_events(chunk_events(frames))
    start = data[:64].lstrip()
    if start.startswith(b"{"):
        return _object(http), True
    if wire is Wire.MESSAGES and (
        http.content_type == "text/event-stream" or start.startswith((b"event:", b"data:", b":"))
    ):
        return fold_events(parse_events(data))
    return {}, False


def _object(http: HttpResponse) -> Mapping[str, object]:
    return mapping(http.json)


def _error(wire: Wire, http: HttpResponse, body: Mapping[str, object]) -> ApiError:
    if wire is Wire.CONVERSE:
        # `ValidationException:http://internal.amazon.com/...`: what follows the colon is no part of the name.
        named = http.headers.get("x-amzn-errortype") or text(body.get("__type")) or ""
        message = text(body.get("message")) or text(body.get("Message"))
        return ApiError(http.status, named.partition(":")[0] or None, message or "", body)
    error = mapping(body.get("error"))
    message = text(error.get("message")) or text(body.get("message"))
    return ApiError(http.status, text(error.get("type")) or _amazon_type(http), message or "", body)


def _amazon_type(http: HttpResponse) -> str | None:
    return http.headers.get("x-amzn-errortype", "").partition(":")[0] or None
