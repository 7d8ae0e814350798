"""A conversation of any length, for every benchmark: one tool, one call a turn, and a final answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from toolreplay.cassette.exchange import Exchange
from toolreplay.loop import run
from toolreplay.scenario.load import load_text
from toolreplay.scenario.model import Scenario
from toolreplay.wire.http import HttpResponse
from toolreplay.wire.messages import reply_body

MODEL = "claude-sonnet-5-5"
TOOL = {
    "name": "read_page",
    "description": "The text of a page.",
    "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
}
PAGE = "The quick brown fox jumps over the lazy dog. " * 8


def reply_bytes(turn: int, turns: int) -> bytes:
    """What the model answers in a turn, from 1."""
    if turn == turns:
        content: list[dict[str, Any]] = [{"type": "text", "text": "That was the last page."}]
    else:
        content = [
            {"type": "text", "text": f"I read page {turn}."},
            {"type": "tool_use", "id": f"toolu_{turn:06}", "name": "read_page", "input": {"number": turn}},
        ]
    stop = "end_turn" if turn == turns else "tool_use"
    return json.dumps(reply_body(content, message_id=f"msg_{turn:06}", model=MODEL, stop_reason=stop)).encode()


def scenario(turns: int) -> Scenario:
    """The scenario that is played."""
    (found,) = load_text(
        json.dumps(
            {
                "version": 1,
                "name": f"{turns} turns",
                "model": MODEL,
                "max_turns": turns,
                "tools": [{**TOOL, "stub": {"return": PAGE}}],
                "conversation": [{"user": "Read the book.", "expect": {"turns": turns, "stop_reason": "end_turn"}}],
            }
        ),
        f"scenarios/turns_{turns}.yaml",
    )
    return found


def floor(turns: int, keep: list[Exchange] | None = None) -> Callable[[], object]:
    """The same loop on the same SDK with a transport in memory that returns the same bytes: nothing can be faster."""
    import anthropic
    import httpx2

    class Transport(httpx2.BaseTransport):
        turn = 0

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            body = request.read()
            Transport.turn += 1
            reply = reply_bytes(Transport.turn, turns)
            if keep is not None:
                response = HttpResponse(200, {"content-type": "application/json"}, reply)
                keep.append(Exchange("POST", str(request.url), {}, json.loads(body), response))
            return httpx2.Response(200, headers={"content-type": "application/json"}, content=reply)

    client = anthropic.Anthropic(api_key="none", http_client=httpx2.Client(transport=Transport()))

    def play() -> object:
        Transport.turn = 0
        return run(
            client,
            model=MODEL,
            messages=[{"role": "user", "content": "Read the book."}],
            tools=[TOOL],
            functions={"read_page": lambda number: PAGE},  # noqa: ARG005
            max_turns=turns,
        )

    return play
