"""The decisions of a tool loop, without sending anything: pure functions that every driver shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class TurnLimit(RuntimeError):
    """The model still asked for tools after as many replies as were allowed; those tools were not run."""


def wants_tools(reply: Mapping[str, Any]) -> bool:
    """Whether the tools of a reply are to be run.

    Only `stop_reason: tool_use` says so. A call in a reply that was cut by `max_tokens` may be incomplete, and one in
    a refusal is not meant (docs: handling-stop-reasons).
    """
    return reply["stop_reason"] == "tool_use" and any(part["type"] == "tool_use" for part in reply["content"])


def assistant_message(reply: Mapping[str, Any]) -> dict[str, Any] | None:
    """The reply as the message to keep in the history; None where nothing of it may be kept.

    Every block goes back unchanged. Calls that will not be answered are left out, since a history that holds them is
    refused; a reply without content is not a message (TR401).
    """
    content = list(reply["content"])
    if not wants_tools(reply):
        content = [part for part in content if part["type"] != "tool_use"]
    return {"role": "assistant", "content": content} if content else None


def request_fields(
    *,
    model: str,
    max_tokens: int,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    system: object = None,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields of the next request: the tool schemas and the whole history, every time."""
    fields: dict[str, Any] = {"model": model, "max_tokens": max_tokens, "messages": list(messages)}
    if system is not None:
        fields["system"] = system
    if tools:
        fields["tools"] = list(tools)
    return {**fields, **(parameters or {})}
