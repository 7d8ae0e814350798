"""Replies that no model could give to the request they are about to be served to.

A recording or a script does not look at `tools` and `tool_choice`, and a model does. Where the loop under
test changed them, the next reply is no answer, and serving it would hide the change.
"""

from __future__ import annotations

from typing import Final

from toolreplay.wire.exchange import read_response
from toolreplay.wire.fields import mapping
from toolreplay.wire.http import HttpResponse
from toolreplay.wire.model import Reply, Request, Wire

# A reply that was cut, refused or paused need not hold the call that was forced.
_ENDS: Final = ("end_turn", "stop_sequence")


def contradiction(request: Request, response: HttpResponse) -> str | None:
    """What in a request rules out the reply to it, in a line; None where nothing does."""
    # A request that goes on in a thread inherits its tools (docs: message-threads).
    toolless, forced = not request.tools and request.continues is None, _forces_a_call(request)
    if not toolless and not forced:
        return None
    reply = read_response(request, response)
    if not isinstance(reply, Reply):
        return None
    if toolless and reply.tool_uses:
        name = reply.tool_uses[0].name
        what = f"the request offers no tools, and the reply to it calls {name}"
        return f"{what}; send the tools with every request"
    if forced and not reply.tool_uses and reply.stop_reason in _ENDS:
        what = "tool_choice forces a call, and the reply to the request makes none"
        return f"{what}; force it in the first request only"
    return None


def _forces_a_call(request: Request) -> bool:
    if request.wire is Wire.CONVERSE:
        choice = mapping(mapping(request.body.get("toolConfig")).get("toolChoice"))
        return "any" in choice or "tool" in choice
    return mapping(request.body.get("tool_choice")).get("type") in ("any", "tool")
