"""Bedrock Converse through boto3: how its requests are sent, streamed or not, and its calls and results written."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .results import ErrorResult, content_blocks, error_text, message_of, text_of
from .tools import Result, ToolCall
from .turns import Dialect, Message, Part, Reply, Send


def fields(
    model: str,
    max_tokens: int,
    tools: Sequence[Mapping[str, Any]],
    system: Any,
    parameters: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What is the same in every request of a prompt."""
    found: dict[str, Any] = {"modelId": model, "inferenceConfig": {"maxTokens": max_tokens}}
    if system:
        found["system"] = [{"text": system}] if isinstance(system, str) else list(system)
    further = dict(parameters or {})
    config = dict(further.pop("toolConfig", {}))
    if tools:
        config["tools"] = list(tools)
    if config:
        found["toolConfig"] = config
    return {**found, **further}


def joined(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """The messages with neighbours of one role joined, which Converse refuses where the Messages API joins them.

    A prompt follows directly on results when the reply to them was empty.
    """
    history: list[Message] = []
    for message in messages:
        if history and history[-1]["role"] == message["role"]:
            history[-1] = {"role": message["role"], "content": [*history[-1]["content"], *message["content"]]}
        else:
            history.append(dict(message))
    return history


def sender(client: Any, shared: Mapping[str, Any], *, stream: bool) -> Callable[[Send], Reply]:
    """How a request is sent."""

    def send(step: Send) -> Reply:
        body = _request(shared, step)
        if stream:
            return reply_of_events(client.converse_stream(**body)["stream"])
        answer = client.converse(**body)
        return Reply(answer["output"]["message"]["content"], answer["stopReason"])

    return send


def is_call(part: Part) -> bool:
    """Whether a block is a call that the client answers; a `server_tool_use` is answered by the API's side."""
    return "toolUse" in part and part["toolUse"].get("type") != "server_tool_use"


def is_result(part: Part) -> bool:
    """Whether a block answers one."""
    return "toolResult" in part


def tool_calls(parts: Iterable[Part], broken: Mapping[str, str] | None = None) -> list[ToolCall]:
    """The calls among the parts of a reply, in order."""
    uses = [part["toolUse"] for part in parts if is_call(part)]
    return [ToolCall(use["toolUseId"], use["name"], use["input"], (broken or {}).get(use["toolUseId"])) for use in uses]


def tool_result(call: ToolCall, value: object) -> Result:
    """The result of a call: the status is always said."""
    status, content = "success", []
    try:
        if not isinstance(value, ErrorResult):
            content = _content(value)
    except Exception as error:  # noqa: BLE001  (a value's own __str__ may raise anything)
        value = ErrorResult(message_of(error))
    if isinstance(value, ErrorResult):
        status, content = "error", [{"text": error_text(value)}]
    return {"toolResult": {"toolUseId": call.id, "content": content, "status": status}}


DIALECT = Dialect(is_call, is_result, tool_calls, tool_result)


def reply_of_events(events: Iterable[Mapping[str, Any]]) -> Reply:
    """A reply from the events of ConverseStream; blocks are told apart by their index, and a text may have no start."""
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    stop_reason = None
    for event in events:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {key: dict(value) for key, value in start["start"].items()}
        elif "contentBlockDelta" in event:
            index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            _add(blocks.setdefault(index, {}), delta)
            if "toolUse" in delta:
                inputs[index] = inputs.get(index, "") + delta["toolUse"]["input"]
        elif "messageStop" in event:
            stop_reason = event["messageStop"]["stopReason"]
    broken = {}
    for index, block in blocks.items():
        if "toolUse" in block:
            block["toolUse"]["input"], problem = _parsed(inputs.get(index, ""))
            if problem is not None:
                broken[block["toolUse"]["toolUseId"]] = problem
    return Reply([blocks[index] for index in sorted(blocks)], stop_reason, broken=broken)


def _request(shared: Mapping[str, Any], step: Send) -> dict[str, Any]:
    body = {**shared, "messages": list(step.history)}
    choice = body.get("toolConfig", {}).get("toolChoice", {})
    if not step.first and ("any" in choice or "tool" in choice):
        # Forced for the first reply only: kept, it would never let the model answer.
        body["toolConfig"] = {**body["toolConfig"], "toolChoice": {"auto": {}}}
    return body


def _add(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif "reasoningContent" in delta:
        reasoning = block.setdefault("reasoningContent", {})
        piece = delta["reasoningContent"]
        if "redactedContent" in piece:
            reasoning["redactedContent"] = reasoning.get("redactedContent", b"") + piece["redactedContent"]
        for name in ("text", "signature"):
            if name in piece:
                text = reasoning.setdefault("reasoningText", {"text": ""})
                text[name] = text.get(name, "") + piece[name]


def _parsed(text: str) -> tuple[dict[str, Any], str | None]:
    """The input of a call; with the text itself where that is no JSON object."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}, text
    return (value, None) if isinstance(value, dict) else ({}, text)


def _content(value: object) -> list[dict[str, Any]]:
    """A tool's value as content: objects as `json`, which must be an object for Claude; the rest as text."""
    blocks = content_blocks(value)
    if blocks is not None:
        return [_block(block) for block in blocks]
    if isinstance(value, dict):
        try:
            return [{"json": json.loads(json.dumps(value, allow_nan=False))}]
        except (ValueError, TypeError, RecursionError):
            pass  # not JSON: told as text
    text = text_of(value)
    # A blank text is refused, an empty list is not.
    return [{"text": text}] if text.strip() else []


def _block(block: Mapping[str, Any]) -> dict[str, Any]:
    """A content block in the shape of Messages as one of Converse, where there is one; else its JSON as text."""
    source = block.get("source", {})
    if block["type"] == "text":
        return {"text": text_of(block["text"])}
    if block["type"] == "image" and source.get("type") == "base64":
        image = {
            "format": source["media_type"].partition("/")[2],
            "source": {"bytes": base64.b64decode(source["data"])},
        }
        return {"image": image}
    if block["type"] == "document" and source.get("type") in ("base64", "text"):
        return {"document": _document(source, block.get("title") or "document")}
    return {"text": text_of(block)}


def _document(source: Mapping[str, Any], name: str) -> dict[str, Any]:
    if source["type"] == "text":
        return {"format": "txt", "name": name, "source": {"text": source["data"]}}
    format_ = source["media_type"].partition("/")[2]
    return {"format": format_, "name": name, "source": {"bytes": base64.b64decode(source["data"])}}
