"""Both wires as the planted loops speak them: calls and answers of one shape, whatever carries them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from toolreplay.loop.results import content_blocks, text_of

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A call; `broken` is the text of its input where that is no JSON."""

    id: str
    name: str
    input: Json
    broken: str | None = None


@dataclass(frozen=True)
class Answer:
    """What is said to a call."""

    id: str
    value: object
    failed: bool = False


@dataclass(frozen=True)
class Raw:
    """A value that goes on the wire as it is."""

    value: object


@dataclass(frozen=True)
class Reply:
    """A reply; `broken` holds the inputs that are no JSON, by the id of their call."""

    content: list[Json]
    stop_reason: str | None
    broken: Mapping[str, str] = field(default_factory=dict)


def parsed(text: str) -> Json:
    """The input of a call from its text; no text at all means no arguments."""
    value: Json = json.loads(text or "{}")
    return value


@dataclass(frozen=True)
class Reading:
    """How a stream is read: what a call's input is made of, and to which block a fragment belongs."""

    parse: Callable[[str], Json] = parsed
    place: Callable[[int, Sequence[int]], int] = lambda index, _calls: index


class Blocks:
    """The blocks of a streamed reply, as they come in."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._blocks: dict[int, Json] = {}
        self._calls: dict[int, Json] = {}
        self._inputs: dict[int, str] = {}

    def start(self, index: int, block: Json, call: Json | None = None) -> None:
        self._blocks[index] = block
        if call is not None:
            self._calls[index] = call

    def add(self, index: int, name: str, piece: str) -> None:
        block = self._blocks.setdefault(index, {})
        block[name] = block.get(name, "") + piece

    def add_input(self, index: int, piece: str) -> None:
        place = self._reading.place(index, list(self._calls))
        self._inputs[place] = self._inputs.get(place, "") + piece

    def reply(self, stop_reason: str | None, id_field: str) -> Reply:
        broken = {}
        for index, call in self._calls.items():
            text = self._inputs.get(index, "")
            try:
                call["input"] = self._reading.parse(text)
            except ValueError:
                call["input"], broken[call[id_field]] = {}, text
        return Reply(list(self._blocks.values()), stop_reason, broken)


class Wire(Protocol):
    """What differs between the wires."""

    def body(self, model: str, max_tokens: int, tools: list[Json], system: Any, parameters: Json) -> Json: ...
    def ask(self, client: Any, body: Json, reading: Reading | None) -> Reply: ...
    def calls(self, content: Iterable[Json], broken: Mapping[str, str]) -> list[Call]: ...
    def block(self, answer: Answer) -> Json: ...
    def text(self, text: str) -> Json: ...
    def unforced(self, body: Json) -> Json: ...
    def joined(self, messages: Sequence[Json]) -> list[Json]: ...


class _Messages:
    def body(self, model: str, max_tokens: int, tools: list[Json], system: Any, parameters: Json) -> Json:
        optional = {"system": system, "tools": tools}
        given = {name: value for name, value in optional.items() if value}
        return {"model": model, "max_tokens": max_tokens, **given, **parameters}

    def ask(self, client: Any, body: Json, reading: Reading | None) -> Reply:
        if reading is None:
            message = client.messages.create(**body).to_dict()
            return Reply(message["content"], message["stop_reason"])
        blocks, stop_reason = Blocks(reading), None
        with client.messages.create(**body, stream=True) as events:
            for event in events:
                match event.to_dict():
                    case {"type": "content_block_start", "index": index, "content_block": block}:
                        blocks.start(index, block, block if block["type"] == "tool_use" else None)
                    case {"type": "content_block_delta", "index": index, "delta": {"partial_json": piece}}:
                        blocks.add_input(index, piece)
                    case {"type": "content_block_delta", "index": index, "delta": delta}:
                        name = delta["type"].removesuffix("_delta")
                        blocks.add(index, name, delta[name])
                    case {"type": "message_delta", "delta": {"stop_reason": reason}}:
                        stop_reason = reason
        return blocks.reply(stop_reason, "id")

    def calls(self, content: Iterable[Json], broken: Mapping[str, str]) -> list[Call]:
        uses = [block for block in content if block["type"] == "tool_use"]
        return [Call(use["id"], use["name"], use["input"], broken.get(use["id"])) for use in uses]

    def block(self, answer: Answer) -> Json:
        content = answer.value.value if isinstance(answer.value, Raw) else _blocks_or_text(answer.value)
        result = {"type": "tool_result", "tool_use_id": answer.id, "content": content}
        return {**result, "is_error": True} if answer.failed else result

    def text(self, text: str) -> Json:
        return {"type": "text", "text": text}

    def unforced(self, body: Json) -> Json:
        forced = body.get("tool_choice", {}).get("type") in ("any", "tool")
        return {**body, "tool_choice": {"type": "auto"}} if forced else body

    def joined(self, messages: Sequence[Json]) -> list[Json]:
        return list(messages)


class _Converse:
    def body(self, model: str, max_tokens: int, tools: list[Json], system: Any, parameters: Json) -> Json:
        config = {**parameters.get("toolConfig", {}), **({"tools": tools} if tools else {})}
        optional = {"system": system, "toolConfig": config}
        given = {name: value for name, value in optional.items() if value}
        return {**parameters, "modelId": model, "inferenceConfig": {"maxTokens": max_tokens}, **given}

    def ask(self, client: Any, body: Json, reading: Reading | None) -> Reply:
        if reading is None:
            answer = client.converse(**body)
            return Reply(answer["output"]["message"]["content"], answer["stopReason"])
        blocks, stop_reason = Blocks(reading), None
        for event in client.converse_stream(**body)["stream"]:
            match event:
                case {"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": use}}}:
                    blocks.start(index, {"toolUse": use}, use)
                case {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": piece}}}}:
                    blocks.add_input(index, piece)
                case {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"text": piece}}}:
                    blocks.add(index, "text", piece)
                case {"messageStop": {"stopReason": reason}}:
                    stop_reason = reason
        return blocks.reply(stop_reason, "toolUseId")

    def calls(self, content: Iterable[Json], broken: Mapping[str, str]) -> list[Call]:
        uses = [block["toolUse"] for block in content if "toolUse" in block]
        return [Call(use["toolUseId"], use["name"], use["input"], broken.get(use["toolUseId"])) for use in uses]

    def block(self, answer: Answer) -> Json:
        content = answer.value.value if isinstance(answer.value, Raw) else _converse_content(answer.value)
        status = "error" if answer.failed else "success"
        return {"toolResult": {"toolUseId": answer.id, "content": content, "status": status}}

    def text(self, text: str) -> Json:
        return {"text": text}

    def unforced(self, body: Json) -> Json:
        config = body.get("toolConfig", {})
        forced = {"any", "tool"} & set(config.get("toolChoice", {}))
        return {**body, "toolConfig": {**config, "toolChoice": {"auto": {}}}} if forced else body

    def joined(self, messages: Sequence[Json]) -> list[Json]:
        found: list[Json] = []
        for message in messages:
            if found and found[-1]["role"] == message["role"]:
                found[-1] = {**message, "content": [*found[-1]["content"], *message["content"]]}
            else:
                found.append(message)
        return found


MESSAGES: Final = _Messages()
CONVERSE: Final = _Converse()


def _blocks_or_text(value: Any) -> object:
    blocks = content_blocks(value)
    return text_of(value) if blocks is None else blocks


def _converse_content(value: Any) -> list[Json]:
    blocks = content_blocks(value)
    if blocks is not None:
        return [_converse_block(block) for block in blocks]
    if isinstance(value, dict) and is_json(value):
        return [{"json": value}]
    text = text_of(value)
    return [{"text": text}] if text.strip() else []


def is_json(value: object) -> bool:
    """Whether JSON can hold a value."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _converse_block(block: Json) -> Json:
    if block["type"] == "text":
        return {"text": block["text"]}
    source = block["source"]
    media = {
        "format": source["media_type"].partition("/")[2],
        "source": {"bytes": base64.b64decode(source["data"])},
    }
    return {"image": media}
