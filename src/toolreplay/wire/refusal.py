"""A refusal in the error envelope of the wire it answers, so that every client raises its own 400 at once."""

from __future__ import annotations

import json
from typing import Final

from .converse import error_body as converse_error
from .http import HttpResponse
from .messages import error_body as messages_error
from .model import Wire

# The SDK retries a 408, 409, 429 or 5xx without it, and a 400 never (anthropic 2.14.0, _base_client.py). Said all the
# same, because gateways and other clients read it too.
_NO_RETRY: Final = {"x-should-retry": "false"}


def refusal(wire: Wire, message: str, status: int = 400) -> HttpResponse:
    """An HTTP error that says `message`: `invalid_request_error` on Messages, ValidationException on Converse."""
    headers = {"content-type": "application/json", **_NO_RETRY}
    body: dict[str, object]
    if wire is Wire.CONVERSE:
        headers["x-amzn-errortype"] = "ValidationException"
        body = converse_error(message)
    else:
        body = messages_error(message)
    return HttpResponse(status, headers, json.dumps(body).encode())
