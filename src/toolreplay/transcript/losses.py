"""What of a recorded request a scenario cannot say, in words: nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolreplay.contract.rules.versions import SAMPLING
from toolreplay.wire import mapping_back
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.mapping import UnmappableError
from toolreplay.wire.model import Request, ToolResult, Wire

from .model import Call


def losses(request: Request, calls: Iterable[Call]) -> Iterator[str]:
    """A line for each thing that is left out, or stands otherwise, in the draft of a conversation.

    Args:
        request: the first.
    """
    if request.wire is Wire.MESSAGES:
        for name in SAMPLING:
            if name in request.body:
                yield f"left out: {name}, which the SDK's version of the API does not take"
        return
    for entry in items(mapping(request.body.get("toolConfig")).get("tools")):
        if not mapping(entry).keys() & {"toolSpec", "cachePoint"}:
            yield f"left out: {next(iter(mapping(entry)), 'a tool')}, a tool that Bedrock runs itself"
    for call in calls:
        for kind in _unmapped(call.result) if call.result is not None else ():
            yield f"the result of {call.use.name} holds a {kind}, for which the stub returns its JSON as text"


def _unmapped(result: ToolResult) -> Iterator[str]:
    for block in items(result.content):
        try:
            mapping_back.content([block])
        except UnmappableError:
            yield next(iter(mapping(block)), "block")
