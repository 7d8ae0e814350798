"""What is written in the shape of the Messages API, in the shape of Bedrock Converse.

Scenario files and scripts are always in Messages shape. A field that Converse has no place for is left out where it
says nothing there, and refused where leaving it out would change the meaning.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from toolreplay.errors import ScenarioError

Binary: TypeAlias = Callable[[str], object]
# Blobs of the content blocks (botocore's bedrock-runtime service model), and what holds JSON of the user's own.
_BINARY: Final = frozenset({"bytes", "redactedContent"})
_OWN_JSON: Final = frozenset({"json", "input"})


class UnmappableError(ScenarioError):
    """A block or field that Converse cannot hold; the message says which, and what Converse takes."""


def raw_bytes(data: str) -> bytes:
    """Base64 text as boto3 takes binary values."""
    return base64.b64decode(data)


def content(value: str | Iterable[Mapping[str, Any]], binary: Binary = raw_bytes) -> list[dict[str, Any]]:
    """A message's content.

    Args:
        binary: what becomes of base64 data: boto3 takes bytes, the wire's own JSON the text as it is.
    """
    if isinstance(value, str):
        return [{"text": value}]
    return [mapped for block in value for mapped in _block(block, binary)]


def messages(history: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages, for boto3."""
    return [{"role": message["role"], "content": content(message["content"])} for message in history]


def from_wire(sent: Any) -> Any:
    """Messages of a request's own JSON, for boto3, which takes bytes where the JSON has base64 text."""
    if isinstance(sent, list):
        return [from_wire(item) for item in sent]
    if not isinstance(sent, dict):
        return sent
    return {name: _binary(value) if name in _BINARY else _part(name, value) for name, value in sent.items()}


def system(value: str | Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The system prompt."""
    return content(value)


def tools(definitions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries of `toolConfig.tools`."""
    return [_tool(definition) for definition in definitions]


def tool_choice(choice: Mapping[str, Any]) -> dict[str, Any]:
    """`toolConfig.toolChoice`.

    Raises:
        UnmappableError: `none`, which Converse has not.
    """
    match choice.get("type"):
        case "auto":
            return {"auto": {}}
        case "any":
            return {"any": {}}
        case "tool":
            return {"tool": {"name": choice["name"]}}
    raise UnmappableError(f"tool_choice {choice.get('type')!r} does not exist on Converse; leave tool_choice out")


def reply(blocks: Iterable[Mapping[str, Any]], stop_reason: str, output_tokens: int) -> dict[str, Any]:
    """The JSON of a reply."""
    return {
        "output": {"message": {"role": "assistant", "content": content(blocks, str)}},
        "stopReason": stop_reason,
        "usage": {"inputTokens": 1, "outputTokens": output_tokens, "totalTokens": output_tokens + 1},
        "metrics": {"latencyMs": 1},
    }


def _tool(definition: Mapping[str, Any]) -> dict[str, Any]:
    if definition.get("type", "custom") != "custom":
        raise UnmappableError(
            f"the tool type {definition['type']!r} does not exist on Converse; write a tool of your own"
        )
    spec: dict[str, Any] = {"name": definition["name"]}
    if definition.get("description"):
        spec["description"] = definition["description"]
    spec["inputSchema"] = {"json": definition.get("input_schema", {"type": "object"})}
    if "strict" in definition:
        spec["strict"] = definition["strict"]
    return {"toolSpec": spec}


def _block(block: Mapping[str, Any], binary: Binary) -> list[dict[str, Any]]:
    mapped = _one(block, binary)
    # What is a field on Messages is a block of its own on Converse.
    return [mapped, {"cachePoint": {"type": "default"}}] if block.get("cache_control") else [mapped]


def _one(block: Mapping[str, Any], binary: Binary) -> dict[str, Any]:
    match block.get("type"):
        case "text":
            return {"text": block["text"]}
        case "tool_use":
            return {"toolUse": {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}}
        case "tool_result":
            return {"toolResult": _result(block, binary)}
        case "thinking":
            reasoning = {"text": block["thinking"], "signature": block.get("signature", "")}
            return {"reasoningContent": {"reasoningText": reasoning}}
        case "redacted_thinking":
            return {"reasoningContent": {"redactedContent": binary(block["data"])}}
        case "image" if block["source"].get("type") == "base64":
            source = block["source"]
            return {
                "image": {"format": source["media_type"].partition("/")[2], "source": {"bytes": binary(source["data"])}}
            }
        case "document" if block["source"].get("type") in ("base64", "text"):
            return {"document": _document(block, binary)}
    raise UnmappableError(
        f"a block of type {block.get('type')!r} has no place on Converse; use text, image or document"
    )


def _document(block: Mapping[str, Any], binary: Binary) -> dict[str, Any]:
    source = block["source"]
    further = {name: block[name] for name in ("context", "citations") if name in block}
    named = {"name": block.get("title", "document"), **further}
    if source["type"] == "text":
        return {"format": "txt", **named, "source": {"text": source["data"]}}
    format_ = source["media_type"].partition("/")[2]
    return {"format": format_, **named, "source": {"bytes": binary(source["data"])}}


def _result(block: Mapping[str, Any], binary: Binary) -> dict[str, Any]:
    value = block.get("content", "")
    items = content(value, binary) if value else []
    return {
        "toolUseId": block["tool_use_id"],
        "content": items,
        "status": "error" if block.get("is_error") else "success",
    }


def _part(name: str, value: object) -> Any:
    return value if name in _OWN_JSON else from_wire(value)


def _binary(value: object) -> object:
    try:
        return raw_bytes(value) if isinstance(value, str) else value
    except ValueError:  # no base64: left as it was sent
        return value
