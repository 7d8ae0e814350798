# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

import base64
import gzip
import html
import json
import random
import re
import string
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
ODD: Final = 'pass/ word"&é\\next'


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


def _framed(payload: bytes, **headers: str) -> bytes:
    return encode_frame({":message-type": "event", **headers}, payload)


def _frames(body: bytes) -> Exchange:
    return _answered(body, "application/vnd.amazon.eventstream")


def _encoded(body: bytes, encoding: str) -> Exchange:
    headers = {"content-type": "x/y", "content-encoding": encoding}
    return Exchange("POST", URL, JSON, {}, HttpResponse(200, headers, body))


def _deflated(data: bytes, wbits: int) -> bytes:
    stream = zlib.compressobj(wbits=wbits)
    return stream.compress(data) + stream.flush()


# Hardly compressible, so that there is something to cut.
LONG: Final = f"{KEY} {''.join(random.Random(3).choices(string.ascii_letters, k=4_000))}".encode()
GZIP: Final = gzip.compress(LONG, mtime=0)
LINES: Final = base64.encodebytes(f"{'x' * 102} {KEY} {'y' * 60}".encode()).decode()  # the key is cut at byte 114
ESCAPED: Final = "\\u0073" + KEY[1:]  # as JSON may write it


@dataclass(frozen=True)
class Case:
    id: str
    exchange: Exchange
    kind: str
    place: str


ANT: Final = "an Anthropic API key"
VALUE: Final = "the value of the environment variable ODD_SECRET"
TEXT: Final = "request body messages[1].content"
SSE: Final = "text/event-stream"
DELTA: Final = encode_event("content_block_delta", _delta("fine"))


def _bytes_header(value: str) -> bytes:
    """A frame with a header of bytes (type 6), which `encode_frame` does not make."""
    block = b"\x01a\x06" + struct.pack(">H", len(value)) + value.encode()
    prelude = struct.pack(">II", 16 + len(block), len(block))
    frame = prelude + struct.pack(">I", zlib.crc32(prelude)) + block
    return frame + struct.pack(">I", zlib.crc32(frame))


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
    Case("a coloured text", _asked(f"\x1b[31m{KEY}\x1b[0m"), ANT, TEXT),
    Case("colours within", _asked(f"{KEY[:20]}\x1b[31m{KEY[20:]}"), ANT, TEXT),
    Case("a URL in a text", _asked(f"https://x/?next=%2F%3Fkey%3D{KEY}"), ANT, TEXT),
    Case("escapes in a URL in a text", _asked("https://x/?key=" + KEY.replace("-", "%2d")), ANT, TEXT),
    Case("escapes of HTML", _asked(KEY.replace("-", "&#45;")), ANT, TEXT),
    Case("behind a word", _asked(f"key_{KEY} and x-{KEY}"), ANT, TEXT),
    Case("JSON behind a word", _asked(f'result: {{"a": "{ESCAPED}"}}'), ANT, TEXT),
    Case("lines of JSON", _asked(f'{{"a": 1}}\n{{"b": "{ESCAPED}"}}'), ANT, TEXT),
    Case("JSON with a key twice", _asked(f'{{"a": "{ESCAPED}", "a": 1}}'), ANT, f"{TEXT} as JSON [0].a"),
    Case("JSON in JSON in a text", _asked(f"got {json.dumps(json.dumps({'a': KEY.replace('-', chr(0x2d))}))}"), ANT, TEXT),
    Case("a value in a URL", _asked(f"?p={quote(ODD)}"), VALUE, TEXT),
    Case("a value in a path", _asked(f"/{quote(ODD, safe='')}/"), VALUE, TEXT),
    Case("a value in a form", _asked(f"p={quote_plus(ODD)}&q=1"), VALUE, TEXT),
    Case("a value in JSON in a text", _asked(f"is {json.dumps(ODD)}"), VALUE, TEXT),
    Case("a value in JSON as it is", _asked(f"is {json.dumps(ODD, ensure_ascii=False)}"), VALUE, TEXT),
    Case("a value in HTML", _asked(f"<p>{html.escape(ODD)}"), VALUE, TEXT),
    Case("base64 behind a path", _asked(f"data/{_base64(KEY)}"), ANT, f"{TEXT}, decoded"),
    Case("base64 behind an escape", _asked(f"\\n{_base64(KEY)}"), ANT, f"{TEXT}, decoded"),
    Case("base64 that is no UTF-8", _asked(_base64(b"\xe9 " + KEY.encode())), ANT, f"{TEXT}, decoded"),
    Case("base64 of UTF-16", _asked(_base64(KEY.encode("utf-16"))), ANT, f"{TEXT}, decoded"),
    Case("zlib in base64", _asked(_base64(zlib.compress(KEY.encode()))), ANT, f"{TEXT}, decoded"),
    Case("gzip in base64 behind a path", _asked(f"data/{_base64(GZIP)}"), ANT, f"{TEXT}, decoded"),
    Case("base64 in lines in a text", _asked(f"data:\n{LINES}\nend."), ANT, f"{TEXT}, decoded"),
    Case("base64 in lines of another system", _asked("a: " + LINES.replace("\n", "\r\n  ")), ANT, f"{TEXT}, decoded"),
    Case("base64 in lines of JSON", _asked("got " + json.dumps({"a": LINES})), ANT, f"{TEXT}, decoded"),
    Case("base64 in lines in a part of many", Exchange("POST", URL, {}, f"--b\r\na: b\r\n\r\n{LINES}\r\n--b--".encode(), HttpResponse(200)), ANT, "request body, decoded"),
    Case("base64 in lines", _asked(base64.encodebytes(f"{'x' * 70} {KEY}".encode()).decode()), ANT, "request body messages[1].content, decoded"),
    Case("gzip in base64", _asked(_base64(gzip.compress(KEY.encode()))), ANT, "request body messages[1].content, decoded"),
    Case("a body that is gzip", _answered(gzip.compress(KEY.encode()), "x/y"), ANT, "response body"),
    Case("gzip that was cut", _answered(GZIP[:2_000], "x/y"), ANT, "response body"),
    Case("gzip that is damaged", _answered(GZIP[:2_000] + b"\xff" * 2_000, "x/y"), ANT, "response body"),
    Case("gzip within", _answered(b"--b\r\n\r\n" + GZIP + b"\r\n--b--", "x/y"), ANT, "response body"),
    Case("deflate", _answered(zlib.compress(LONG), "x/y"), ANT, "response body"),
    Case("deflate that was cut", _encoded(zlib.compress(LONG)[:2_000], "deflate"), ANT, "response body"),
    Case("bare deflate", _encoded(_deflated(LONG, -15), "deflate"), ANT, "response body"),
    Case("bare deflate that is damaged", _encoded(_deflated(LONG, -15)[:2_000] + b"\xff" * 2_000, "deflate"), ANT, "response body"),
    Case("two bytes a character", _answered(KEY.encode("utf-16-le"), "x/y"), ANT, "response body"),
    Case("a key twice in a request", Exchange("POST", URL, JSON, f'{{"a": "{ESCAPED}", "a": 1}}'.encode(), HttpResponse(200)), ANT, "request body as JSON [0].a"),
    Case("a body that is text", _answered(f"<p>{KEY}</p>".encode(), "text/html"), ANT, "response body"),
    Case("a request that is no JSON", Exchange("POST", URL, {}, KEY.encode(), HttpResponse(200)), ANT, "request body"),
    Case("the URL", Exchange("POST", f"{URL}?key={KEY}", {}, {}, HttpResponse(200)), ANT, "request URL"),
    Case("a header", Exchange("POST", URL, JSON, {}, HttpResponse(200, {"request-id": KEY})), ANT, "response header request-id"),
    Case("an event", _sse(_delta(KEY)), ANT, "response body event 0 delta.text"),
    Case("events", _sse(_delta(KEY[:9]), _delta(KEY[9:])), ANT, "response body content[0] text, its pieces put together"),
    Case("events of an input", _sse(_delta('{"a": "' + KEY[:5], "partial_json"), _delta(KEY[5:] + '"}', "partial_json")), ANT, "response body content[0] partial_json, its pieces put together"),
    Case("the id of an event", _answered(b"id: " + KEY.encode() + b"\n" + DELTA, SSE), ANT, "response body event 0"),
    Case("the name of an event", _answered(b"data: {}\nevent: " + KEY.encode() + b"\r\n\r\n", SSE), ANT, "response body event 0"),
    Case("a field that nobody knows", _answered(DELTA + b"x-debug: " + KEY.encode() + b"\n" + DELTA, SSE), ANT, "response body event 1"),
    Case("a comment beside data", _answered(b": " + KEY.encode() + b"\n" + DELTA, SSE), ANT, "response body event 0"),
    Case("an event with a key twice", _answered(f'data: {{"a": "{ESCAPED}", "a": 1}}\n\n'.encode(), SSE), ANT, "response body event 0 [0].a"),
    Case("an event that is no JSON", _answered(b"data: " + KEY.encode() + b"\n\n", SSE), ANT, "response body event 0"),
    Case("a frame's header", _frames(_framed(b"{}", **{":event-type": KEY})), ANT, "response body event 0 headers.*"),
    Case("a frame's header that is no text", _frames(_bytes_header(KEY)), ANT, "response body event 0 frame"),
    Case("a frame that is no JSON", _frames(_framed(KEY.encode())), ANT, "response body event 0"),
    Case("a frame that is no object", _frames(_framed(json.dumps([KEY]).encode())), ANT, "response body event 0 [0]"),
    Case("a frame that was cut", _frames(_framed(b"{}") + _framed(json.dumps({"a": KEY}).encode())[:-5]), ANT, "response body event 1"),
    Case("behind frames", _frames(_framed(b"{}") + KEY.encode()), ANT, "response body event 1"),
    Case("frames", _converse(KEY[:9], KEY[9:]), ANT, "response body content[0] text, its pieces put together"),
    Case("chunks", _chunks(_delta(KEY[:9]), _delta(KEY[9:])), ANT, "response body content[0] text, its pieces put together"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_recording_with_a_secret_is_refused(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", OWN)
    monkeypatch.setenv("ODD_SECRET", ODD)
    file = tmp_path / "c.yaml"
    file.write_text("old")
    with pytest.raises(RecordingError) as caught:
        write_cassette(file, Cassette((_asked("fine"), case.exchange)))
    assert str(caught.value).startswith(f"{file}: interaction 1, {case.place}")
    assert f" holds {case.kind}; " in str(caught.value)
    assert not any(secret in str(caught.value) for secret in (KEY, AKIA, ASIA, AWS, JWT, OWN, ODD))
    assert (file.read_text(), names(tmp_path)) == ("old", ["c.yaml"])


def _nested(value: object) -> object:
    for _ in range(700):
        value = {"a": value}
    return value


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
    _asked(_nested("deeper than Python recurses")),
    _asked("short value: hunter2; a path: visible-visible"),
)


def test_brotli_that_was_cut_is_looked_at() -> None:
    brotli = pytest.importorskip("brotli", reason="brotli is not installed")
    found = find_secret(Cassette((_encoded(brotli.compress(LONG)[:2_500], "br"),)), environment={})
    assert found is not None
    assert (found.kind, found.place) == (ANT, "interaction 0, response body")


def test_the_first_of_two_equal_keys_is_looked_at() -> None:
    found = find_secret(Cassette((_answered(f'{{"a": "{ESCAPED}", "a": 1}}'.encode()),)), environment={})
    assert found is not None
    assert (found.kind, found.place) == (ANT, "interaction 0, response body [0].a")


@given(
    st.text(string.ascii_letters + string.digits + "+/_-", max_size=9),
    st.binary(max_size=9),
    st.sampled_from([20, 64, 76]),
)
def test_base64_is_found_whatever_stands_before_it(before: str, within: bytes, width: int) -> None:
    packed = before + _base64(within + KEY.encode() + within)
    lines = "\n".join(packed[start : start + width] for start in range(0, len(packed), width))
    assert find_secret(Cassette((_asked(f"see {lines}."),)), environment={}) is not None


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
