"""nock's recordings (Node): a JSON list of `{scope, method, path, body, status, response}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolreplay.cassette.recording import Interaction

from . import parts

_KEYS = ("scope", "method", "path", "status")


def matches(data: object) -> bool:
    """Whether the data is a list of nothing but such entries."""
    return (
        isinstance(data, list)
        and bool(data)
        and all(isinstance(item, dict) and all(key in item for key in _KEYS) for item in data)
    )


def interactions(data: Any) -> Iterator[Interaction]:
    """The entries, in order."""
    for index, fields in enumerate(data):
        request = parts.request(
            fields,
            method=fields["method"],
            url=parts.string(fields["scope"]) + parts.string(fields["path"]),
            head=fields.get("reqheaders"),
            body=fields.get("body"),
        )
        response = parts.response(
            fields, request, status=fields["status"], head=fields.get("rawHeaders"), body=_body(fields)
        )
        yield Interaction(index, request, response, at=fields)


def _body(fields: Any) -> object:
    body = fields.get("response")
    # Binary and compressed bodies are hex: one string, or one for each chunk.
    chunks = body if isinstance(body, list) else [body]
    binary = fields.get("responseIsBinary") is True or isinstance(body, list)
    if not binary or not all(isinstance(chunk, str) for chunk in chunks):
        return body
    try:
        return bytes.fromhex("".join(chunks))
    except ValueError:
        return body
