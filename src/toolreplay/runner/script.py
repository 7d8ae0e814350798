"""The model side of a scenario that brings its own script: the replies, in order, whatever is asked."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from typing import Final

from ..contract.conversations import Verdict
from ..scenario.model import Scenario
from ..scenario.script import ErrorReply, Reply
from ..wire.http import HttpRequest, HttpResponse
from ..wire.messages import error_body, reply_body
from .miss import Miss
from .sides import LetOut

_ERROR_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_SERVER_ERROR: Final = 500
_ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class ScriptSide:
    """Replies from a scenario's `script`."""

    live = False

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._replies: Sequence[Reply] = scenario.script or ()
        self._next = 0
        self._lock = threading.Lock()

    def reply(self, request: HttpRequest, verdict: Verdict | None) -> HttpResponse | Miss | LetOut:
        with self._lock:
            number, self._next = self._next, self._next + 1
        if number >= len(self._replies):
            count = len(self._replies)
            return Miss(f"the script is used up: its {count} replies were served and the loop asked once more", first=False)
        return scripted_response(self._replies[number], self._scenario.model, f"{self._scenario.id} {number}")

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        raise AssertionError("a script lets no request out")

    def left_over(self) -> tuple[str, ...]:
        return tuple(f"reply {number} of the script was not asked for" for number in range(self._next, len(self._replies)))


def scripted_response(reply: Reply, model: str, seed: str) -> HttpResponse:
    """A scripted reply as the Messages API would send it.

    Args:
        seed: names the reply; its own ids are made from it, so that they never change.
    """
    headers = {"content-type": "application/json", "request-id": _made_id("req_", seed)}
    if isinstance(reply, ErrorReply):
        status = reply.http_error
        kind = _ERROR_TYPES.get(status, "invalid_request_error" if status < _SERVER_ERROR else "api_error")
        body = error_body(reply.message or kind.replace("_", " "), kind)
        # A millisecond: zero would make the SDK fall back on its own half a second (protocol.md D.6).
        return HttpResponse(status, {**headers, "retry-after-ms": "1"}, json.dumps(body).encode())
    content = [dict(block) for block in reply.content]
    body = reply_body(
        content,
        message_id=_made_id("msg_", seed),
        model=model,
        stop_reason=reply.stops,
        output_tokens=max(1, len(json.dumps(content)) // 4),
    )
    return HttpResponse(200, headers, json.dumps(body).encode())


def _made_id(prefix: str, seed: str) -> str:
    digest = hashlib.sha256(seed.encode()).digest()
    return f"{prefix}01" + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:22])
