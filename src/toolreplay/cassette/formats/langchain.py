"""langchain's cassettes: `requests:` and `responses:`, side by side (langchain-tests, `.yaml.gz`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolreplay.cassette.recording import Interaction, MalformedError

from .vcr import read_request, read_response


def matches(data: object) -> bool:
    """Whether the data is a mapping of the two lists."""
    return isinstance(data, dict) and all(isinstance(data.get(key), list) for key in ("requests", "responses"))


def interactions(data: Any) -> Iterator[Interaction]:
    """The n-th request with the n-th response."""
    sent, answered = data["requests"], data["responses"]
    if len(sent) != len(answered):
        raise MalformedError(f"it has {len(sent)} requests and {len(answered)} responses", data)
    for index, (fields, answer) in enumerate(zip(sent, answered, strict=True)):
        if not isinstance(fields, dict) or not isinstance(answer, dict):
            raise MalformedError(f"requests[{index}] or responses[{index}] is no mapping", fields)
        request = read_request(fields)
        yield Interaction(index, request, read_response(answer, request), at=fields)
