"""What is written in the shape of Bedrock Converse, in the shape of the Messages API: `mapping` the other way round.

Binary values are base64 text, as the wire's JSON has them. What the Messages API has no place for is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from .fields import items, mapping
from .mapping import UnmappableError

_OF_DOCUMENTS: Final = {"title": "name", "context": "context", "citations": "citations"}


def content(value: object) -> str | list[dict[str, Any]]:
    """A message's content; a single text is a string.

    Raises:
        UnmappableError: a block that has no place in the Messages API, such as a video.
    """
    if isinstance(value, str):
        return value
    found: list[dict[str, Any]] = []
    for block in items(value):
        if "cachePoint" not in mapping(block):
            found.append(_block(mapping(block)))
        elif found:  # what is a block of its own on Converse is a field on Messages
            found[-1] = {**found[-1], "cache_control": {"type": "ephemeral"}}
    if len(found) == 1 and found[0].keys() == {"type", "text"}:
        text: str = found[0]["text"]
        return text
    return found


def tools(entries: Iterable[object]) -> list[dict[str, Any]]:
    """The definitions of `toolConfig.tools`; cache points, and tools that Bedrock runs itself, are left out."""
    return [_tool(mapping(mapping(entry)["toolSpec"])) for entry in entries if "toolSpec" in mapping(entry)]


def tool_choice(choice: Mapping[str, object]) -> dict[str, Any] | None:
    """`tool_choice` of a `toolConfig.toolChoice`; None where it is none of those that there are."""
    if "tool" in choice:
        return {"type": "tool", "name": mapping(choice["tool"]).get("name")}
    return next(({"type": kind} for kind in ("auto", "any") if kind in choice), None)


def _tool(spec: Mapping[str, object]) -> dict[str, Any]:
    named = {name: spec[name] for name in ("name", "description", "strict") if name in spec}
    schema = mapping(spec.get("inputSchema")).get("json", {"type": "object"})
    return {**named, "input_schema": schema}


def _block(block: Mapping[str, object]) -> dict[str, Any]:
    kind = next((name for name in block if name != "__type"), None)
    fields = mapping(block.get(kind or ""))
    match kind:
        case "text":
            return {"type": "text", "text": block["text"]}
        case "json":  # of a result
            return {"type": "text", "text": json.dumps(block["json"], ensure_ascii=False)}
        case "toolUse" if fields.get("type") != "server_tool_use":
            return {
                "type": "tool_use",
                "id": fields.get("toolUseId"),
                "name": fields.get("name"),
                "input": fields.get("input", {}),
            }
        case "toolResult":
            return _result(fields)
        case "reasoningContent":
            return _thinking(fields)
        case "image" | "document" if mapping(fields.get("source")).keys() & {"bytes", "text"}:
            return _media(kind, fields)
    raise UnmappableError(f"a block of type {kind!r} has no place in the Messages API")


def _result(fields: Mapping[str, object]) -> dict[str, Any]:
    found = {"type": "tool_result", "tool_use_id": fields.get("toolUseId"), "content": content(fields.get("content"))}
    return {**found, "is_error": True} if fields.get("status") == "error" else found


def _thinking(fields: Mapping[str, object]) -> dict[str, Any]:
    if "redactedContent" in fields:
        return {"type": "redacted_thinking", "data": fields["redactedContent"]}
    said = mapping(fields.get("reasoningText"))
    return {"type": "thinking", "thinking": said.get("text", ""), "signature": said.get("signature", "")}


def _media(kind: str, fields: Mapping[str, object]) -> dict[str, Any]:
    given = mapping(fields["source"])
    if "text" in given:
        source = {"type": "text", "media_type": "text/plain", "data": given["text"]}
    else:
        family = "image" if kind == "image" else "application"
        source = {"type": "base64", "media_type": f"{family}/{fields.get('format')}", "data": given["bytes"]}
    further = {name: fields[theirs] for name, theirs in _OF_DOCUMENTS.items() if theirs in fields}
    return {"type": kind, "source": source, **further}
