from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.wire.eventstream import encode_frame
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import ApiError, Reply, Request, Wire
from toolreplay.wire.sse import encode_event

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
}
CONVERSE = {
    "output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}},
    "stopReason": "end_turn",
}
ASK = [{"role": "user", "content": "hello"}]


@dataclass(frozen=True)
class Sent:
    id: str
    url: str
    body: dict[str, Any] | bytes
    expected: tuple[Wire, str | None, str | None] | None
    headers: dict[str, str] = field(default_factory=dict)


SENT = [
    Sent(
        "messages",
        "https://api.anthropic.com/v1/messages",
        {"model": "m", "messages": ASK},
        (Wire.MESSAGES, "m", "2026-10-21"),
        {"Anthropic-Version": "2026-10-21"},
    ),
    Sent("count", "/v1/messages/count_tokens", {"model": "m", "messages": ASK}, (Wire.MESSAGES, "m", None)),
    Sent("converse", "/model/a%3A0/converse", {"messages": ASK}, (Wire.CONVERSE, "a:0", None)),
    Sent(
        "invoke-by-version",
        "/model/arn/invoke",
        {"anthropic_version": "bedrock-2023-05-31", "messages": ASK},
        (Wire.MESSAGES, "arn", "bedrock-2023-05-31"),
    ),
    Sent(
        "invoke-by-model",
        "/model/us.anthropic.claude-sonnet-5/invoke",
        {"messages": ASK},
        (Wire.MESSAGES, "us.anthropic.claude-sonnet-5", None),
    ),
    Sent("invoke-other-vendor", "/model/amazon.nova/invoke", {"messages": ASK}, None),
    Sent("invoke-prompt", "/model/anthropic.claude-v2/invoke", {"prompt": "Human: hi"}, None),
    Sent(
        "vertex",
        "https://x/publishers/anthropic/models/claude-sonnet-5:rawPredict",
        {"messages": ASK},
        (Wire.MESSAGES, "claude-sonnet-5", None),
    ),
    Sent("other-url", "https://example.com/v1/messagesx", {"messages": ASK}, None),
    Sent("no-json", "/v1/messages", b'{"messages": [', None),
    Sent("no-object", "/v1/messages", b"[]", None),
]


@pytest.mark.parametrize("case", SENT, ids=lambda case: case.id)
def test_read_request(case: Sent) -> None:
    body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
    request = read_request(HttpRequest("POST", case.url, case.headers, body))

    assert (request and (request.wire, request.model, request.version)) == case.expected


@dataclass(frozen=True)
class Got:
    id: str
    wire: Wire
    body: bytes
    expected: tuple[str, bool] | ApiError | None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _frame(kind: str, payload: dict[str, Any]) -> bytes:
    return encode_frame({":event-type": kind, ":message-type": "event"}, _json(payload))


SSE = (
    encode_event("message_start", {"type": "message_start", "message": {**MESSAGE, "content": []}})
    + encode_event(
        "content_block_start",
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "hi"}},
    )
    + encode_event("message_stop", {"type": "message_stop"})
)
CHUNK = _frame("chunk", {"bytes": base64.b64encode(_json({"type": "message_start", "message": MESSAGE})).decode()})
DELTA = _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "hi"}})
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
VALIDATION = {"message": "Expected toolResult blocks"}

GOT = [
    Got("json", Wire.MESSAGES, _json(MESSAGE), ("hi", True)),
    Got("sse", Wire.MESSAGES, SSE, ("hi", True), headers={"content-type": "text/event-stream; charset=utf-8"}),
    Got("sse-without-content-type", Wire.MESSAGES, SSE, ("hi", True)),
    Got("sse-cut", Wire.MESSAGES, SSE[:-40], ("hi", False)),
    Got(
        "sse-error",
        Wire.MESSAGES,
        SSE[:-40] + b"\n\n" + encode_event("error", ERROR),
        ApiError(200, "overloaded_error", "Overloaded", ERROR),
    ),
    Got("chunks", Wire.MESSAGES, CHUNK, ("", False)),
    Got(
        "error",
        Wire.MESSAGES,
        _json(ERROR),
        ApiError(529, "overloaded_error", "Overloaded", ERROR),
        status=529,
    ),
    Got("error-of-a-proxy", Wire.MESSAGES, b"<html>", ApiError(502, None, "", {}), status=502),
    Got(
        "error-of-bedrock",
        Wire.MESSAGES,
        _json(VALIDATION),
        ApiError(400, "ValidationException", VALIDATION["message"], VALIDATION),
        status=400,
        headers={"x-amzn-ErrorType": "ValidationException:http://internal"},
    ),
    Got("count", Wire.MESSAGES, b'{"input_tokens": 9}', None),
    Got("damaged", Wire.MESSAGES, b'{"type": "mess', None),
    Got("empty", Wire.MESSAGES, b"", None),
    Got("converse", Wire.CONVERSE, _json(CONVERSE), ("hi", True)),
    Got(
        "converse-stream",
        Wire.CONVERSE,
        DELTA + _frame("messageStop", {"stopReason": "end_turn"}),
        ("hi", True),
    ),
    Got("converse-stream-cut", Wire.CONVERSE, DELTA, ("hi", False)),
    Got(
        "converse-stream-error",
        Wire.CONVERSE,
        encode_frame({":exception-type": "throttlingException", ":message-type": "exception"}, _json({"message": "x"})),
        ApiError(200, "throttlingException", "x", {"__type": "throttlingException", "message": "x"}),
    ),
    Got(
        "converse-error",
        Wire.CONVERSE,
        _json(VALIDATION),
        ApiError(400, "ValidationException", VALIDATION["message"], VALIDATION),
        status=400,
        headers={"x-amzn-errortype": "ValidationException"},
    ),
    Got("converse-other", Wire.CONVERSE, b"{}", None),
]


def _call(wire: Wire) -> Request:
    url = "/v1/messages" if wire is Wire.MESSAGES else "/model/m/converse"
    request = read_request(HttpRequest("POST", url, {}, b'{"messages": []}'))
    assert request is not None
    return request


@pytest.mark.parametrize("case", GOT, ids=lambda case: case.id)
def test_read_response(case: Got) -> None:
    got = read_response(_call(case.wire), HttpResponse(case.status, case.headers, case.body))

    assert ((got.text, got.complete) if isinstance(got, Reply) else got) == case.expected


@given(st.sampled_from(list(Wire)), st.integers(100, 599), st.binary() | st.sampled_from([SSE, CHUNK, DELTA]))
def test_reading_a_response_never_raises(wire: Wire, status: int, body: bytes) -> None:
    read_response(_call(wire), HttpResponse(status, {}, body))
