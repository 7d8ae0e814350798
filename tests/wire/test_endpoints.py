from __future__ import annotations

from dataclasses import dataclass

import pytest

from toolreplay.wire.endpoints import Endpoint, endpoint
from toolreplay.wire.model import Wire

_MESSAGES = Endpoint(Wire.MESSAGES, "create", streaming=False, model=None, carrier="messages")
_COUNT = Endpoint(Wire.MESSAGES, "count_tokens", streaming=False, model=None, carrier="messages")
_ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5"


@dataclass(frozen=True)
class Case:
    id: str
    url: str
    expected: Endpoint | None
    method: str = "POST"


def _converse(model: str, *, streaming: bool = False) -> Endpoint:
    return Endpoint(Wire.CONVERSE, "create", streaming=streaming, model=model, carrier="converse")


def _invoke(model: str, *, streaming: bool = False) -> Endpoint:
    return Endpoint(Wire.MESSAGES, "create", streaming=streaming, model=model, carrier="invoke")


def _vertex(model: str, *, streaming: bool = False) -> Endpoint:
    return Endpoint(Wire.MESSAGES, "create", streaming=streaming, model=model, carrier="vertex")


_VERTEX = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/"

CASES = [
    Case("first-party", "https://api.anthropic.com/v1/messages", _MESSAGES),
    Case("beta", "https://api.anthropic.com/v1/messages?beta=true", _MESSAGES),
    Case("trailing-slash", "https://api.anthropic.com/v1/messages/", _MESSAGES),
    Case("fragment", "https://api.anthropic.com/v1/messages#x", _MESSAGES),
    Case("foundry", "https://name.services.ai.azure.com/anthropic/v1/messages", _MESSAGES),
    Case("case-in-path", "http://127.0.0.1:8000/c/case-7/v1/messages", _MESSAGES),
    Case("path-only", "/v1/messages", _MESSAGES),
    Case("ruby-method", "https://api.anthropic.com/v1/messages", _MESSAGES, method="post"),
    Case("count", "https://api.anthropic.com/v1/messages/count_tokens?beta=true", _COUNT),
    Case("batches", "https://api.anthropic.com/v1/messages/batches", None),
    Case("get", "https://api.anthropic.com/v1/messages", None, method="GET"),
    Case("other-word", "https://example.com/xv1/messages", None),
    Case("other-vendor", "https://api.openai.com/v1/chat/completions", None),
    Case("converse", "/model/amazon.nova-lite-v1%3A0/converse", _converse("amazon.nova-lite-v1:0")),
    Case("converse-stream", "http://h/x/model/m/converse-stream", _converse("m", streaming=True)),
    Case("arn", f"/model/{_ARN.replace(':', '%3A').replace('/', '%2F')}/converse", _converse(_ARN)),
    Case("arn-with-slash", f"/model/{_ARN}/converse", _converse(_ARN)),
    Case("invoke", "/model/anthropic.claude-v3/invoke", _invoke("anthropic.claude-v3")),
    Case("invoke-stream", "/model/m/invoke-with-response-stream", _invoke("m", streaming=True)),
    Case("no-such-stream", "/model/m/invoke-stream", None),
    Case("no-such-response-stream", "/model/m/converse-with-response-stream", None),
    Case("bedrock-count", "/model/m/count-tokens", None),
    Case("vertex", f"{_VERTEX}claude-sonnet-5@20260101:rawPredict", _vertex("claude-sonnet-5@20260101")),
    Case(
        "vertex-stream",
        f"{_VERTEX}claude-sonnet-5:streamRawPredict",
        _vertex("claude-sonnet-5", streaming=True),
    ),
    Case(
        "vertex-count",
        f"{_VERTEX}count-tokens:rawPredict",
        Endpoint(Wire.MESSAGES, "count_tokens", streaming=False, model=None, carrier="vertex"),
    ),
    Case("vertex-other", "https://x/v1/publishers/google/models/gemini:rawPredict", None),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_endpoint(case: Case) -> None:
    assert endpoint(case.method, case.url) == case.expected
