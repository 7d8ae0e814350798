"""The fields of a scenario that a recorded request gives: model, system, tools and what else is the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolreplay.contract.rules.versions import SAMPLING
from toolreplay.scenario.consistency import OWN_FIELDS
from toolreplay.wire import mapping_back
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.model import Message, Request, Wire

# The `max_tokens` over which the SDK sends a request only as a stream, and the models for which it is less
# (anthropic 2.14.0: `_calculate_nonstreaming_timeout`, `MODEL_NONSTREAMING_TOKENS`).
_LARGEST_WHOLE: Final = 21_333
_LARGEST_OF_SLOW: Final = 8_192
_SLOW: Final = ("opus-4-0", "opus-4-2025", "4-opus-2025", "opus-4@", "opus-4-1-2025", "opus-4-1@")
# Fields of the body that say how it is carried: InvokeModel's own, and the thread, which a scenario's history is not.
_CARRIED: Final = frozenset({"anthropic_beta", "anthropic_version", "thread"})
# `inferenceConfig` of Converse and the Messages API's names (botocore's bedrock-runtime 2023-09-30 service model).
_INFERENCE: Final = {"temperature": "temperature", "topP": "top_p", "stopSequences": "stop_sequences"}


def request_fields(request: Request, *, stream: bool) -> dict[str, Any]:
    """The scenario's fields for a request like the recorded one, all but its tools and messages.

    Raises:
        UnmappableError: the request holds something that only Converse has.
    """
    body = _messages_body(request) if request.wire is Wire.CONVERSE else dict(request.body)
    found: dict[str, Any] = {"model": request.model}
    limit = body.get("max_tokens")
    if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
        found["max_tokens"] = limit
    system = body.get("system")
    if isinstance(system, list) or (isinstance(system, str) and system.strip()):
        found.update({"system": system} if system else {})
    if request.wire is Wire.CONVERSE:
        found["wire"] = request.wire.value
    if stream or _has_to_stream(request, found.get("max_tokens", 0)):
        found["stream"] = True
    for name in ("thinking", "tool_choice"):
        if isinstance(body.get(name), dict):
            found[name] = body[name]
    betas = sorted(request.betas or map(str, items(body.get("anthropic_beta"))))
    if betas:
        found["betas"] = betas
    apart = OWN_FIELDS | _CARRIED | (frozenset(SAMPLING) if request.wire is Wire.MESSAGES else frozenset())
    extra = {name: value for name, value in body.items() if name not in apart}
    return {**found, "extra_body": extra} if extra else found


def _has_to_stream(request: Request, max_tokens: int) -> bool:
    is_slow = any(part in (request.model or "") for part in _SLOW)
    return request.wire is Wire.MESSAGES and max_tokens > (_LARGEST_OF_SLOW if is_slow else _LARGEST_WHOLE)


def tool_definitions(requests: Iterable[Request]) -> list[dict[str, Any]]:
    """The tools that any of the requests offers, in Messages shape, each once; not those that Bedrock runs itself."""
    found: dict[object, dict[str, Any]] = {}
    for request in requests:
        for tool in _tools(request):
            found.setdefault(tool.get("name") or tool.get("type"), tool)
    return list(found.values())


def content_of(messages: Sequence[Message], wire: Wire) -> Any:
    """The content of messages that stand together, as one message's, in Messages shape.

    Raises:
        UnmappableError: a block that only Converse has.
    """
    contents = [_content(message, wire) for message in messages]
    if len(contents) == 1:
        return contents[0]
    return [block for content in contents for block in _blocks(content)]


def history_of(messages: Sequence[Message], wire: Wire) -> list[dict[str, Any]]:
    """Messages in Messages shape.

    Raises:
        UnmappableError: a block that only Converse has.
    """
    return [{"role": message.role, "content": _content(message, wire)} for message in messages]


def _content(message: Message, wire: Wire) -> Any:
    return mapping_back.content(message.content) if wire is Wire.CONVERSE else message.content


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(items(content))


def _tools(request: Request) -> list[dict[str, Any]]:
    if request.wire is Wire.CONVERSE:
        return mapping_back.tools(items(mapping(request.body.get("toolConfig")).get("tools")))
    return [dict(mapping(tool)) for tool in items(request.body.get("tools"))]


def _messages_body(request: Request) -> dict[str, Any]:
    """The fields of a Converse request under the names of the Messages API, messages and tools left out."""
    body = request.body
    inference = mapping(body.get("inferenceConfig"))
    found = {name: inference[theirs] for theirs, name in _INFERENCE.items() if theirs in inference}
    if "maxTokens" in inference:
        found["max_tokens"] = inference["maxTokens"]
    if body.get("system"):
        found["system"] = mapping_back.content(body["system"])
    choice = mapping_back.tool_choice(_choice(body))
    if choice is not None:
        found["tool_choice"] = choice
    return {**found, **mapping(body.get("additionalModelRequestFields"))}


def _choice(body: Mapping[str, object]) -> Mapping[str, object]:
    return mapping(mapping(body.get("toolConfig")).get("toolChoice"))
