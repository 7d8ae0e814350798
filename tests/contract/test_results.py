from __future__ import annotations

from typing import Any

import pytest

from .build import (
    ASK,
    C_ASK,
    CACHE_POINT,
    UNSET,
    Case,
    Json,
    assistant,
    brief,
    c_result,
    c_text,
    c_use,
    image,
    result,
    system,
    text,
    use,
    user,
)

IMAGE_C: Json = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}


def sent(content: Any, error: bool = False) -> list[Json]:
    return [ASK, assistant(use()), user(result(content=content, error=error))]


def c_sent(content: Any, status: str | None = None) -> list[Json]:
    block = c_result(content=content, status=status)
    if content is UNSET:
        del block["toolResult"]["content"]
    return [C_ASK, assistant(c_use()), user(block)]


AT = "messages[2].content[0]"
CONTENT = "messages[2].content[0].content"
C_CONTENT = "messages[2].content[0].toolResult.content"

CASES = [
    Case("no content", sent(UNSET), ["TR310 info messages[2].content[0]"]),
    Case("empty string", sent(""), ["TR310 info messages[2].content[0]"]),
    Case("empty list", sent([]), ["TR310 info messages[2].content[0]"]),
    Case("white space as a string", sent("  \n"), []),
    Case("null is a matter of its own", sent(None), ["TR308 warning messages[2].content[0].content"]),
    Case("null with error status too", sent(None, error=True), []),
    Case("an unknown block", sent([{"type": "hologram"}]), []),
    Case("an object", sent({"temp_c": 4}), [f"TR301 error {CONTENT}"]),
    Case("a number", sent(4), [f"TR301 error {CONTENT}"]),
    Case("a boolean", sent(False), [f"TR301 error {CONTENT}"]),
    Case(
        "the keys of an object",
        sent(["temp_c", "sky"]),
        [f"TR301 error {CONTENT}[0]", f"TR301 error {CONTENT}[1]"],
    ),
    Case("objects of the tool's own", sent([text("a"), {"temp_c": 4}]), [f"TR301 error {CONTENT}[1]"]),
    Case("text that is no string", sent([{"type": "text", "text": 4}]), [f"TR301 error {CONTENT}[0]"]),
    Case("converse, a string", c_sent("rain"), [f"TR301 error {C_CONTENT}"], "converse"),
    Case("converse, nothing", c_sent(UNSET), [f"TR301 error {AT}"], "converse"),
    Case("converse, an empty list", c_sent([]), ["TR310 info messages[2].content[0]"], "converse"),
    Case("converse, a number in the list", c_sent([4]), [f"TR301 error {C_CONTENT}[0]"], "converse"),
    Case("converse, text that is no string", c_sent([{"text": 4}]), [f"TR301 error {C_CONTENT}[0]"], "converse"),
    Case("converse, an unknown block", c_sent([{"hologram": {}}]), [], "converse"),
    Case("error, empty string", sent("", error=True), [f"TR302 error {CONTENT}"]),
    Case("error, empty list", sent([], error=True), [f"TR302 error {CONTENT}"]),
    Case("error, nothing", sent(UNSET, error=True), [f"TR302 error {AT}"]),
    Case("error, white space as a string", sent(" ", error=True), [f"TR302 warning {CONTENT}"]),
    Case(
        "error, a blank block is both",
        sent([text("")], error=True),
        [f"TR302 error {CONTENT}", f"TR304 error {CONTENT}[0]"],
    ),
    Case("error, text", sent("no city", error=True), []),
    Case("converse, error, empty list", c_sent([], "error"), [f"TR302 error {C_CONTENT}"], "converse"),
    Case("converse, error, a string", c_sent("", "error"), [f"TR301 error {C_CONTENT}"], "converse"),
    Case("converse, error, text", c_sent([c_text("no city")], "error"), [], "converse"),
    Case("error, image", sent([text("x"), image()], error=True), [f"TR303 error {CONTENT}[1]"]),
    Case("image", sent([text("x"), image()]), []),
    Case("converse, error, image", c_sent([IMAGE_C], "error"), [f"TR303 warning {C_CONTENT}[0]"], "converse"),
    Case(
        "converse, error, json",
        c_sent([{"json": {}}], "error"),
        [f"TR303 warning {C_CONTENT}[0]"],
        "converse",
    ),
    Case("empty text block in a result", sent([text("")]), [f"TR304 error {CONTENT}[0]"]),
    Case("white space block in a result", sent([text("\n\t ")]), [f"TR304 error {CONTENT}[0]"]),
    Case(
        "empty text block in a user turn",
        [user(text("Hi"), text(""))],
        ["TR304 error messages[0].content[1]"],
    ),
    Case("a text that is null", [user({"type": "text", "text": None})], ["TR304 error messages[0].content[0]"]),
    Case("a text that is null in a result", sent([{"type": "text", "text": None}]), [f"TR301 error {CONTENT}[0]"]),
    Case("a text without text", [user({"type": "text"})], []),
    Case("white space in a user turn", [user(text(" "))], ["TR304 error messages[0].content[0]"]),
    Case("white space as a whole user message", [user(" ")], ["TR304 error messages[0].content"]),
    Case("an empty message is a matter of its own", [user("")], ["TR401 error messages[0]"]),
    Case(
        "empty text block in an assistant turn",
        [ASK, assistant(text(""), use()), user(result())],
        ["TR304 error messages[1].content[0]"],
    ),
    Case(
        "white space in an assistant turn",
        [ASK, assistant(text("\n\n"), use()), user(result())],
        ["TR304 warning messages[1].content[0]"],
    ),
    Case("white space in a system message", [ASK, system(text(" "))], ["TR304 error messages[1].content[0]"]),
    Case(
        "a cache_control does not matter",
        [user({**text(""), "cache_control": {"type": "ephemeral"}})],
        ["TR304 error messages[0].content[0]"],
    ),
    Case("converse, blank result", c_sent([c_text("")]), [f"TR304 error {C_CONTENT}[0]"], "converse"),
    Case(
        "converse, blank text",
        [user(c_text(" "), CACHE_POINT)],
        ["TR304 error messages[0].content[0]"],
        "converse",
    ),
    Case(
        "converse, white space in an assistant turn",
        [C_ASK, assistant(c_text(" ")), C_ASK],
        ["TR304 warning messages[1].content[0]"],
        "converse",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results(case: Case) -> None:
    assert brief(case.findings()) == case.found


EMPTY, BLANK = (
    "messages: text content blocks must be non-empty",
    "messages: text content blocks must contain non-whitespace text",
)
C_BLANK = (
    "The text field in the ContentBlock object at messages.0.content.0 is blank. "
    "Add text to the text field, and try again."
)
WORDS = [
    (Case("an object", sent({}), []), "the content is an object, not a string or a list of blocks", None),
    (Case("a key", sent(["sky"]), []), "a string is no content block", None),
    (Case("a plain object", sent([{"a": 1}]), []), "an object without a type is no content block", None),
    (Case("converse", c_sent("rain"), [], "converse"), "the content is a string, not a list of blocks", None),
    (
        Case("empty error", sent("", error=True), []),
        "the result of toolu_1 has error status and no text",
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ),
    (
        Case("blank error", sent(" ", error=True), []),
        "the result of toolu_1 has error status and no text",
        None,
    ),
    (
        Case("converse, empty error", c_sent([], "error"), [], "converse"),
        "the result of tooluse_1 has error status and no text",
        "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
    ),
    (
        Case("image in an error", sent([image()], error=True), []),
        "the result of toolu_1 has error status and holds image",
        "messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true",
    ),
    (
        Case("converse, image in an error", c_sent([IMAGE_C], "error"), [], "converse"),
        "the result of tooluse_1 has error status and holds image",
        None,
    ),
    (Case("empty text", [user(text(""))], []), "the text is empty", EMPTY),
    (Case("blank text", [user(text(" "))], []), "the text holds white space only", BLANK),
    (Case("tolerated", [ASK, assistant(text(" "))], []), "the text holds white space only", None),
    (
        Case("system text", [ASK, system(text(" "))], []),
        "the text holds white space only",
        "system text blocks must contain non-whitespace text",
    ),
    (
        Case("converse", [user(c_text(""))], [], "converse"),
        "the text is empty",
        C_BLANK,
    ),
    (Case("converse, in a result", c_sent([c_text("")]), [], "converse"), "the text is empty", EMPTY),
]


@pytest.mark.parametrize(("case", "message", "api"), WORDS, ids=str)
def test_words(case: Case, message: str, api: str | None) -> None:
    (finding,) = case.findings()
    assert (finding.message, finding.api) == (message, api)
