# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import pytest

from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.exchange import reply_json
from toolreplay.wire.forms import as_asked
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Wire

Json = dict[str, Any]
TEXT: Final[Json] = {"text": "It rains in Oslo, and will until Thursday."}
_PAGE: Final = {"documentPage": {"documentIndex": 0, "start": 1, "end": 2}}


@dataclass(frozen=True)
class Case:
    id: str
    block: Json
    streams: bool = True


CASES: Final = (
    Case("text", TEXT),
    Case("a call", {"toolUse": {"toolUseId": "t", "name": "f", "input": {"city": "Oslo", "days": [1, 2]}}}),
    Case("a server's call", {"toolUse": {"toolUseId": "t", "name": "f", "input": {}, "type": "server_tool_use"}}),
    Case("its result", {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}, {"json": {"b": 1}}], "status": "success"}}),
    Case("thinking", {"reasoningContent": {"reasoningText": {"text": "It is autumn.", "signature": "c2ln"}}}),
    Case("thinking without a signature", {"reasoningContent": {"reasoningText": {"text": "It is autumn."}}}),
    Case("redacted thinking", {"reasoningContent": {"redactedContent": "c2VjcmV0"}}),
    Case("an image", {"image": {"format": "png", "source": {"bytes": "aWNv"}}}, streams=False),
    Case("citations", {"citationsContent": {"content": [{"text": "x"}], "citations": [{"location": _PAGE}]}}, streams=False),
    Case("an image in a result", {"toolResult": {"toolUseId": "t", "content": [{"image": {"format": "png"}}]}}, streams=False),
    Case("what is not known", {"SDK_UNKNOWN_MEMBER": {"name": "hologram"}}, streams=False),
    Case("an empty block", {}, streams=False),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_converse_reply_that_is_streamed_loses_nothing(case: Case) -> None:
    body = {
        "output": {"message": {"role": "assistant", "content": [TEXT, case.block]}},
        "stopReason": "end_turn",
        "additionalModelResponseFields": {"stop_sequence": None},
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
        "metrics": {"latencyMs": 4},
        "performanceConfig": {"latency": "standard"},
    }
    request = HttpRequest("POST", "https://bedrock/model/m/converse-stream", {}, b"{}")
    call = endpoint(request.method, request.url)
    assert call is not None
    stored = HttpResponse(200, {"content-type": "application/json", "x-kept": "yes"}, json.dumps(body).encode())
    response = as_asked(call, request, stored)
    if case.streams:
        assert response.headers == {"content-type": "application/vnd.amazon.eventstream", "x-kept": "yes"}
        assert reply_json(Wire.CONVERSE, response) == body
    else:
        assert response is stored
