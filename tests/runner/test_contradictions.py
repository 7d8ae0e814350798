from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from toolreplay.runner.contradictions import contradiction
from toolreplay.wire import mapping
from toolreplay.wire.exchange import read_request
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.messages import error_body, reply_body

Json = dict[str, Any]

CALLS: Json = {
    "content": [{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}],
    "stop": "tool_use",
}
SAYS: Json = {"content": [{"type": "text", "text": "Rain."}], "stop": "end_turn"}
TOOL: Json = {"name": "weather", "input_schema": {"type": "object"}}
URL = "https://api.anthropic.com/v1/messages"
CONVERSE_URL = "https://bedrock-runtime.us-east-1.amazonaws.com/model/claude/converse"
TOOLLESS = "the request offers no tools, and the reply to it calls weather; send the tools with every request"
FORCED = "tool_choice forces a call, and the reply to the request makes none; force it in the first request only"


@dataclass(frozen=True)
class Case:
    id: str
    fields: Json
    reply: Json
    found: str | None = None


CASES = (
    Case("a call of a tool that is offered", {"tools": [TOOL]}, CALLS),
    Case("a call and no tools", {}, CALLS, TOOLLESS),
    Case("a call and an empty list of tools", {"tools": []}, CALLS, TOOLLESS),
    Case("text and no tools", {}, SAYS),
    Case("a thread inherits its tools", {"thread": {"type": "continue", "previous_message_id": "msg_1"}}, CALLS),
    Case("forced and called", {"tools": [TOOL], "tool_choice": {"type": "any"}}, CALLS),
    Case("one tool forced, and none called", {"tools": [TOOL], "tool_choice": {"type": "tool"}}, SAYS, FORCED),
    Case("any tool forced, and none called", {"tools": [TOOL], "tool_choice": {"type": "any"}}, SAYS, FORCED),
    Case("left to the model", {"tools": [TOOL], "tool_choice": {"type": "auto"}}, SAYS),
    Case("forced and cut", {"tools": [TOOL], "tool_choice": {"type": "any"}}, {**SAYS, "stop": "max_tokens"}),
    Case("forced and refused", {"tools": [TOOL], "tool_choice": {"type": "any"}}, {**SAYS, "stop": "refusal"}),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_rules_a_reply_out(case: Case) -> None:
    body = {"model": "claude-sonnet-5-5", "messages": [{"role": "user", "content": "Hello."}], **case.fields}
    reply = reply_body(case.reply["content"], message_id="msg_2", model="m", stop_reason=case.reply["stop"])
    assert _judged(URL, body, reply) == case.found


CONVERSE_CASES = (
    Case("a call and no tools", {}, CALLS, TOOLLESS),
    Case("forced and called", {"choice": {"any": {}}}, CALLS),
    Case("one tool forced, and none called", {"choice": {"tool": {"name": "weather"}}}, SAYS, FORCED),
    Case("left to the model", {"choice": {"auto": {}}}, SAYS),
)


@pytest.mark.parametrize("case", CONVERSE_CASES, ids=lambda case: case.id)
def test_what_rules_a_reply_out_on_converse(case: Case) -> None:
    config = {"tools": mapping.tools([TOOL]), "toolChoice": case.fields.get("choice")}
    body = {
        "messages": [{"role": "user", "content": [{"text": "Hello."}]}],
        **({"toolConfig": config} if case.fields else {}),
    }
    assert _judged(CONVERSE_URL, body, mapping.reply(case.reply["content"], case.reply["stop"], 1)) == case.found


def test_an_error_is_no_reply() -> None:
    assert _judged(URL, {"messages": []}, error_body("overloaded"), 529) is None


def _judged(url: str, body: Json, reply: Json, status: int = 200) -> str | None:
    request = read_request(HttpRequest("POST", url, {"content-type": "application/json"}, json.dumps(body).encode()))
    assert request is not None
    response = HttpResponse(status, {"content-type": "application/json"}, json.dumps(reply).encode())
    return contradiction(request, response)
