"""Recordings of a loop about the weather, small, and their transcripts."""

from __future__ import annotations

import json
from typing import Any, Final

from toolreplay.cassette.reading import parse_recording
from toolreplay.transcript.model import Transcript
from toolreplay.transcript.read import recorded_transcript

Json = dict[str, Any]
URL: Final = "https://api.anthropic.com/v1/messages"
TOOLS: Final = [{"name": "get_weather", "input_schema": {"type": "object"}}]


def user(content: object) -> Json:
    return {"role": "user", "content": content}


def assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(use_id: str, name: str = "get_weather", **fields: object) -> Json:
    return {"type": "tool_use", "id": use_id, "name": name, "input": fields}


def result(use_id: str, content: object, **more: object) -> Json:
    return {"type": "tool_result", "tool_use_id": use_id, "content": content, **more}


def body(*messages: Json, **fields: object) -> Json:
    return {"model": "m", "max_tokens": 9, "tools": TOOLS, "messages": list(messages), **fields}


def reply(turn: Json, number: int = 1, stop: str = "end_turn", **more: object) -> Json:
    return {"type": "message", "id": f"msg_{number}", "stop_reason": stop, **turn, **more}


def exchange(sent: object, answer: object, *, status: int = 200, url: str = URL) -> Json:
    return {
        "request": {"method": "POST", "url": url, "headers": {}, "body": sent},
        "response": {"status_code": status, "headers": {}, "body": answer},
    }


def recording(*exchanges: Json) -> bytes:
    return json.dumps(exchanges).encode()


def transcript(*exchanges: Json, file: str = "a.json") -> Transcript:
    return recorded_transcript(parse_recording(recording(*exchanges), file))


def loop(
    *,
    ids: tuple[str, str] = ("t1", "t2"),
    cities: tuple[str, str] = ("Oslo", "Atlantis"),
    found: str = "18",
    lost: Json | None = None,
    final: str = "18 in Oslo.",
    **fields: object,
) -> list[Json]:
    """Two turns: two calls of which the second fails, then a text."""
    asks = assistant(text("Let me look."), *(call(use, city=city) for use, city in zip(ids, cities, strict=True)))
    failed = result(ids[1], "no such city", is_error=True) if lost is None else lost
    answers = user([result(ids[0], found), failed])
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 3}
    return [
        exchange(body(user("Weather?"), **fields), reply(asks, 1, "tool_use", usage=usage)),
        exchange(body(user("Weather?"), asks, answers, **fields), reply(assistant(text(final)), 2, usage=usage)),
    ]


def nested(depth: int = 3000) -> object:
    """JSON that is deeper than Python compares or prints."""
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value
