"""`interactions:` of vcrpy (old and new), pydantic-ai and go-vcr; `http_interactions:` of Ruby VCR.

They differ in names: vcrpy's `uri` and `status: {code:}`, go-vcr's `url` and `code`, vcrpy's old httpx stub's
`status_code` and `content`, pydantic-ai's `parsed_body`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolreplay.cassette.recording import Interaction, MalformedError
from toolreplay.wire.http import HttpRequest, HttpResponse

from . import parts

_KEYS = ("interactions", "http_interactions")


def matches(data: object) -> bool:
    """Whether the data is a mapping with a list of interactions."""
    return isinstance(data, dict) and any(isinstance(data.get(key), list) for key in _KEYS)


def interactions(data: Any) -> Iterator[Interaction]:
    """The interactions, in order."""
    stored = next(data[key] for key in _KEYS if isinstance(data.get(key), list))
    for index, fields in enumerate(stored):
        if not isinstance(fields, dict) or not isinstance(fields.get("request"), dict):
            raise MalformedError(f"interactions[{index}] has no request", fields)
        request = read_request(fields["request"])
        answer = fields.get("response")
        response = read_response(answer, request) if isinstance(answer, dict) else None
        yield Interaction(index, request, response, at=fields)


def read_request(fields: Mapping[str, Any]) -> HttpRequest:
    """A request of any of these recorders."""
    return parts.request(
        fields,
        method=fields.get("method"),
        url=fields.get("uri") or fields.get("url"),
        head=fields.get("headers"),
        body=parts.stored_body(fields),
    )


def read_response(fields: Mapping[str, Any], request: HttpRequest) -> HttpResponse:
    """The response to a request."""
    status = fields.get("status")
    code = status.get("code") if isinstance(status, dict) else fields.get("code", fields.get("status_code", status))
    body = parts.stored_body(fields)
    return parts.response(fields, request, status=code, head=fields.get("headers"), body=body)
