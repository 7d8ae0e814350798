"""One small recording in each format that is read: a request with a broken pair, and a streamed reply."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any, Final

import yaml

from tests.linter.build import BAD, URL
from toolreplay.wire.eventstream import encode_frame
from toolreplay.wire.sse import encode_event

_STREAM: Final = b"".join(
    encode_event(kind, {"type": kind, **fields})
    for kind, fields in (
        (
            "message_start",
            {"message": {"type": "message", "id": "msg_1", "role": "assistant", "content": []}},
        ),
        (
            "content_block_start",
            {"index": 0, "content_block": {"type": "tool_use", "id": "toolu_9", "name": "f"}},
        ),
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
        ("message_delta", {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}),
        ("message_stop", {}),
    )
)
_FRAMES: Final = encode_frame({":event-type": "messageStart"}, b'{"role": "assistant"}') + encode_frame(
    {":event-type": "messageStop"}, b'{"stopReason": "end_turn"}'
)
_ASK: Final = json.dumps(BAD)
_SAY: Final = json.dumps({"type": "message", "id": "msg_1", "role": "assistant", "content": []})
_JSON: Final = {"content-type": ["application/json"]}
_SSE: Final = {"content-type": ["text/event-stream"]}
_CONVERSE: Final = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse-stream"


def _vcr(body: object, headers: object = _SSE, *, url: str = URL) -> dict[str, Any]:
    request = {"method": "POST", "uri": url, "headers": _JSON, "body": _ASK}
    response = {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": body}
    return {"interactions": [{"request": request, "response": response}], "version": 1}


def _yaml(*documents: object) -> bytes:
    text: str = yaml.safe_dump_all(documents)
    return text.encode()


_TAGGED: Final = f"""\
interactions:
- request: &request
    body: '{_ASK}'
    headers:
      ? !!python/object/apply:multidict._multidict.istr [Content-Type]
      : [application/json]
    method: POST
    uri: {URL}
  response:
    status: {{code: 200}}
    body: {{string: !!binary {base64.b64encode(_STREAM).decode()}}}
- request: {{<<: *request}}
  response: {{status: {{code: 529}}, headers: {{}}, body: {{string: ''}}}}
version: 1
""".encode()

RECORDINGS: Final[dict[str, bytes]] = {
    "vcrpy.yaml": _yaml(_vcr({"string": _STREAM.decode()})),
    "vcrpy-bytes.yaml": _yaml(_vcr({"string": gzip.compress(_STREAM)}, {"content-encoding": ["gzip"]})),
    "vcrpy-tags.yaml": _TAGGED,
    "vcrpy.json": json.dumps(_vcr({"string": _SAY}, _JSON)).encode(),
    "vcrpy.yaml.gz": gzip.compress(_yaml(_vcr({"string": _SAY}, _JSON))),
    "converse.yaml": _yaml(_vcr({"string": _FRAMES}, {}, url=_CONVERSE)),
    "parsed.yaml": _yaml(
        {
            "interactions": [
                {
                    "request": {"method": "POST", "uri": URL, "headers": _JSON, "parsed_body": BAD},
                    "response": {"status": {"code": 200}, "headers": _JSON, "parsed_body": json.loads(_SAY)},
                }
            ]
        }
    ),
    "ours.yaml": _yaml(
        {
            "version": 1,
            "toolreplay": {"format": 1},
            "interactions": [
                {
                    "request": {"method": "POST", "uri": URL, "headers": _JSON, "body": BAD},
                    "response": {
                        "status": {"code": 200},
                        "headers": _JSON,
                        "body": {"json": json.loads(_SAY)},
                    },
                },
                {
                    "toolreplay": {"extends": 0, "keep": 2},
                    "request": {"method": "POST", "uri": URL, "headers": _JSON, "body": {"messages": []}},
                    "response": {
                        "status": {"code": 200},
                        "headers": _SSE,
                        "body": {"string": _STREAM.decode()},
                    },
                },
            ],
        }
    ),
    "langchain.yaml": _yaml(
        {
            "requests": [{"method": "POST", "uri": URL, "headers": _JSON, "body": _ASK.encode()}],
            "responses": [{"status": {"code": 200}, "headers": _JSON, "body": {"string": _SAY}}],
        }
    ),
    "go-vcr.yaml": _yaml(
        {
            "version": 2,
            "interactions": [
                {
                    "request": {"method": "POST", "url": URL, "headers": _JSON, "body": _ASK},
                    "response": {"code": 200, "headers": _SSE, "body": _STREAM.decode()},
                }
            ],
        }
    ),
    "ruby.yml": _yaml(
        {
            "http_interactions": [
                {
                    "request": {"method": "post", "uri": URL, "headers": _JSON, "body": {"string": _ASK}},
                    "response": {
                        "status": {"code": 200},
                        "headers": _JSON,
                        "body": {"encoding": "UTF-8", "string": _SAY},
                    },
                }
            ]
        }
    ),
    "httpmock.yaml": _yaml(
        {
            "when": {"path": "/v1/messages", "method": "POST", "body": _ASK},
            "then": {
                "status": 200,
                "header": [{"name": "content-type", "value": "application/json"}],
                "body": _SAY,
            },
        },
        {
            "when": {"path": "/model/m/converse-stream", "method": "POST", "body": _ASK},
            "then": {"status": 200, "body": base64.b64encode(_FRAMES).decode(), "body_encoding": "base64"},
        },
    ),
    "a.har": json.dumps(
        {
            "log": {
                "entries": [
                    {
                        "request": {"method": "POST", "url": URL, "headers": [], "postData": {"text": _ASK}},
                        "response": {
                            "status": 200,
                            "headers": [{"name": "content-type", "value": "text/event-stream"}],
                            "content": {"text": base64.b64encode(_STREAM).decode(), "encoding": "base64"},
                        },
                    }
                ]
            }
        }
    ).encode(),
    "nock.json": json.dumps(
        [
            {
                "scope": "https://api.anthropic.com:443",
                "method": "POST",
                "path": "/v1/messages",
                "body": BAD,
                "status": 200,
                "response": [_STREAM[:90].hex(), _STREAM[90:].hex()],
                "rawHeaders": ["Content-Type", "text/event-stream"],
            }
        ]
    ).encode(),
    "pairs.json": json.dumps(
        [
            {
                "request": {"method": "POST", "url": URL, "headers": {}, "body": BAD},
                "response": {"status_code": 200, "headers": {}, "body": _STREAM.decode()},
            }
        ]
    ).encode(),
    "body.json": _ASK.encode(),
    "log.jsonl": "\n".join((_ASK, json.dumps({"request": BAD, "response": json.loads(_SAY)}), _ASK)).encode(),
    "log.jsonl.gz": gzip.compress(_ASK.encode() + b"\n" + _ASK.encode()),
}
