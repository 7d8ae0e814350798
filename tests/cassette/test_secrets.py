# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.projects import names

from toolreplay.cassette.exchange import Cassette, Exchange
from toolreplay.cassette.secrets import find_secret
from toolreplay.cassette.store import write_cassette
from toolreplay.errors import RecordingError
from toolreplay.wire.eventstream import encode_frame
from toolreplay.wire.http import HttpResponse
from toolreplay.wire.sse import encode_event

URL: Final = "https://api.anthropic.com/v1/messages"
JSON: Final = {"content-type": "application/json"}
# Put together, so that no scanner of this repository takes them for real ones.
KEY: Final = "sk-" + "ant-api03-" + "Zx9" * 12
AKIA: Final = "AK" + "IA" + "Q3EGR7XWPLM2ABCD"
ASIA: Final = "AS" + "IA" + "Q3EGR7XWPLM2ABCD"
AWS: Final = "wJalr+XUtnFEMI/K7MDENG" + "bPxRfiCYzz3" + "9kLmNop"
JWT: Final = ".".join(["ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"])
PEM: Final = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n"
BEARER: Final = "Authorization: Bearer " + "9f86d081884c7d659a2f"
OWN: Final = "hunter2-hunter2-hunter2"


def _asked(content: object, **fields: object) -> Exchange:
    body = {"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": content}], **fields}
    return Exchange("POST", URL, JSON, body, HttpResponse(200, JSON, b"{}"))


def _answered(body: bytes, kind: str = "application/json") -> Exchange:
    return Exchange("POST", URL, JSON, {"messages": []}, HttpResponse(200, {"content-type": kind}, body))


def _result(content: object) -> list[object]:
    return [{"type": "tool_result", "tool_use_id": "toolu_1", "content": content}]


def _base64(text: str | bytes) -> str:
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def _delta(piece: str, kind: str = "text") -> dict[str, object]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": f"{kind}_delta", kind: piece}}


def _sse(*events: dict[str, object]) -> Exchange:
    return _answered(b"".join(encode_event(str(event["type"]), event) for event in events), "text/event-stream")


def _converse(*pieces: str) -> Exchange:
    frames = [
        encode_frame(
            {":message-type": "event", ":event-type": "contentBlockDelta"},
            json.dumps({"contentBlockIndex": 0, "delta": {"text": piece}}).encode(),
        )
        for piece in pieces
    ]
    return _answered(b"".join(frames), "application/vnd.amazon.eventstream")


def _chunks(*events: dict[str, object]) -> Exchange:
    frames = [
        encode_frame(
            {":message-type": "event", ":event-type": "chunk"},
            json.dumps({"bytes": _base64(json.dumps(event))}).encode(),
        )
        for event in events
    ]
    return _answered(b"".join(frames), "application/vnd.amazon.eventstream")


@dataclass(frozen=True)
class Case:
    id: str
    exchange: Exchange
    kind: str
    place: str


ANT: Final = "an Anthropic API key"
CASES: Final = (
    Case("a prompt", _asked(f"My key is {KEY}."), ANT, "request body messages[1].content"),
    Case("a result", _asked(_result(KEY)), ANT, "request body messages[1].content[0].content"),
    Case("the system text", _asked("", system=KEY), ANT, "request body system"),
    Case("a field's name", _asked(_result({KEY: 1})), ANT, "request body messages[1].content[0].content"),
    Case("an access key id", _asked(AKIA), "an AWS access key id", "request body messages[1].content"),
    Case("a temporary access key id", _asked(f"id={ASIA}"), "an AWS access key id", "request body messages[1].content"),
    Case(
        "an assignment", _asked(f"AWS_SECRET_ACCESS_KEY='{AWS}'"), "an AWS secret access key",
        "request body messages[1].content",
    ),
    Case(
        "a field of that name", _asked([{"type": "tool_use", "input": {"SecretAccessKey": AWS}}]),
        "an AWS secret access key", "request body messages[1].content[0].input.SecretAccessKey",
    ),
    Case(
        "JSON in a text", _asked(_result(json.dumps({"a": {"secret_access_key": AWS}}))), "an AWS secret access key",
        "request body messages[1].content[0].content",
    ),
    Case("a bearer token", _asked(BEARER), "a bearer token", "request body messages[1].content"),
    Case("a web token", _asked(f"cookie {JWT}"), "a JSON web token", "request body messages[1].content"),
    Case("a private key", _asked(PEM), "a private key", "request body messages[1].content"),
    Case("a variable's value", _asked(f"it is {OWN}"), "the value of the environment variable DB_PASSWORD", "request body messages[1].content"),
    Case("a variable's value in JSON", _answered(json.dumps({"error": OWN}).encode()), "the value of the environment variable DB_PASSWORD", "response body error"),
    Case("base64", _asked(_result(_base64(f"key {KEY}"))), ANT, "request body messages[1].content[0].content, decoded"),
    Case("base64 in a text", _asked(f"see {_base64(KEY + ' ok')}."), ANT, "request body messages[1].content, decoded"),
    Case("base64 in lines", _asked(base64.encodebytes(f"{'x' * 70} {KEY}".encode()).decode()), ANT, "request body messages[1].content, decoded"),
    Case("gzip in base64", _asked(_base64(gzip.compress(KEY.encode()))), ANT, "request body messages[1].content, decoded"),
    Case("a body that is gzip", _answered(gzip.compress(KEY.encode()), "x/y"), ANT, "response body"),
    Case("a body that is text", _answered(f"<p>{KEY}</p>".encode(), "text/html"), ANT, "response body"),
    Case("a request that is no JSON", Exchange("POST", URL, {}, KEY.encode(), HttpResponse(200)), ANT, "request body"),
    Case("the URL", Exchange("POST", f"{URL}?key={KEY}", {}, {}, HttpResponse(200)), ANT, "request URL"),
    Case("a header", Exchange("POST", URL, JSON, {}, HttpResponse(200, {"request-id": KEY})), ANT, "response header request-id"),
    Case("an event", _sse(_delta(KEY)), ANT, "response body event 0 delta.text"),
    Case("events", _sse(_delta(KEY[:9]), _delta(KEY[9:])), ANT, "response body content[0] text, its pieces put together"),
    Case("events of an input", _sse(_delta('{"a": "' + KEY[:5], "partial_json"), _delta(KEY[5:] + '"}', "partial_json")), ANT, "response body content[0] partial_json, its pieces put together"),
    Case("frames", _converse(KEY[:9], KEY[9:]), ANT, "response body content[0] text, its pieces put together"),
    Case("chunks", _chunks(_delta(KEY[:9]), _delta(KEY[9:])), ANT, "response body content[0] text, its pieces put together"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_recording_with_a_secret_is_refused(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", OWN)
    file = tmp_path / "c.yaml"
    file.write_text("old")
    with pytest.raises(RecordingError) as caught:
        write_cassette(file, Cassette((_asked("fine"), case.exchange)))
    assert str(caught.value).startswith(f"{file}: interaction 1, {case.place}")
    assert f" holds {case.kind}; " in str(caught.value)
    assert not any(secret in str(caught.value) for secret in (KEY, AKIA, ASIA, AWS, JWT, OWN))
    assert (file.read_text(), names(tmp_path)) == ("old", ["c.yaml"])


NOISE: Final = _base64(bytes(range(256)) * 8)
FINE: Final = (
    _asked("Count the tokens, keep the secret key of the password manager: a bearer token of the credentials."),
    _asked("Send `Authorization: Bearer YOUR_TOKEN`; bearer authentication-and-authorisation; sk-ant-... is a key."),
    _asked("AKIA is a prefix, AKIAlowercaseletters123 is no id; secret_access_key: see the vault"),
    _asked([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": NOISE}}]),
    _asked([{"type": "text", "text": f"data:image/png;base64,{NOISE}"}]),
    _asked([{"type": "thinking", "thinking": f"{KEY}", "signature": KEY}]),
    _asked([{"type": "redacted_thinking", "data": KEY}, {"encrypted_content": KEY, "redactedContent": KEY}]),
    _sse(_delta(KEY, "thinking"), _delta(KEY, "signature")),
    _asked("-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEF\n"),
    _asked({"api_key": "replay-needs-no-key", "max_tokens": 5}),
    _asked("short value: hunter2; a path: visible-visible"),
)


@pytest.mark.parametrize("exchange", FINE, ids=range(len(FINE)))
def test_ordinary_text_is_no_secret(exchange: Exchange) -> None:
    environment = {"API_KEY": "replay-needs-no-key", "MY_TOKEN": "hunter2", "HOME_PATH": "visible-visible"}
    assert find_secret(Cassette((exchange,)), environment=environment) is None


def test_which_credentials_are_dummies_can_be_said() -> None:
    cassette, environment = Cassette((_asked(OWN),)), {"API_KEY": OWN}
    assert find_secret(cassette, environment=environment) is not None
    assert find_secret(cassette, environment=environment, dummies=[OWN]) is None


def test_a_pattern_of_the_users_own_is_a_secret_too() -> None:
    cassette = Cassette((_asked("the ticket is ACME-4711"),))
    assert find_secret(cassette, environment={}) is None
    found = find_secret(cassette, environment={}, patterns=[re.compile(r"ACME-\d+")])
    assert found is not None
    assert (found.kind, found.place) == (
        r"what matches 'ACME-\\d+'",
        "interaction 0, request body messages[1].content",
    )
