"""HAR 1.2: `log.entries[]`, as browsers and Polly.JS write it (softwareishard.com/blog/har-12-spec).

Some proxies write the bodies of requests in base64 too, and say so as the format has it for responses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolreplay.cassette.bodies import Base64
from toolreplay.cassette.recording import Interaction, MalformedError

from . import parts


def matches(data: object) -> bool:
    """Whether the data has `log.entries`."""
    return isinstance(data, dict) and isinstance(parts.mapping(data.get("log")).get("entries"), list)


def interactions(data: Any) -> Iterator[Interaction]:
    """The entries, in order; one whose response never came has the status 0."""
    for index, entry in enumerate(data["log"]["entries"]):
        fields = parts.mapping(parts.mapping(entry).get("request"))
        if not fields:
            raise MalformedError(f"log.entries[{index}] has no request", entry)
        sent = parts.mapping(fields.get("postData"))
        request = parts.request(
            fields,
            method=fields.get("method"),
            url=fields.get("url"),
            head=fields.get("headers"),
            body=Base64(sent.get("text")) if sent.get("encoding") == "base64" else sent.get("text"),
        )
        answer = parts.mapping(entry.get("response"))
        if not answer.get("status"):
            yield Interaction(index, request, None, at=entry)
            continue
        content = parts.mapping(answer.get("content"))
        body = content.get("text")
        if content.get("encoding") == "base64":
            body = Base64(body)
        response = parts.response(answer, request, status=answer["status"], head=answer.get("headers"), body=body)
        yield Interaction(index, request, response, at=entry)
