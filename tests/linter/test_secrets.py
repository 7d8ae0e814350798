# ruff: noqa: E501  (a case is a line)
from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.contract.corpus import CORPUS, MISSING
from tests.linter.build import GOOD, URL, USER, body, jsonl, pair
from toolreplay.linter import Options, Report, check_paths, check_stream, check_text
from toolreplay.linter.selection import selection
from toolreplay.wire.sse import encode_event

# Put together, so that no scanner of this repository takes them for real ones.
KEY: Final = "sk-" + "ant-api03-" + "Zx9" * 12
TOKEN: Final = "9f86d081884c7d65" + "9a2feaa0c55ad015"
AKIA: Final = "AK" + "IA" + "Q3EGR7XWPLM2ABCD"
PEM: Final = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n"
JWT: Final = ".".join(["ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"])
ANT: Final = "an Anthropic API key"


def _headers(**values: str) -> dict[str, Any]:
    recorded = pair(GOOD)
    recorded["request"]["headers"] = {name.replace("_", "-"): value for name, value in values.items()}
    return recorded


def _says(text: object) -> dict[str, Any]:
    return pair(body({"role": "user", "content": text}))


def _streamed(*pieces: str) -> dict[str, Any]:
    start = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}} for one in pieces),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    recorded = pair(GOOD)
    recorded["response"]["headers"] = {"content-type": "text/event-stream"}
    recorded["response"]["body"] = b"".join(encode_event(one["type"], one) for one in events).decode()
    return recorded


@dataclass(frozen=True)
class Case:
    id: str
    exchange: dict[str, Any]
    code: str
    path: str
    message: str


CONTENT: Final = "messages[0].content"
CASES: Final = [
    Case("key", _headers(x_api_key=KEY), "TR901", "", f"the request header x-api-key holds {ANT}"),
    Case("any key", _headers(x_api_key=TOKEN), "TR901", "", "the request header x-api-key holds a credential"),
    Case("bearer", _headers(Authorization=f"Bearer {TOKEN}"), "TR901", "", "the request header authorization holds a bearer token"),
    Case("signed", _headers(authorization=f"AWS4-HMAC-SHA256 Credential={AKIA}/20250101/eu-west-1/bedrock/aws4_request, Signature={TOKEN}"), "TR901", "", "the request header authorization holds an AWS access key id"),
    Case("in another header", _headers(x_debug=f"key={KEY}"), "TR901", "", f"the request header x-debug holds {ANT}"),
    Case("in the URL", pair(GOOD, url=f"{URL}?key={KEY}"), "TR901", "", f"the request URL holds {ANT}"),
    Case("in a prompt", _says(f"Use {KEY}"), "TR902", CONTENT, f"the request body {CONTENT} holds {ANT}"),
    Case("in a result", _says([{"type": "tool_result", "tool_use_id": "t", "content": PEM}]), "TR902", f"{CONTENT}[0].content", f"the request body {CONTENT}[0].content holds a private key"),
    Case("in base64", _says(f"see {base64.b64encode(f'key: {KEY} ok'.encode()).decode()}"), "TR902", CONTENT, f"the request body {CONTENT}, decoded holds {ANT}"),
    Case("in a reply", pair(GOOD, {"type": "message", "role": "assistant", "content": [{"type": "text", "text": JWT}]}), "TR902", "", "the response body content[0].text holds a JSON web token"),
    Case("in pieces", _streamed(KEY[:9], KEY[9:]), "TR902", "", f"the response body content[0] text, its pieces put together holds {ANT}"),
    Case("elsewhere", pair({"q": KEY}, {}, url="https://example.com/"), "TR902", "q", f"the request body q holds {ANT}"),
]  # fmt: skip


def _told(report: Report) -> list[tuple[str, int, str, str]]:
    found = [one for one in report.findings if one.finding.code.startswith("TR9")]
    assert all(one.finding.severity == "error" for one in found)
    return [(one.finding.code, one.exchange, one.finding.path, one.finding.message) for one in found]


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_credential_in_a_recording(case: Case, form: str) -> None:
    recorded = [pair(GOOD), case.exchange, case.exchange]
    text = json.dumps(recorded) if form == "json" else yaml.safe_dump(recorded)
    report = check_text(text.encode(), f"a.{form}")

    assert _told(report) == [(case.code, 1, case.path, case.message)], "once, though it is there twice"
    assert not any(secret in repr(report) for secret in (KEY, TOKEN, AKIA, PEM, JWT))


NOISE: Final = base64.b64encode(bytes(range(256)) * 40).decode()
FINE: Final = {
    "placeholders": _headers(x_api_key="REDACTED", authorization="Bearer sk-" + "ant-api03-XXXXXXXXXXXXXXXX1"),
    "dummies": _headers(x_api_key="dummy-key-0123456789", authorization="Bearer test-token-0123456789"),
    "short": _headers(x_api_key="sk-1", authorization="token 12345"),
    "names": _headers(x_api_key="<ANTHROPIC_API_KEY>", api_key="${AZURE_API_KEY_2025_PRODUCTION}"),
    "cookies": _headers(cookie=f"__cf_bm={TOKEN}"),
    "a signature": _headers(authorization=f"AWS4-HMAC-SHA256 SignedHeaders=host, Signature={TOKEN}"),
    "examples of AWS": _says(
        "AK" + "IAIOSFODNN7EXAMPLE, aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    ),
    "prose": _says("Keep the secret; the bearer of this letter; sk-ant-... is a key, eyJ is not."),
    "thinking": _says([{"type": "thinking", "thinking": KEY, "signature": KEY}]),
    "media": _says([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": NOISE + KEY}}]),
    "encrypted": _says([{"type": "x", "encrypted_content": KEY}]),
}


@pytest.mark.parametrize("exchange", FINE.values(), ids=FINE)
def test_no_credential(exchange: dict[str, Any]) -> None:
    assert _told(check_text(json.dumps([exchange]).encode(), "a.json")) == []


def test_request_bodies_and_logs() -> None:
    other = {"role": "user", "content": f"And {TOKEN} with {AKIA}"}
    log = jsonl([GOOD, body(USER, {"role": "user", "content": KEY}), {"request": body(other), "key": KEY}])
    text = f"the request body {{}}messages[{{}}].content holds {ANT}"

    assert _told(check_text(log, "a.jsonl")) == [
        ("TR902", 1, "messages[1].content", text.format("", 1)),
        (
            "TR902",
            2,
            "request.messages[0].content",
            "the request body request.messages[0].content holds an AWS access key id",
        ),
    ]
    one = json.dumps(body({"role": "user", "content": KEY})).encode()
    for name in ("a.json", "a.yaml"):
        assert _told(check_text(one, name)) == [("TR902", 0, "messages[0].content", text.format("", 0))]


@pytest.mark.parametrize(
    ("words", "codes"),
    [(([], ["TR9"]), []), ((["TR901"], []), ["TR901"]), (([], ["secret-in-header"]), ["TR902"])],
)
def test_they_are_selected_like_all_rules(words: tuple[list[str], list[str]], codes: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([_headers(x_api_key=KEY), _says(KEY)]))
    with path.open("rb") as file:
        report = Report.of(check_stream(file, "a.json", Options(selection=selection(*words))))

    assert [code for code, *_ in _told(report)] == codes


MEMBER: Final = re.compile(r"member \d+")
OWN: Final = {
    "in a recording": (json.dumps([_says("For Member, member 4711")]), "a.json"),
    "in YAML": (yaml.safe_dump([_says("For member 4711")]), "a.yaml"),
    "in a placeholder": (json.dumps([_says("For member 1234567")]), "a.json"),
    "in a body": (json.dumps(body({"role": "user", "content": "For member 4711"})), "a.json"),
    "in a log": (jsonl([GOOD, body({"role": "user", "content": "For member 4711"})]).decode(), "a.jsonl"),
    "in base64": (json.dumps([_says(base64.b64encode(b"For the member 4711, as ever").decode())]), "a.json"),
}


@pytest.mark.parametrize(("text", "name"), OWN.values(), ids=OWN)
def test_what_the_project_calls_a_secret(text: str, name: str) -> None:
    report = Report.of(check_stream(io.BytesIO(text.encode()), name, Options(secrets=(MEMBER,))))
    decoded = ", decoded" if "base64" not in text and "member" not in text else ""
    told = f"the request body {CONTENT}{decoded} holds what matches 'member \\\\d+'"

    assert [(code, message) for code, _, _, message in _told(report)] == [("TR902", told)]
    assert _told(check_text(text.encode(), name)) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)
def test_the_corpus_was_scrubbed() -> None:
    assert _told(check_paths([CORPUS])) == []
