from __future__ import annotations

import base64
import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolreplay.cassette.reading import Interaction, Recording, read_recording
from toolreplay.wire.eventstream import encode_frame
from toolreplay.wire.http import HttpRequest, HttpResponse

URL = "https://api.anthropic.com/v1/messages"
ASK = {"model": "m", "messages": [{"role": "user", "content": "Wie heißt du? 好"}]}
SAY = {"type": "message", "id": "msg_1", "content": [{"type": "text", "text": "é"}]}
ASK_TEXT = json.dumps(ASK)
SAY_TEXT = json.dumps(SAY)
ZIPPED = gzip.compress(SAY_TEXT.encode())
STREAM = encode_frame({":event-type": "messageStop"}, b'{"stopReason": "end_turn"}')
JSON = {"content-type": "application/json"}


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _interaction(
    index: int = 0, *, url: str = URL, ask: str = ASK_TEXT, say: bytes | str = SAY_TEXT, status: int = 200
) -> Interaction:
    body = say if isinstance(say, bytes) else say.encode()
    return Interaction(index, HttpRequest("POST", url, JSON, ask.encode()), HttpResponse(status, JSON, body))


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


VCR: dict[str, Any] = {
    "request": {
        "method": "POST",
        "uri": URL,
        "headers": {"Content-Type": ["application/json"]},
        "body": ASK_TEXT,
    },
    "response": {
        "status": {"code": 200, "message": "OK"},
        "headers": {
            "Content-Type": ["application/json"],
            "Content-Encoding": ["gzip"],
            "Content-Length": ["9"],
        },
        "body": {"string": SAY_TEXT},
    },
}


def _vcr(**response: object) -> str:
    return json.dumps({"version": 1, "interactions": [{**VCR, "response": {**VCR["response"], **response}}]})


@dataclass(frozen=True)
class Case:
    id: str
    name: str
    content: str | bytes
    expected: tuple[Interaction, ...]


VCRPY_YAML = f"""\
interactions:
- request:
    body: '{ASK_TEXT}'
    headers:
      ? !!python/object/apply:multidict._multidict.istr
      - Content-Type
      : - application/json
    method: POST
    uri: {URL}
  response:
    body:
      string: !!binary |
        {_b64(ZIPPED)}
    headers:
      Content-Type:
      - !!binary |
        {_b64(b"application/json")}
      content-encoding: [gzip]
    status: {{code: 200, message: OK}}
version: 1
"""

PARSED_YAML = f"""\
interactions:
- request:
    headers: {{content-type: [application/json]}}
    method: POST
    parsed_body:
      model: m
      messages:
      - {{role: user, content: "2026-11-30 no 12:30"}}
      - {{role: user, content: [2026-11-30, no, on, 12:30, 1e3, 0o17, ~, true, 1.5, -3, .inf, '1', 0x1F,
      007]}}
    uri: {URL}
  response:
    headers: {{content-type: [application/json]}}
    parsed_body: {_compact(SAY)}
    status: {{code: 200, message: OK}}
version: 1
"""

OLD_HTTPX = f"""\
interactions:
- request: {{method: POST, uri: {URL}, headers: {{content-type: [application/json]}}, body: '{ASK_TEXT}'}}
  response:
    status_code: 200
    http_version: HTTP/1.1
    headers: {{content-type: [application/json]}}
    content: '{SAY_TEXT}'
"""

BYTES_IO = f"""\
interactions:
- request:
    method: POST
    uri: {URL}
    headers: {{content-type: !!python/tuple [application/json]}}
    body: !!python/object/new:_io.BytesIO
      state: !!python/tuple
      - !!binary |
        {_b64(ASK_TEXT.encode())}
      - 0
      - null
  response:
    status: {{code: 200}}
    headers: {{content-type: !!python/unicode application/json}}
    body: {{string: !!python/unicode '{SAY_TEXT}'}}
"""

ANCHORS = f"""\
interactions:
- request: &request
    method: POST
    uri: {URL}
    headers: &headers {{content-type: [application/json]}}
    body: '{ASK_TEXT}'
  response: {{status: {{code: 529}}, headers: *headers, body: {{string: '{SAY_TEXT}'}}}}
- request: {{<<: *request, method: post}}
  response: {{status: {{code: 200}}, headers: *headers, body: {{string: '{SAY_TEXT}'}}}}
"""

GO_VCR = f"""\
---
version: 2
interactions:
- id: 0
  request:
    proto: HTTP/1.1
    body: '{ASK_TEXT}'
    headers: {{Content-Type: [application/json]}}
    url: {URL}
    method: POST
  response:
    body: '{SAY_TEXT}'
    headers: {{Content-Type: [application/json]}}
    status: 200 OK
    code: 200
    duration: 5.1s
"""

RUBY_VCR = f"""\
---
http_interactions:
- request:
    method: post
    uri: {URL}
    body: {{encoding: UTF-8, string: '{ASK_TEXT}'}}
    headers: {{Content-Type: [application/json]}}
  response:
    status: {{code: 200, message: OK}}
    headers: {{Content-Type: [application/json]}}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        {_b64(SAY_TEXT.encode())}
  recorded_at: Mon, 08 Jun 2026 18:45:44 GMT
recorded_with: VCR 6.4.0
"""

LANGCHAIN = f"""\
requests:
- body: !!binary |
    {_b64(ASK_TEXT.encode())}
  headers: {{Content-Type: ['application/json']}}
  method: POST
  uri: {URL}
responses:
- body: {{string: '{SAY_TEXT}'}}
  headers: {{Content-Type: application/json}}
  status: {{code: 200, message: OK}}
"""

HTTPMOCK = f"""\
when:
  path: /v1/messages
  method: POST
  header: [{{name: content-type, value: application/json}}]
  body: '{ASK_TEXT}'
then:
  status: 200
  header: [{{name: content-type, value: application/json}}]
  body: '{SAY_TEXT}'

---
when: {{path: /model/m/converse-stream, method: POST, header: [{{name: content-type, value:
    application/json}}], body: '{ASK_TEXT}'}}
then: {{status: 200, header: [{{name: content-type, value: application/json}}], body: {_b64(STREAM)},
    body_encoding: base64}}
"""


def _har(content: dict[str, Any]) -> str:
    head = [{"name": "Content-Type", "value": "application/json"}]
    sent = {"method": "POST", "url": URL, "headers": head, "postData": {"text": ASK_TEXT}}
    return json.dumps(
        {
            "log": {
                "version": "1.2",
                "entries": [{"request": sent, "response": {"status": 200, "headers": head, "content": content}}],
            }
        }
    )


def _nock(**fields: object) -> str:
    entry = {
        "scope": "https://api.anthropic.com:443",
        "method": "POST",
        "path": "/v1/messages",
        "body": ASK,
        "status": 200,
        "response": SAY,
        "rawHeaders": ["Content-Type", "application/json"],
        "reqheaders": {"content-type": "application/json"},
        "responseIsBinary": False,
    }
    return json.dumps([{**entry, **fields}])


def _pair(body: object = SAY) -> dict[str, Any]:
    return {
        "request": {
            "method": "POST",
            "url": URL,
            "headers": {"content-type": "application/json"},
            "body": ASK,
        },
        "response": {"status_code": 200, "headers": {"content-type": "application/json"}, "body": body},
    }


NOCK_URL = "https://api.anthropic.com:443/v1/messages"
DEFLATE = {"content-type": ["application/json"], "content-encoding": ["deflate"]}
ASK_COMPACT, SAY_COMPACT = _compact(ASK), _compact(SAY)
PARSED_ASK = _compact(
    {
        "model": "m",
        "messages": [
            {"role": "user", "content": "2026-11-30 no 12:30"},
            {
                "role": "user",
                "content": [
                    *("2026-11-30", "no", "on", "12:30", "1e3", "0o17"),
                    *(None, True, 1.5, -3, float("inf"), "1", "0x1F", "007"),
                ],
            },
        ],
    }
)

CASES = [
    Case("vcrpy-json", "a.json", _vcr(), (_interaction(),)),
    Case("vcrpy-json-base64", "a.json", _vcr(body={"base64_string": _b64(ZIPPED)}), (_interaction(),)),
    Case("vcrpy-json-in-yaml", "a.yaml", _vcr(), (_interaction(),)),
    Case("vcrpy-yaml", "a.yaml", VCRPY_YAML, (_interaction(),)),
    Case("vcrpy-gz", "a.yaml.gz", gzip.compress(VCRPY_YAML.encode()), (_interaction(),)),
    Case(
        "two-gzip-members",
        "a.yaml.gz",
        gzip.compress(b"version: 1\n") + gzip.compress(VCRPY_YAML[:-11].encode()),
        (_interaction(),),
    ),
    Case("utf-16", "a.yaml", VCRPY_YAML.encode("utf-16"), (_interaction(),)),
    Case("parsed-body", "a.yaml", PARSED_YAML, (_interaction(ask=PARSED_ASK, say=SAY_COMPACT),)),
    Case("old-httpx", "a.yaml", OLD_HTTPX, (_interaction(),)),
    Case("python-tags", "a.yaml", BYTES_IO, (_interaction(),)),
    Case("anchors", "a.yaml", ANCHORS, (_interaction(status=529), _interaction(1))),
    Case("go-vcr", "a.yaml", GO_VCR, (_interaction(),)),
    Case("ruby-vcr", "a.yml", RUBY_VCR, (_interaction(),)),
    Case("langchain", "a.yaml", LANGCHAIN, (_interaction(),)),
    Case(
        "httpmock",
        "a.yaml",
        HTTPMOCK,
        (_interaction(url="/v1/messages"), _interaction(1, url="/model/m/converse-stream", say=STREAM)),
    ),
    Case("har", "a.har", _har({"text": SAY_TEXT}), (_interaction(),)),
    Case("har-base64", "a.har", _har({"text": _b64(ZIPPED), "encoding": "base64"}), (_interaction(),)),
    Case("nock", "a.json", _nock(), (_interaction(url=NOCK_URL, ask=ASK_COMPACT, say=SAY_COMPACT),)),
    Case(
        "nock-hex",
        "a.json",
        _nock(response=STREAM.hex(), responseIsBinary=True),
        (_interaction(url=NOCK_URL, ask=ASK_COMPACT, say=STREAM),),
    ),
    Case(
        "nock-hex-chunks",
        "a.json",
        _nock(response=[ZIPPED[:20].hex(), ZIPPED[20:].hex()]),
        (_interaction(url=NOCK_URL, ask=ASK_COMPACT),),
    ),
    Case(
        "pairs",
        "a.json",
        json.dumps([_pair(), _pair("x")]),
        (_interaction(ask=ASK_COMPACT, say=SAY_COMPACT), _interaction(1, ask=ASK_COMPACT, say="x")),
    ),
    Case("pair", "a.json", json.dumps(_pair(SAY_TEXT)), (_interaction(ask=ASK_COMPACT),)),
    Case(
        "deflate",
        "a.json",
        _vcr(body={"base64_string": _b64(zlib.compress(SAY_TEXT.encode()))}, headers=DEFLATE),
        (_interaction(),),
    ),
    Case(
        "bare-deflate",
        "a.json",
        _vcr(body={"base64_string": _b64(zlib.compress(SAY_TEXT.encode(), wbits=-15))}, headers=DEFLATE),
        (_interaction(),),
    ),
    Case("event-stream-base64", "a.json", _vcr(body={"string": _b64(STREAM)}), (_interaction(say=STREAM),)),
    Case("event-stream-hex", "a.json", _vcr(body={"string": STREAM.hex()}), (_interaction(say=STREAM),)),
    Case("text-like-base64", "a.json", _vcr(body={"string": "AAAA"}), (_interaction(say="AAAA"),)),
    Case("lone-surrogate", "a.json", _vcr(body={"string": "\ud800"}), (_interaction(say=b"\xed\xa0\x80"),)),
    Case("no-interactions", "a.yaml", "interactions: []\nversion: 1\n", ()),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_read(case: Case, tmp_path: Path) -> None:
    path = tmp_path / case.name
    path.write_bytes(case.content if isinstance(case.content, bytes) else case.content.encode())

    assert read_recording(path) == Recording(str(path), case.expected)


def test_a_request_without_a_response(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"request": _pair()["request"]}]))

    assert [interaction.response for interaction in read_recording(path).interactions] == [None]
