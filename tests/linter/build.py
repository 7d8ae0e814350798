"""Requests, replies and recordings, small."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

URL = "https://api.anthropic.com/v1/messages"
USER = {"role": "user", "content": "Weather in Oslo?"}
TOOLS = [{"name": "get_weather", "input_schema": {"type": "object"}}]


def calls(*ids: str) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": use, "name": "get_weather", "input": {}} for use in ids]
    return {"role": "assistant", "content": blocks}


def results(*ids: str) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": use, "content": "4"} for use in ids],
    }


def body(*messages: dict[str, Any], **fields: object) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "tools": TOOLS, "messages": list(messages), **fields}


def reply(turn: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return {"type": "message", "id": f"msg_{number}", "stop_reason": "tool_use", **turn}


def pair(sent: object, answer: object = None, *, url: str = URL, status: int = 200) -> dict[str, Any]:
    return {
        "request": {"method": "POST", "url": url, "headers": {}, "body": sent},
        "response": {"status_code": status, "headers": {}, "body": answer or reply({"content": []})},
    }


def jsonl(entries: Iterable[object]) -> bytes:
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


GOOD = body(USER, calls("toolu_1"), results("toolu_1"))
BAD = body(USER, calls("toolu_1"), results("toolu_2"))
LOST = body(USER, calls("toolu_1", "toolu_2"), results("toolu_1"))
