"""A request that no recorded exchange answers, explained in words of the conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolreplay.cassette.playback import Playback
from toolreplay.contract.conversations import Verdict
from toolreplay.wire.http import HttpRequest
from toolreplay.wire.model import Message, Text, ToolResult, ToolUse

_WIDTH = 80


@dataclass(frozen=True, slots=True)
class Miss:
    """What was asked and not found.

    Attributes:
        text: one line: what was asked for, and how it differs from the nearest recorded exchange.
        stale: whether it was the first request of the run and the cassette has no digests: then the scenario changed,
            and not the loop.
        number: the request, from 1 over the run; set by the session.
    """

    text: str
    stale: bool = False
    number: int = 0


def explain(request: HttpRequest, verdict: Verdict | None, playback: Playback) -> Miss:
    """Say why a request found no exchange: the nearest one and the first difference."""
    if not playback.left_over:
        count = len(playback.exchanges)
        return Miss(f"the recording is used up: its {count} exchanges were played and the loop asked once more")
    if verdict is None or not isinstance(request.json, dict):
        return Miss(f"no recorded exchange answers {request.method} {request.url}")
    nearest, shared = _nearest(request.json, playback)
    recorded = playback.exchanges[nearest].body
    used = "" if nearest in playback.left_over else ", which was played already"
    difference = _difference(recorded if isinstance(recorded, dict) else {}, request.json, shared, verdict)
    return Miss(f"no recorded exchange answers this request; nearest is exchange {nearest}{used}: {difference}")


def _nearest(body: Mapping[str, object], playback: Playback) -> tuple[int, int]:
    """The exchange that shares the most leading messages, unplayed ones first, and how many it shares."""
    waiting = set(playback.left_over)

    def rank(index: int) -> tuple[int, bool, int]:
        return (_shared(body, playback.exchanges[index].body), index in waiting, -index)

    best = max(range(len(playback.exchanges)), key=rank)
    return best, _shared(body, playback.exchanges[best].body)


def _messages(body: object) -> Sequence[object]:
    messages = body.get("messages") if isinstance(body, dict) else None
    return messages if isinstance(messages, list) else ()


def _shared(body: object, other: object) -> int:
    mine, theirs = _messages(body), _messages(other)
    return next(
        (n for n, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]), min(len(mine), len(theirs))
    )


def _difference(recorded: Mapping[str, object], body: Mapping[str, object], shared: int, verdict: Verdict) -> str:
    mine, theirs = _messages(body), _messages(recorded)
    if shared == len(mine) == len(theirs):
        return _other_field(recorded, body)
    if shared == len(theirs):
        return f"it ends after {len(theirs)} messages, this request has {len(mine)}"
    if shared == len(mine):
        return f"it has {len(theirs)} messages, this request ends after {len(mine)}"
    read = verdict.request.reader
    words = _message_difference(read(theirs, 0)[shared], read(mine, 0), shared)
    return f"message {shared} differs: {words}" + ("; all before it equal" if shared else "")


def _other_field(recorded: Mapping[str, object], body: Mapping[str, object]) -> str:
    for name in dict.fromkeys((*recorded, *body)):
        if recorded.get(name) != body.get(name):
            return f"`{name}` differs: recorded {_short(recorded.get(name))}, now {_short(body.get(name))}"
    return "the bodies are equal; it was sent to another endpoint or is used up"


def _message_difference(recorded: Message, messages: Sequence[Message], index: int) -> str:
    now = messages[index]
    if recorded.role != now.role:
        return f"recorded role {recorded.role!r}, now {now.role!r}"
    for old, new in zip(recorded.blocks, now.blocks, strict=False):
        if old.raw != new.raw:
            return _block_difference(old, new, messages)
    if len(recorded.blocks) != len(now.blocks):
        return f"recorded {len(recorded.blocks)} blocks, now {len(now.blocks)}"
    return f"recorded {_short(recorded.raw)}, now {_short(now.raw)}"


def _block_difference(old: object, new: object, messages: Sequence[Message]) -> str:
    match old, new:
        case ToolResult(), ToolResult():
            if old.id != new.id:
                return f"recorded a result for {old.id}, now for {new.id}"
            if old.is_error != new.is_error:
                states = ("success", "error")
                return (
                    f"result of {_call(old.id, messages)}: recorded {states[old.is_error]}, now {states[new.is_error]}"
                )
            return f"result of {_call(old.id, messages)}: recorded {_short(old.content)}, now {_short(new.content)}"
        case ToolUse(), ToolUse():
            was, now = f"{old.name} {_short(old.input)}", f"{new.name} {_short(new.input)}"
            return f"recorded the call {was}, now {now}"
        case Text(), Text():
            return f"text: recorded {_short(old.text)}, now {_short(new.text)}"
    return f"recorded {_short(getattr(old, 'raw', None))}, now {_short(getattr(new, 'raw', None))}"


def _call(use_id: str | None, messages: Sequence[Message]) -> str:
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolUse) and block.id == use_id:
                values = (
                    ", ".join(_short(value, 30) for value in block.input.values())
                    if isinstance(block.input, dict)
                    else ""
                )
                return f"{block.name}({values})"
    return str(use_id)


def _short(value: object, width: int = _WIDTH) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    text = text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate cannot be printed
    return f"`{text}`" if len(text) <= width else f"`{text[: width - 1]}…`"
