from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.wire.sse import Decoder, Event, encode_event, fold_events, parse_events

MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "usage": {"input_tokens": 9, "output_tokens": 1},
}
START: dict[str, Any] = {"type": "message_start", "message": MESSAGE}
STOP = {"type": "message_stop"}


def _stream(*events: dict[str, Any]) -> bytes:
    return b"".join(encode_event(event["type"], event) for event in events)


def _block(index: int, block: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _json_delta(piece: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": piece}


@dataclass(frozen=True)
class Case:
    id: str
    events: list[dict[str, Any]]
    content: list[dict[str, Any]]
    complete: bool = True
    more: dict[str, Any] = field(default_factory=dict)


TOOL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
SERVER = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}

CASES = [
    Case(
        "text",
        [
            *_block(
                0,
                {"type": "text", "text": ""},
                {"type": "text_delta", "text": "4 "},
                {"type": "text_delta", "text": "°C"},
            ),
            STOP,
        ],
        [{"type": "text", "text": "4 °C"}],
    ),
    Case(
        "input",
        [*_block(0, TOOL, _json_delta(""), _json_delta('{"ci'), _json_delta('ty": "Oslo"}')), STOP],
        [{**TOOL, "input": {"city": "Oslo"}}],
    ),
    Case("input-empty", [*_block(0, TOOL, _json_delta("")), STOP], [TOOL]),
    Case("input-none", [*_block(0, TOOL), STOP], [TOOL]),
    Case("input-cut", [*_block(0, TOOL, _json_delta('{"ci')), STOP], [{**TOOL, "input": '{"ci'}]),
    Case("input-scalar", [*_block(0, TOOL, _json_delta("[1]")), STOP], [{**TOOL, "input": [1]}]),
    Case("server-input", [*_block(0, SERVER, _json_delta('{"q": 1}')), STOP], [{**SERVER, "input": {"q": 1}}]),
    Case(
        "interleaved",
        [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}},
            {"type": "content_block_start", "index": 1, "content_block": TOOL},
            {"type": "content_block_delta", "index": 1, "delta": _json_delta("{}")},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "b"}},
            STOP,
        ],
        [{"type": "text", "text": "ab"}, TOOL],
    ),
    Case(
        "index-twice",
        [
            *_block(0, {"type": "text", "text": "a"}),
            *_block(0, {"type": "text", "text": "b"}, {"type": "text_delta", "text": "c"}),
            STOP,
        ],
        [{"type": "text", "text": "a"}, {"type": "text", "text": "bc"}],
    ),
    Case(
        "thinking",
        [
            *_block(
                0,
                {"type": "thinking", "thinking": "", "signature": ""},
                {"type": "thinking_delta", "thinking": "Hm"},
                {"type": "signature_delta", "signature": "c2ln"},
            ),
            STOP,
        ],
        [{"type": "thinking", "thinking": "Hm", "signature": "c2ln"}],
    ),
    Case(
        "citations",
        [
            *_block(
                0,
                {"type": "text", "text": "", "citations": []},
                {"type": "citations_delta", "citation": {"n": 1}},
                {"type": "citations_delta", "citation": {"n": 2}},
                {"type": "text_delta", "text": "x"},
            ),
            STOP,
        ],
        [{"type": "text", "text": "x", "citations": [{"n": 1}, {"n": 2}]}],
    ),
    Case(
        "compaction",
        [
            *_block(0, {"type": "compaction", "content": None}, {"type": "compaction_delta", "content": "short"}),
            STOP,
        ],
        [{"type": "compaction", "content": "short"}],
    ),
    Case(
        "message-delta",
        [
            {"type": "ping"},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"input_tokens": None, "output_tokens": 7},
                "context_management": {"applied_edits": []},
            },
            {"type": "something_new", "index": 0},
            STOP,
        ],
        [],
        more={
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 7},
            "context_management": {"applied_edits": []},
        },
    ),
    Case("cut", _block(0, {"type": "text", "text": "a"})[:1], [{"type": "text", "text": "a"}], complete=False),
    Case(
        "delta-of-nothing",
        [{"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta"}}, STOP],
        [],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_fold(case: Case) -> None:
    body, complete = fold_events(parse_events(_stream(START, *case.events)))

    assert (body, complete) == ({**MESSAGE, **case.more, "content": case.content}, case.complete)


def test_an_error_event_is_the_body_and_never_complete() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    assert fold_events(parse_events(_stream(START, error))) == (error, False)


def test_no_events() -> None:
    assert fold_events(()) == ({}, False)


@dataclass(frozen=True)
class Framing:
    id: str
    stream: bytes
    expected: list[tuple[str, object]]


FRAMINGS = [
    Framing("lf", b'event: ping\ndata: {"type": "ping"}\n\n', [("ping", {"type": "ping"})]),
    Framing("crlf", b"event: a\r\ndata: 1\r\n\r\nevent: b\r\ndata: 2\r\n\r\n", [("a", 1), ("b", 2)]),
    Framing("cr", b"event: a\rdata: 1\r\revent: b\rdata: 2\r\r", [("a", 1), ("b", 2)]),
    Framing("no-event-field", b'data: {"type": "ping"}\n\n', [("ping", {"type": "ping"})]),
    Framing("several-data-lines", b"event: a\ndata: [1,\ndata: 2]\n\n", [("a", [1, 2])]),
    Framing("no-space", b"event:a\ndata:1\n\n", [("a", 1)]),
    Framing("comment", b": keep-alive\n\nevent: a\ndata: 1\n\n", [("", None), ("a", 1)]),
    Framing("bom", b"\xef\xbb\xbfevent: a\ndata: 1\n\n", [("a", 1)]),
    Framing("no-json", b"event: a\ndata: {\n\n", [("a", None)]),
    Framing("last-blank-line-missing", b"event: a\ndata: 1", [("a", 1)]),
    Framing("unicode-line-separator", 'event: a\ndata: "\u2028"\n\n'.encode(), [("a", "\u2028")]),
    Framing("not-utf-8", b'event: a\ndata: "\xff"\n\n', [("a", "\ufffd")]),
    Framing("empty", b"", []),
]


@pytest.mark.parametrize("case", FRAMINGS, ids=lambda case: case.id)
def test_framing(case: Framing) -> None:
    events = parse_events(case.stream)

    assert [(event.type, event.data) for event in events] == case.expected
    assert b"".join(event.raw for event in events) == case.stream


_PIECES = st.lists(
    st.sampled_from([b"\r", b"\n", b"\r\n", b"data: ", b"event: x", b"{}", b"\xe2\x82", b"\xac", b":"])
).map(b"".join)
_KINDS = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
    "error",
]
_FIELDS = ["message", "index", "content_block", "delta", "usage", "error"]
# Values of the right kind in the wrong place, and of no kind that fits.
_VALUES: st.SearchStrategy[object] = st.sampled_from(
    [
        None,
        0,
        True,
        "x",
        [],
        [{}],
        {},
        {"type": "text_delta", "text": 1},
        {"type": "input_json_delta", "partial_json": "}"},
        {"type": "citations_delta"},
        {"type": "text", "text": {}, "citations": "x"},
        {"type": "tool_use", "input": None},
        {"usage": 3, "content": 4},
    ]
)
_EVENTS = st.lists(
    st.builds(
        lambda kind, fields: {**fields, "type": kind},
        st.sampled_from(_KINDS),
        st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=4),
    ),
    max_size=6,
)


def _fed(stream: bytes, cuts: list[int]) -> tuple[Event, ...]:
    decoder = Decoder()
    events: list[Event] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += decoder.feed(stream[start:end])
    return (*events, *decoder.close())


@given(st.binary() | _PIECES, st.data())
def test_cutting_the_stream_anywhere_changes_nothing(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    whole = parse_events(stream)

    assert _fed(stream, cuts) == whole
    assert _fed(stream, list(range(len(stream)))) == whole
    assert b"".join(event.raw for event in whole) == stream


@given(st.binary() | _PIECES | _EVENTS.map(lambda events: _stream(*events)))
def test_never_raises(stream: bytes) -> None:
    body, complete = fold_events(parse_events(stream))

    json.dumps(body)
    assert complete in (True, False)
