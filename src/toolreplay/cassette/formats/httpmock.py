"""httpmock's recordings (Rust): a YAML document a pair, `when:` the request looks so, `then:` answer that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolreplay.cassette.bodies import Base64
from toolreplay.cassette.recording import Interaction

from . import parts


def matches(data: object) -> bool:
    """Whether the data is such a document, or all documents are."""
    documents = data if isinstance(data, list) else [data]
    return bool(documents) and all(
        isinstance(item, dict) and isinstance(item.get("when"), dict) and isinstance(item.get("then"), dict)
        for item in documents
    )


def interactions(data: Any) -> Iterator[Interaction]:
    """The documents, in order. They name the path alone, no host."""
    for index, document in enumerate(data if isinstance(data, list) else [data]):
        when, then = document["when"], document["then"]
        request = parts.request(
            when, method=when.get("method"), url=when.get("path"), head=when.get("header"), body=_body(when)
        )
        status = then.get("status", 200)
        response = parts.response(then, request, status=status, head=then.get("header"), body=_body(then))
        yield Interaction(index, request, response, at=document)


def _body(fields: Any) -> object:
    body = fields.get("body")
    return Base64(body) if fields.get("body_encoding") == "base64" else body
