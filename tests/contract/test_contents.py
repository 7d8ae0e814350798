"""TR305-310 and TR508: what stands inside messages besides calls and their results."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from toolreplay.contract.entry import parse
from toolreplay.contract.fold import check_request
from toolreplay.contract.rules.media import MOST_BYTES, MOST_OF_A_RESULT, MOST_OF_AN_IMAGE
from toolreplay.wire.model import Wire

from .build import (
    ASK,
    C_ASK,
    UNSET,
    Case,
    Json,
    Whole,
    assistant,
    brief,
    c_result,
    c_text,
    c_use,
    result,
    text,
    use,
    user,
)

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(25)).decode()
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(24)).decode()
GIF = base64.b64encode(b"GIF89a" + bytes(24)).decode()
WEBP = base64.b64encode(b"RIFF" + bytes(4) + b"WEBPVP8 ").decode()
PDF = base64.b64encode(b"%PDF-1.7" + bytes(24)).decode()
HTML = base64.b64encode(b"<html></html>").decode()
AT = "messages[0].content[0]"


def picture(data: str, media_type: str = "image/png", kind: str = "image") -> Json:
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}


def c_picture(data: str, form: str = "png", kind: str = "image") -> Json:
    return {kind: {"format": form, "source": {"bytes": data}}}


def sent(content: Any) -> list[Json]:
    return [ASK, assistant(use()), user(result(content=content))]


def c_sent(*content: Json) -> list[Json]:
    return [C_ASK, assistant(c_use()), user(c_result(content=list(content)))]


HALF = "cut \ud83d"
CASES: list[Case | Whole] = [
    Case("half a pair", [user(HALF)], ["TR305 error messages[0].content"]),
    Case("half a pair in a result", sent([text(HALF)]), ["TR305 error messages[2].content[0].content[0].text"]),
    Case(
        "half a pair in a key",
        [ASK, assistant(use(given={HALF: 1})), user(result())],
        ["TR305 error messages[1].content[0].input"],
    ),
    Case(
        "not a number",
        [ASK, assistant(use(given={"t": [float("nan")]})), user(result())],
        ["TR305 error messages[1].content[0].input.t[0]"],
    ),
    Case(
        "infinite",
        [ASK, assistant(use(given={"t": float("inf")})), user(result())],
        ["TR305 error messages[1].content[0].input.t"],
    ),
    Case("a whole pair", [user("smile \U0001f600")], []),
    Whole("in the system prompt", {"system": HALF, "messages": [ASK]}, ["TR305 error system"]),
    Whole(
        "in a tool",
        {
            "tools": [{"name": "a", "description": HALF, "input_schema": {"type": "object"}}],
            "messages": [ASK],
        },
        ["TR305 error tools[0].description"],
    ),
    Case("a large result", sent("x" * (MOST_OF_A_RESULT + 1)), ["TR306 warning messages[2].content[0].content"]),
    Case("a result of that size", sent("x" * MOST_OF_A_RESULT), []),
    Case("a large image", [user(picture(PNG + "A" * MOST_OF_AN_IMAGE))], [f"TR306 warning {AT}"]),
    Case("21 images, converse", [user(*[c_picture(PNG)] * 21)], ["TR306 warning messages[0]"], "converse"),
    Case("20 images, converse", [user(*[c_picture(PNG)] * 20)], [], "converse"),
    Case("PNG", [user(picture(PNG))], []),
    Case("JPEG", [user(picture(JPEG, "image/jpeg"))], []),
    Case("GIF", [user(picture(GIF, "image/gif"))], []),
    Case("WebP", [user(picture(WEBP, "image/webp"))], []),
    Case("PDF", [user(picture(PDF, "application/pdf", "document"))], []),
    Case("line breaks and no padding", [user(picture("\n".join((PNG[:20], PNG[20:].rstrip("=")))))], []),
    Case("a URL", [user({"type": "image", "source": {"type": "url", "url": "https://example.org"}})], []),
    Case(
        "plain text",
        [user({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Hi"}})],
        [],
    ),
    Case("HTML", sent([picture(HTML, "image/jpeg")]), ["TR307 error messages[2].content[0].content[0]"]),
    Case("another type", [user(picture(JPEG))], [f"TR307 error {AT}"]),
    Case("an unknown type", [user(picture(PNG, "image/jpg"))], [f"TR307 error {AT}"]),
    Case("no data", [user(picture(""))], [f"TR307 error {AT}"]),
    Case("a data URL", [user(picture(f"data:image/png;base64,{PNG}"))], [f"TR307 error {AT}"]),
    Case("cut", [user(picture("iVBORw0KGgoAA"))], [f"TR307 error {AT}"]),
    Case("no PDF", [user(picture(HTML, "application/pdf", "document"))], [f"TR307 error {AT}"]),
    Case("converse", [user(c_picture(PNG))], [], "converse"),
    Case("converse, another type", [user(c_picture(PNG, "jpeg"))], [f"TR307 error {AT}"], "converse"),
    Case(
        "converse, in a result",
        c_sent(c_picture(HTML)),
        ["TR307 error messages[2].content[0].toolResult.content[0]"],
        "converse",
    ),
    Whole(
        "another type, Claude 3.5",
        {"modelId": "anthropic.claude-3-5-sonnet-20240620-v1:0", "messages": [user(c_picture(PNG, "jpeg"))]},
        [f"TR307 warning {AT}"],
        "converse",
    ),
    Case("null", sent(None), ["TR308 warning messages[2].content[0].content"]),
    Case("null, gateway", sent(None), ["TR308 error messages[2].content[0].content"], profile="gateway"),
    Case(
        "null, converse",
        [C_ASK, assistant(c_use()), user(c_result(content=None))],
        ["TR308 error messages[2].content[0].toolResult.content"],
        "converse",
    ),
    Case(
        "a JSON list",
        c_sent({"json": [1]}),
        ["TR309 error messages[2].content[0].toolResult.content[0].json"],
        "converse",
    ),
    Case(
        "a JSON null",
        c_sent({"json": None}),
        ["TR309 error messages[2].content[0].toolResult.content[0].json"],
        "converse",
    ),
    Case("a JSON object", c_sent({"json": {}}), [], "converse"),
    Whole(
        "a JSON list, Nova",
        {"modelId": "us.amazon.nova-2-lite-v1:0", "messages": c_sent({"json": [1]})},
        ["TR309 warning messages[2].content[0].toolResult.content[0].json", "TR501 error toolConfig"],
        "converse",
    ),
    Case("empty", sent(""), ["TR310 info messages[2].content[0]"]),
    Case("empty, gateway", sent(UNSET), ["TR310 warning messages[2].content[0]"], profile="gateway"),
    Case("empty, converse", c_sent(), ["TR310 info messages[2].content[0]"], "converse"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_contents(case: Case | Whole) -> None:
    assert brief(case.findings()) == case.found


WORDS = [
    ("HTML", "the image is said to be image/jpeg and is nothing that is known", "Could not process image"),
    (
        "another type",
        "the image is said to be image/png and is image/jpeg",
        (
            "messages.0.content.0.image.source.base64: The image was specified using the image/png "
            "media type, but the image appears to be a image/jpeg image"
        ),
    ),
    ("no data", "the image has no data", "messages.0.content.0.image.source.base64: image cannot be empty"),
    (
        "cut",
        "the data of the image is no base64: iVBORw0KGgoAA",
        "messages.0.content.0.image.source.base64: invalid base64 data",
    ),
    (
        "a JSON list",
        "the json of the result of tooluse_1 is a list, not an object",
        (
            "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid. "
            "Provide a json object for the field and try again."
        ),
    ),
]


@pytest.mark.parametrize(("name", "message", "api"), WORDS, ids=[name for name, _, _ in WORDS])
def test_words(name: str, message: str, api: str) -> None:
    (finding,) = next(case for case in CASES if case.id == name).findings()
    assert (finding.message, finding.api) == (message, api)


def test_a_request_of_more_than_32_megabytes() -> None:
    request = parse([ASK], Wire.MESSAGES)
    assert check_request(replace(request, size=MOST_BYTES)) == ()
    (finding,) = check_request(replace(request, size=MOST_BYTES + 1))
    assert (finding.code, finding.severity, finding.path) == ("TR306", "error", "messages")
    assert finding.message == "the request has 33554433 bytes; 33554432 are the most"
    (unsized,) = check_request(parse([user("x" * MOST_BYTES)], Wire.MESSAGES))
    assert unsized.code == "TR306"


CITED: Json = {**text("Oslo"), "citations": [{"type": "char_location"}]}
SEARCHED: Json = {"type": "search_result", "source": "a", "title": "a", "content": [CITED]}
REPORT: Json = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Hi"}}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"temperature": 1, "messages": [ASK]}, ["TR508 error temperature"]),
        ({"top_p": 1, "top_k": 0, "messages": [ASK]}, ["TR508 error top_p", "TR508 error top_k"]),
        ({"messages": [ASK, assistant(REPORT), user("So?")]}, ["TR508 error messages[1].content[0]"]),
        ({"messages": [user(REPORT)]}, []),
        ({"messages": [user(CITED)]}, ["TR508 error messages[0].content[0]"]),
        ({"messages": [user(SEARCHED)]}, ["TR508 error messages[0].content[0]"]),
        ({"messages": [user({**text("Oslo"), "citations": []})]}, []),
        ({"messages": [ASK, assistant(CITED), user("So?")]}, []),
    ],
)
def test_what_the_version_of_2026_refuses(body: Json, found: list[str]) -> None:
    assert brief(Whole("", {**body, "anthropic_version": "2026-10-21"}, []).findings()) == found
    for version in ("2023-06-01", "bedrock-2023-05-31", "vertex-2023-10-16"):
        assert Whole("", {**body, "anthropic_version": version}, []).findings() == []


def test_converse_texts_are_no_json() -> None:
    assert brief(Case("", [user(c_text(HALF))], [], "converse").findings()) == [f"TR305 error {AT}.text"]
