from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.wire.eventstream import (
    Frame,
    chunk_events,
    encode_frame,
    fold_converse,
    looks_framed,
    parse_frames,
)
from toolreplay.wire.sse import fold_events


def _event(kind: str, payload: dict[str, Any]) -> bytes:
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return encode_frame(headers, json.dumps(payload).encode())


def _exception(kind: str, message: str) -> bytes:
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return encode_frame(headers, json.dumps({"message": message}).encode())


def _delta(delta: dict[str, Any], index: int = 0) -> bytes:
    return _event("contentBlockDelta", {"contentBlockIndex": index, "delta": delta, "p": "abc"})


def _start(start: dict[str, Any], index: int = 0) -> bytes:
    return _event("contentBlockStart", {"contentBlockIndex": index, "start": start})


MESSAGE_START = _event("messageStart", {"role": "assistant", "p": "ab"})
MESSAGE_STOP = _event("messageStop", {"stopReason": "end_turn", "p": "a"})


@dataclass(frozen=True)
class Case:
    id: str
    frames: list[bytes]
    content: list[dict[str, Any]]


USE = {"toolUseId": "tooluse_1", "name": "f"}

CASES = [
    Case("nothing", [], []),
    Case("text", [_delta({"text": "4 "}), _delta({"text": "°C"})], [{"text": "4 °C"}]),
    Case(
        "tool-use",
        [
            _start({"toolUse": USE}),
            _delta({"toolUse": {"input": '{"a"'}}),
            _delta({"toolUse": {"input": ": 1}"}}),
        ],
        [{"toolUse": {**USE, "input": {"a": 1}}}],
    ),
    Case("tool-use-empty", [_start({"toolUse": USE})], [{"toolUse": {**USE, "input": {}}}]),
    Case(
        "tool-use-cut",
        [_start({"toolUse": USE}), _delta({"toolUse": {"input": '{"a'}})],
        [{"toolUse": {**USE, "input": '{"a'}}],
    ),
    Case(
        "server-tool-result",
        [
            _start({"toolResult": {"toolUseId": "t", "type": "nova_code_interpreter_result"}}),
            _delta({"toolResult": [{"json": {"x": 1}}]}),
        ],
        [
            {
                "toolResult": {
                    "toolUseId": "t",
                    "type": "nova_code_interpreter_result",
                    "content": [{"json": {"x": 1}}],
                }
            }
        ],
    ),
    Case(
        "reasoning",
        [
            _delta({"reasoningContent": {"text": "Hm"}}),
            _delta({"reasoningContent": {"signature": "c2ln"}}),
            _delta({"text": "yes"}, index=1),
        ],
        [{"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "c2ln"}}}, {"text": "yes"}],
    ),
    Case(
        "redacted",
        [_delta({"reasoningContent": {"redactedContent": "eHg="}})],
        [{"reasoningContent": {"redactedContent": "eHg="}}],
    ),
    Case(
        "citations",
        [_delta({"text": "x"}), _delta({"citation": {"title": "t"}})],
        [{"citationsContent": {"content": [{"text": "x"}], "citations": [{"title": "t"}]}}],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_converse(case: Case) -> None:
    metadata = _event("metadata", {"usage": {"inputTokens": 1}, "metrics": {"latencyMs": 2}})
    frames, whole = parse_frames(b"".join([MESSAGE_START, *case.frames, MESSAGE_STOP, metadata]))

    assert whole
    assert fold_converse(frames) == (
        {
            "output": {"message": {"role": "assistant", "content": case.content}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 1},
            "metrics": {"latencyMs": 2},
        },
        True,
    )


def test_a_cut_stream_is_not_complete() -> None:
    stream = MESSAGE_START + _delta({"text": "a"}) + MESSAGE_STOP
    frames, whole = parse_frames(stream[:-1])

    assert not whole
    assert fold_converse(frames) == (
        {"output": {"message": {"role": "assistant", "content": [{"text": "a"}]}}},
        False,
    )


def test_a_failure_in_the_stream() -> None:
    frames, whole = parse_frames(MESSAGE_START + _exception("throttlingException", "Slow down"))

    assert whole
    assert fold_converse(frames) == ({"__type": "throttlingException", "message": "Slow down"}, False)


def test_chunks_carry_the_messages_events() -> None:
    events = [
        {"type": "message_start", "message": {"id": "msg_1", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "hi"}},
        {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 1}},
    ]
    stream = b"".join(
        _event("chunk", {"bytes": base64.b64encode(json.dumps(event).encode()).decode(), "p": "a"}) for event in events
    )
    frames, whole = parse_frames(stream)

    assert whole
    assert fold_events(chunk_events(frames)) == (
        {"id": "msg_1", "content": [{"type": "text", "text": "hi"}]},
        True,
    )


def test_a_failure_among_chunks() -> None:
    frames, _ = parse_frames(_exception("modelStreamErrorException", "broken"))

    assert fold_events(chunk_events(frames)) == (
        {"type": "error", "error": {"type": "modelStreamErrorException", "message": "broken"}},
        False,
    )


def test_other_header_types_are_stepped_over() -> None:
    # true, byte, short, int, long, bytes, timestamp, uuid, then a string
    block = (
        b"\x01a\x00"
        b"\x01b\x02\x07"
        b"\x01c\x03\x00\x07"
        b"\x01d\x04\x00\x00\x00\x07"
        b"\x01e\x05" + bytes(8) + b"\x01f\x06\x00\x02xy"
        b"\x01g\x08" + bytes(8) + b"\x01h\x09" + bytes(16) + b"\x01i\x07\x00\x02hi"
    )
    plain = encode_frame({}, b"")
    assert parse_frames(_with_headers(block)) == ((Frame({"i": "hi"}, b"{}"),), True)
    assert parse_frames(plain) == ((Frame({}, b""),), True)


def _with_headers(block: bytes) -> bytes:
    import struct
    import zlib

    prelude = struct.pack(">II", 16 + len(block) + 2, len(block))
    frame = prelude + struct.pack(">I", zlib.crc32(prelude)) + block + b"{}"
    return frame + struct.pack(">I", zlib.crc32(frame))


@given(st.dictionaries(st.text(min_size=1, max_size=20), st.text(max_size=50)), st.binary())
def test_a_frame_comes_back_as_it_was(headers: dict[str, str], payload: bytes) -> None:
    frame = encode_frame(headers, payload)

    assert looks_framed(frame)
    assert parse_frames(frame * 2) == ((Frame(headers, payload),) * 2, True)


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_damaged_byte_is_noticed(position: int, change: int) -> None:
    stream = bytearray(MESSAGE_START + MESSAGE_STOP)
    stream[position % len(stream)] ^= change

    frames, whole = parse_frames(bytes(stream))
    assert not whole
    assert len(frames) < 2


_PAYLOADS = st.sampled_from([b"", b"{}", b"[]", b"{", b'{"delta": 3}', b'{"delta": {"toolUse": []}}', b'{"bytes": 1}'])
_KINDS = st.sampled_from(["messageStart", "contentBlockStart", "contentBlockDelta", "messageStop", "chunk", ""])


@given(
    st.binary() | st.lists(st.builds(lambda k, p: encode_frame({":event-type": k}, p), _KINDS, _PAYLOADS)).map(b"".join)
)
def test_never_raises(stream: bytes) -> None:
    frames, _ = parse_frames(stream)

    json.dumps(fold_converse(frames)[0])
    json.dumps(fold_events(chunk_events(frames))[0])
