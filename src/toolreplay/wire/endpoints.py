"""Which URLs are calls of the model, whatever host or gateway stands before them.

Only the end of the path is looked at, so `https://api.anthropic.com/v1/messages?beta=true`,
`http://127.0.0.1:8000/case-7/v1/messages` and a bare `/v1/messages` (some recorders store no host) are the
same call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias
from urllib.parse import unquote

from .model import Wire

Operation: TypeAlias = Literal["create", "count_tokens"]
Carrier: TypeAlias = Literal["messages", "invoke", "vertex", "converse"]

_MESSAGES = re.compile(r"(?:^|/)v1/messages(?P<count>/count_tokens)?/?$")
_BEDROCK = re.compile(
    r"(?:^|/)model/(?P<model>.+)/(?P<call>converse|invoke)(?P<stream>-stream|-with-response-stream)?$"
)
_VERTEX = re.compile(r"(?:^|/)publishers/anthropic/models/(?P<model>[^/]+):(?P<call>rawPredict|streamRawPredict)$")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One way to call the model.

    Attributes:
        streaming: whether the URL alone says that the reply is a stream; on `/v1/messages` the body says it.
        model: the model as the URL names it, percent-decoded; None where the body names it.
        carrier: which product's URL it is. `invoke` carries other vendors' bodies too: see
            `exchange.read_request`.
    """

    wire: Wire
    operation: Operation
    streaming: bool
    model: str | None
    carrier: Carrier


@lru_cache(maxsize=1024)
def endpoint(method: str, url: str) -> Endpoint | None:
    """The call that a request is, or None. Batches and every other URL are none."""
    if method.upper() != "POST":
        return None
    path = url.partition("#")[0].partition("?")[0]
    if match := _MESSAGES.search(path):
        operation: Operation = "count_tokens" if match["count"] else "create"
        return Endpoint(Wire.MESSAGES, operation, streaming=False, model=None, carrier="messages")
    if match := _BEDROCK.search(path):
        return _bedrock(match)
    if match := _VERTEX.search(path):
        return _vertex(match)
    return None


def _bedrock(match: re.Match[str]) -> Endpoint | None:
    converse = match["call"] == "converse"
    if match["stream"] not in (None, "-stream" if converse else "-with-response-stream"):
        return None
    return Endpoint(
        wire=Wire.CONVERSE if converse else Wire.MESSAGES,
        operation="create",
        streaming=match["stream"] is not None,
        model=unquote(match["model"]),
        carrier="converse" if converse else "invoke",
    )


def _vertex(match: re.Match[str]) -> Endpoint:
    # The SDK counts tokens on Vertex by asking a model of that name (anthropic 2.14.0,
    # lib/vertex/_client.py).
    counts = match["model"] == "count-tokens"
    return Endpoint(
        wire=Wire.MESSAGES,
        operation="count_tokens" if counts else "create",
        streaming=match["call"] == "streamRawPredict",
        model=None if counts else unquote(match["model"]),
        carrier="vertex",
    )
