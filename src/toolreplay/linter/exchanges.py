"""The requests to the model among recorded HTTP exchanges, and those whose body is not what was sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from toolreplay.cassette import json_text
from toolreplay.cassette.leaks import Leaks
from toolreplay.cassette.reading import json_fault
from toolreplay.cassette.recording import Interaction
from toolreplay.wire.endpoints import Endpoint, endpoint
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.http import HttpRequest
from toolreplay.wire.model import Reply

from .entries import Entry, Left

# What recorders and scrubbers write in place of a body.
_REDACTED: Final = re.compile(
    rb"[\"'\s]*[<\[({*]*\s*(?:[a-z]+[ _-]){0,3}"
    rb"(?:redacted|filtered|scrubbed|sanitized|removed|hidden|masked|omitted)\b.{0,24}"
    rb"|[*x.\s]{3,64}",
    re.IGNORECASE | re.DOTALL,
)
_CLAUDE: Final = ("anthropic", "claude")


def recorded(interactions: Iterable[Interaction], leaks: Leaks | None) -> Iterator[Entry]:
    """The entries of a recording: requests to the model, and other exchanges that hold a credential.

    A body that cannot be read, or that the recorder took out, makes an entry that is left out: neither is passed over
    in silence.

    Args:
        leaks: finds credentials; None where they are not looked for.
    """
    for interaction in interactions:
        sent, fault, left = _parsed(interaction.request, interaction.index)
        request = None if fault or left else read_request(sent)
        answer = None
        if request is not None and interaction.response is not None:
            answer = read_response(request, interaction.response)
        reply = answer if isinstance(answer, Reply) else None
        secrets = () if leaks is None else tuple(leaks.of(sent, interaction.response, reply))
        if request is not None or fault or left or secrets:
            yield Entry(interaction.index, interaction.line, request, reply, fault, secrets, left)


def _parsed(request: HttpRequest, index: int) -> tuple[HttpRequest, str, Left | None]:
    """A request to the model with its body parsed, or what is wrong with the body; others are left as they are."""
    call = endpoint(request.method, request.url)
    if call is None or not _is_claudes(call):
        return request, "", None
    where = f"exchange {index}: the request body"
    if not request.body.strip() or request.body == b"null":
        return request, f"{where} is empty", Left.DAMAGED
    if _REDACTED.fullmatch(request.body):
        return request, "", Left.REDACTED
    try:
        body = json_text.loads(request.body)
    except json_text.DuplicateKeyError as error:
        return request, f"exchange {index}: in the request body {error.reason}", None
    except (ValueError, RecursionError) as error:
        return request, f"{where} {json_fault(error)[1]}", Left.DAMAGED
    if not isinstance(body, dict):
        return request, f"{where} is JSON and no object", Left.DAMAGED
    return HttpRequest(request.method, request.url, request.headers, request.body, body), "", None


def _is_claudes(call: Endpoint) -> bool:
    """Whether only a body for Claude may stand there; InvokeModel takes each vendor's own."""
    return call.carrier != "invoke" or any(name in (call.model or "").lower() for name in _CLAUDE)
