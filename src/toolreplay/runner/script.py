"""The model side of a scenario that brings its own script: the replies, in order, whatever is asked.

A script of the whole scenario is asked for to its end, neither less nor more. A step's own script is a supply: what
the loop does not ask for in that step stays unsaid, and after the last reply comes a closing text. So loops that end a
prompt in different places can be played with one file.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolreplay.contract.conversations import Verdict
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.script import ErrorReply, Reply, ResetReply, TextReply
from toolreplay.scenario.steps import UserStep
from toolreplay.wire import mapping
from toolreplay.wire.endpoints import Endpoint, endpoint
from toolreplay.wire.forms import as_asked, wants_stream
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.messages import error_body, reply_body
from toolreplay.wire.model import Wire

from .cast import MAIN, Cast
from .miss import Miss
from .sides import Answer
from .torn import errored

_ERROR_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_CONVERSE_ERRORS: Final = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}
_SERVER_ERROR: Final = 500
_CLOSING: Final = TextReply(text="That is all.")
_OVERLOADED: Final = {Wire.MESSAGES: ErrorReply(http_error=529), Wire.CONVERSE: ErrorReply(http_error=503)}
_ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class ScriptSide:
    """Replies from a scenario's scripts; a sub-agent has a script of its own."""

    live = False

    def __init__(self, scenario: Scenario, cast: Cast) -> None:
        self._scenario = scenario
        self._cast = cast
        self._served: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()

    def reply(self, request: HttpRequest, verdict: Verdict | None, agent: str, step: int) -> Answer:
        """See `ModelSide`."""
        call = endpoint(request.method, request.url)
        assert call is not None, "the session passes on calls of a model only"
        if call.operation == "count_tokens":
            return _counted(request)
        by_step = agent == MAIN and self._scenario.script is None
        replies = self._of_step(step) if by_step else self._replies(agent)
        with self._lock:
            asked = (agent, step if by_step else 0)
            number = self._served[asked]
            self._served[asked] += 1
        if number >= len(replies) and by_step:
            replies = (*replies, *[_CLOSING] * (number + 1 - len(replies)))
        elif number >= len(replies):
            whose = f"the script of {agent}" if agent else "the script"
            text = f"{whose} is used up: its {len(replies)} replies were served and the loop asked once more"
            return Miss(text)
        seed = f"{self._scenario.id} {agent} {f'step {step} ' if by_step else ''}{number}"
        return scripted_response(replies[number], self._scenario.model, seed, call, request)

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """See `ModelSide`."""
        raise AssertionError("a script lets no request out")

    def left_over(self) -> tuple[str, ...]:
        """See `ModelSide`."""
        lines = []
        for agent in (MAIN, *self._cast.names):
            whose = f"the script of {agent}" if agent else "the script"
            unasked = range(self._served[agent, 0], len(self._replies(agent)))
            lines += [f"reply {number} of {whose} was not asked for" for number in unasked]
        return tuple(lines)

    def _of_step(self, step: int) -> Sequence[Reply]:
        found = self._scenario.conversation[step - 1]
        return (found.script or ()) if isinstance(found, UserStep) else ()

    def _replies(self, agent: str) -> Sequence[Reply]:
        if agent == MAIN:
            return self._scenario.script or ()
        subagent = self._cast.subagent(agent)
        return (subagent.script or ()) if subagent is not None else ()


def scripted_response(reply: Reply, model: str, seed: str, call: Endpoint, request: HttpRequest) -> HttpResponse:
    """A scripted reply as the wire that is asked would send it, streamed if it is asked to.

    Args:
        seed: names the reply; its own ids are made from it, so that they never change.
    """
    headers = {"content-type": "application/json", "request-id": _made_id("req_", seed)}
    if isinstance(reply, ResetReply):
        return HttpResponse(0, reset=True)
    if isinstance(reply, ErrorReply):
        return _error(reply, headers, call)
    content = [dict(block) for block in reply.content]
    if not wants_stream(call, request):
        content = [_whole(block) for block in content]
    tokens = max(1, len(json.dumps(content)) // 4)
    if call.wire is Wire.CONVERSE:
        body = mapping.reply(content, reply.stops, tokens)
    else:
        body = reply_body(
            content, message_id=_made_id("msg_", seed), model=model, stop_reason=reply.stops, output_tokens=tokens
        )
    response = as_asked(call, request, HttpResponse(200, headers, json.dumps(body).encode()))
    if reply.error_after is not None:
        response = errored(response, reply.error_after, _error(_OVERLOADED[call.wire], headers, call))
    return replace(response, body=response.body[: reply.cut_after], piece=reply.piece)


def _whole(block: dict[str, object]) -> dict[str, object]:
    """A block as a reply in one piece has it: an input that breaks off in a stream is an object there."""
    return {**block, "input": {}} if isinstance(block.get("input"), str) else block


def _counted(request: HttpRequest) -> HttpResponse:
    """A count of tokens, which no script has a word for: about a token for four bytes."""
    body = {"input_tokens": max(1, len(request.body) // 4)}
    return HttpResponse(200, {"content-type": "application/json"}, json.dumps(body).encode())


def _error(reply: ErrorReply, headers: dict[str, str], call: Endpoint) -> HttpResponse:
    status = reply.http_error
    if call.wire is Wire.CONVERSE:
        kind = _CONVERSE_ERRORS.get(
            status, "ValidationException" if status < _SERVER_ERROR else "InternalServerException"
        )
        body: dict[str, object] = {"message": reply.message or kind}
        return HttpResponse(status, {**headers, "x-amzn-errortype": kind}, json.dumps(body).encode())
    kind = _ERROR_TYPES.get(status, "invalid_request_error" if status < _SERVER_ERROR else "api_error")
    body = error_body(reply.message or kind.replace("_", " "), kind)
    # A millisecond: zero would make the SDK fall back on its own half a second (measured, anthropic 2.14.0).
    return HttpResponse(status, {**headers, "retry-after-ms": "1"}, json.dumps(body).encode())


def _made_id(prefix: str, seed: str) -> str:
    digest = hashlib.sha256(seed.encode()).digest()
    return f"{prefix}01" + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:22])
