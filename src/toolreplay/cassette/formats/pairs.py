"""`{request, response}`, alone or in a list: the SDK's snapshots, dd-apm-test-agent, hand-written logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolreplay.cassette.recording import Interaction

from .vcr import read_request, read_response


def matches(data: object) -> bool:
    """Whether the data is such a pair, or a list of nothing else."""
    pairs = data if isinstance(data, list) else [data]
    return bool(pairs) and all(_is_pair(item) for item in pairs)


def interactions(data: Any) -> Iterator[Interaction]:
    """The pairs, in order."""
    for index, fields in enumerate(data if isinstance(data, list) else [data]):
        request = read_request(fields["request"])
        answer = fields.get("response")
        response = read_response(answer, request) if isinstance(answer, dict) else None
        yield Interaction(index, request, response, at=fields)


def _is_pair(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("request"), dict):
        return False
    request = item["request"]
    return "url" in request or "uri" in request
