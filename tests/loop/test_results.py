from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.loop import ErrorResult, converse, run_tool, run_tools
from toolreplay.loop.messages import reply_of
from toolreplay.loop.results import content_of, error_text, message_of, text_of
from toolreplay.loop.tools import ToolCall, UnknownTool

TEXT: Final = {"type": "text", "text": "rain"}
IMAGE: Final = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
}


class Hostile:
    """Whose every conversion fails."""

    def __str__(self) -> str:
        raise ZeroDivisionError("no text for you")

    __repr__ = __str__

    def __len__(self) -> int:
        raise ZeroDivisionError("no length for you")


class HostileError(Exception):
    def __str__(self) -> str:
        raise ValueError("no message for you")


def _cyclic() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@dataclass(frozen=True)
class Case:
    id: str
    value: object
    content: object


CASES: Final = (
    Case("text", "rain", "rain"),
    Case("empty text", "", ""),
    Case("nothing", None, "null"),
    Case("true", True, "true"),
    Case("a number", 4.5, "4.5"),
    Case("an object", {"temp_c": 4, "sky": "rain"}, '{"temp_c": 4, "sky": "rain"}'),
    Case("a list", [1, "é"], '[1, "é"]'),
    Case("an empty list", [], "[]"),
    Case("bytes", b"caf\xc3\xa9 \xff", "café \ufffd"),
    Case("a memoryview", memoryview(b"rain"), "rain"),
    Case("not a number", float("nan"), "NaN"),
    Case("a lone surrogate", "a\ud800b", "a?b"),
    Case("a lone surrogate inside", {"a": "\ud800"}, '{"a": "?"}'),
    Case("a cycle", _cyclic(), "[[...]]"),
    Case("keys that are no text", {(1, 2): "a"}, "{(1, 2): 'a'}"),
    Case("what is no JSON", {"when": 1 + 2j}, '{"when": "(1+2j)"}'),
    Case("blocks", [TEXT, IMAGE], [TEXT, IMAGE]),
    Case("a tuple of blocks", (TEXT,), [TEXT]),
    Case("a blank block", [TEXT, {"type": "text", "text": " \n"}], [TEXT]),
    Case("nothing but blank blocks", [{"type": "text", "text": ""}], []),
    Case("what only looks like blocks", [{"type": "text"}], '[{"type": "text"}]'),
    Case("blocks and others", [TEXT, 5], '[{"type": "text", "text": "rain"}, 5]'),
    Case("a list of other objects", [{"type": "city"}], '[{"type": "city"}]'),
    Case("a type that is no text", [{"type": ["text"], "text": "x"}], '[{"type": ["text"], "text": "x"}]'),
    Case("one block", TEXT, '{"type": "text", "text": "rain"}'),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_a_value_becomes(case: Case) -> None:
    assert content_of(case.value) == case.content


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("no such city", "no such city"),
        ("", "the tool failed without a message"),
        (" \n", "the tool failed without a message"),
        (None, "null"),
        ({"code": 5}, '{"code": 5}'),
        ([TEXT], '[{"type": "text", "text": "rain"}]'),
    ],
    ids=str,
)
def test_what_a_failure_becomes(value: object, text: str) -> None:
    assert error_text(ErrorResult(value)) == text


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (LookupError("no city"), "no city"),
        (KeyError("city"), "'city'"),
        (ValueError(), "ValueError"),
        (ValueError(" "), "ValueError"),
        (HostileError(), "HostileError"),
        (StopIteration(), "StopIteration"),
        (ExceptionGroup("two", [ValueError("a")]), "two (1 sub-exception)"),
    ],
    ids=repr,
)
def test_what_an_exception_says(error: BaseException, message: str) -> None:
    assert message_of(error) == message


_JSON: Final = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(exclude_categories=()))),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)
VALUES: Final = st.one_of(
    _JSON,
    st.binary(max_size=8),
    st.sampled_from([TEXT, [TEXT, IMAGE], _cyclic(), {1, 2}, object, 1j, range(3), {None: 1, "a": 2}]),
    st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image", "x", 5]), "text": _JSON}), max_size=2),
)


@given(value=VALUES)
def test_any_value_becomes_a_result_that_can_be_sent(value: object) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    (result,) = run_tools([use], {"f": lambda: value})
    assert {key: result[key] for key in ("type", "tool_use_id")} == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
    }
    json.dumps(result, ensure_ascii=False, allow_nan=False).encode()
    if isinstance(result["content"], str):
        assert result["content"].strip() or not result.get("is_error")
    else:
        assert all(block["type"] != "text" or block["text"].strip() for block in result["content"])


@given(value=_JSON.filter(lambda value: not isinstance(value, str)))
def test_a_json_value_can_be_read_back(value: object) -> None:
    text = text_of(value)
    if "?" not in text and "NaN" not in text:
        assert json.dumps(json.loads(text)) == json.dumps(value)


def _raise(error: BaseException) -> Any:
    raise error


@dataclass(frozen=True)
class Ran:
    id: str
    function: Any
    result: dict[str, Any]


@pytest.mark.parametrize(
    "case",
    [
        Ran("a value", lambda city: f"rain in {city}", {"content": "rain in Oslo"}),
        Ran("an error returned", lambda city: ErrorResult("no"), {"content": "no", "is_error": True}),
        Ran(
            "an exception",
            lambda city: _raise(LookupError("no city")),
            {"content": "no city", "is_error": True},
        ),
        Ran(
            "an exception that says nothing",
            lambda city: _raise(HostileError()),
            {"content": "HostileError", "is_error": True},
        ),
        Ran(
            "StopIteration",
            lambda city: _raise(StopIteration()),
            {"content": "StopIteration", "is_error": True},
        ),
        Ran(
            "a value that cannot be told",
            lambda city: Hostile(),
            {"content": "no text for you", "is_error": True},
        ),
    ],
    ids=lambda case: case.id,
)
def test_what_a_tool_did_is_told(case: Ran) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"city": "Oslo"}}
    assert run_tools([use], {"f": case.function}) == [{"type": "tool_result", "tool_use_id": "toolu_1", **case.result}]


def test_an_unknown_tool_and_wrong_arguments_are_told_to_the_model() -> None:
    uses: list[dict[str, Any]] = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "g", "input": {}},
        {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {"town": "Oslo"}},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
    ]

    def f(city: str) -> str:
        return city

    first, second = run_tools(uses, {"f": f})
    assert first == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "no tool named 'g'; the tools are: f",
        "is_error": True,
    }
    assert (second["tool_use_id"], second["is_error"]) == ("toolu_2", True)
    assert "unexpected keyword argument 'town'" in second["content"]


def test_run_tool_raises_for_an_unknown_tool() -> None:
    with pytest.raises(UnknownTool, match=r"^no tool named 'f'; the tools are: none$"):
        run_tool("f", {}, {})


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_failure_of_a_tool_passes_through(error: type[BaseException]) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    with pytest.raises(error):
        run_tools([use], {"f": lambda: _raise(error())})


def test_every_call_gets_its_own_result_in_order() -> None:
    uses = [{"type": "tool_use", "id": f"toolu_{n}", "name": "f", "input": {"n": n}} for n in range(5)]
    results = run_tools(uses, {"f": lambda n: 1 // (n % 2)})
    assert [(one["tool_use_id"], one.get("is_error", False)) for one in results] == [
        (f"toolu_{n}", n % 2 == 0) for n in range(5)
    ]


def test_a_field_that_the_sdk_adds_to_a_reply_does_not_go_back() -> None:
    served = {"type": "text", "text": "hello"}
    cited = {"type": "text", "text": "hello", "citations": [{"type": "char_location"}]}
    reply = reply_of({"content": [{**served, "citations": None}, cited], "stop_reason": "end_turn"})
    assert reply.content == [served, cited]


def test_a_document_goes_back_as_a_document_on_converse() -> None:
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    text = {"type": "text", "media_type": "text/plain", "data": "rain"}
    value = [{"type": "document", "title": "report", "source": pdf}, {"type": "document", "source": text}]
    assert converse.tool_result(ToolCall("tooluse_1", "f", {}), value)["toolResult"]["content"] == [
        {"document": {"format": "pdf", "name": "report", "source": {"bytes": b"%PDF-"}}},
        {"document": {"format": "txt", "name": "document", "source": {"text": "rain"}}},
    ]
