from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.linter.build import BAD, GOOD, LOST, USER, body, calls, jsonl, pair, reply, results
from toolreplay.linter import Options, Report, Unreadable, check_paths, check_stream, check_text, lines, parts
from toolreplay.linter.lines import Line, decoded, read_lines

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ASKED = {"content": [{"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {}}]}
BROKEN = "is no JSON: Expecting value"


def _errors(report: Report) -> list[tuple[str, int, int]]:
    return [
        (located.finding.code, located.exchange, located.line)
        for located in report.findings
        if located.finding.is_error
    ]


@dataclass(frozen=True)
class Case:
    """A log, and what is found in it: the lines of its BAD requests, and what it holds in all."""

    id: str
    entries: list[Any]
    bad: list[int] = field(default_factory=list)
    requests: int = 1
    tool_uses: int = 1
    unchecked: int = 0
    passed: int = 0


RECORDED = {"interactions": [pair(GOOD), pair(BAD)]}
SUCCEEDED = {"custom_id": "a", "result": {"type": "succeeded", "message": reply(calls("toolu_7"))}}
FLAT = body(USER, {"role": "assistant", "content": "get_weather()"}, {"role": "user", "content": "It is 4"})
TRAINING = [{"role": "system", "content": "Be brief."}, USER, {"role": "assistant", "content": "Rain."}]
LOST_TURN = [USER, *BAD["messages"][1:]]
CASES = [
    Case("messages alone", [{"messages": BAD["messages"]}, {"messages": GOOD["messages"]}], [0], 2),
    Case("lists of messages", [BAD["messages"]], [0]),
    Case("bodies", [GOOD, BAD], [1], 2),
    Case("bodies as text", [{"request": json.dumps(BAD)}], [0]),
    Case("request and response", [{"request": BAD, "response": reply(calls("toolu_9"))}], [0], 1, 2),
    Case("response as text", [{"request": GOOD, "response": json.dumps(reply(calls("toolu_9")))}], [], 1, 2),
    Case("response with a body", [{"request": GOOD, "response": {"body": reply(calls("toolu_9"))}}], [], 1, 2),
    Case("HTTP exchanges", [pair(GOOD), pair(BAD)], [1], 2),
    Case("recordings", [RECORDED, {"log": {"entries": []}}], [0], 2),
    Case("requests of a batch", [{"custom_id": "a", "params": GOOD}, {"custom_id": "b", "params": BAD}], [1], 2),
    Case("results of a batch", [SUCCEEDED, {"custom_id": "b", "result": {"type": "expired"}}], [], 0, 1),
    Case("Bedrock's batches", [{"recordId": "1", "modelInput": BAD, "modelOutput": reply(ASKED)}], [0], 1, 1),
    Case("other lines", [{"level": "info"}, 3, None, "x", [], BAD], [5], passed=5),
    Case("another vendor's", [{"messages": [{"role": "tool", "content": "4"}]}, BAD], [1], passed=1),
    Case(
        "chats to train on", [{"messages": TRAINING}, {"messages": TRAINING, "tools": []}, TRAINING, BAD], [3], passed=3
    ),
    Case(
        "a request with a system message", [{"model": "m", "max_tokens": 9, "messages": [*TRAINING, *LOST_TURN]}], [0]
    ),
    Case("messages with a system message", [{"messages": [*TRAINING, *LOST_TURN]}], [0]),
    *(Case(f"bodies under {name}", [{name: GOOD}, {name: BAD}], [1], 2) for name in ("kwargs", "input", "payload")),
    *(
        Case(
            f"bodies under request and {name}", [{"request": {name: one, "path": "/v1"}} for one in (GOOD, BAD)], [1], 2
        )
        for name in ("body", "json", "kwargs", "params", "payload")
    ),
    Case("bodies as text in a request", [{"request": {"body": json.dumps(BAD)}}], [0]),
    Case("messages of others", [{"input": {"messages": [{"type": "human", "content": "Hi"}]}}, BAD], [1], passed=1),
    Case("a reply's JSON", [{"request": {"json": GOOD}, "response": {"json": reply(calls("toolu_9"))}}], [], 1, 2),
    Case("the same request twice", [BAD, BAD], [0], 2),
    Case("a fault that stays", [LOST, body(*LOST["messages"], calls("toolu_3"), results("toolu_3"))], [], 2, 3),
    Case("flattened tool blocks", [pair(body(USER), reply(ASKED)), pair(FLAT)], [], 2, 1, 1),
    Case("no loop", [pair(body(USER), reply({"content": []})), pair(FLAT)], [], 2, 0),
    Case("no tools", [pair(body(USER), reply(ASKED)), pair({"messages": FLAT["messages"]})], [], 2, 1),
    Case("kept tool blocks", [pair(body(USER), reply(ASKED)), pair(GOOD)], [], 2, 1),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_lines(case: Case) -> None:
    report = check_text(jsonl(case.entries), "a.jsonl")

    orphans = [(code, line) for code, _, line in _errors(report) if code == "TR102"]
    assert orphans == [("TR102", line + 1) for line in case.bad]
    assert (report.requests, report.tool_uses, report.unchecked, report.passed) == (
        case.requests,
        case.tool_uses,
        case.unchecked,
        case.passed,
    )
    assert (report.files, report.unreadable) == (1, ())


FORMS: list[tuple[str, bytes]] = [
    ("a.jsonl", jsonl([GOOD, BAD])),
    ("a.ndjson", jsonl([GOOD, BAD])),
    ("A.JSONL", jsonl([GOOD, BAD])),
    ("a.jsonl.gz", gzip.compress(jsonl([GOOD, BAD]))),
    ("a.jsonl", gzip.compress(jsonl([GOOD, BAD]))),
    ("two members.jsonl.gz", gzip.compress(jsonl([GOOD])) + gzip.compress(jsonl([BAD]))),
    ("padded.jsonl.gz", gzip.compress(jsonl([GOOD, BAD])) + b"\0" * 99),
    ("-", jsonl([GOOD, BAD])),
    ("-", gzip.compress(jsonl([GOOD, BAD]))),
    ("a.json", jsonl([GOOD, BAD])),
    ("no suffix", jsonl([GOOD, BAD])),
    ("crlf.jsonl", jsonl([GOOD, BAD]).replace(b"\n", b"\r\n")),
    ("bom.jsonl", b"\xef\xbb\xbf" + jsonl([GOOD, BAD])),
    ("-", b"\xef\xbb\xbf" + jsonl([GOOD, BAD])),
    ("utf-16.jsonl", jsonl([GOOD, BAD]).decode().encode("utf-16")),
    ("utf-16.jsonl.gz", gzip.compress(jsonl([GOOD, BAD]).decode().encode("utf-16"))),
    ("-", jsonl([GOOD, BAD]).decode().encode("utf-16")),
    ("returns.jsonl", jsonl([GOOD, BAD]).replace(b"\n", b"\r")),
    ("returns without an end.jsonl", jsonl([GOOD, BAD]).replace(b"\n", b"\r").rstrip()),
    ("returns and a BOM.jsonl", b"\xef\xbb\xbf" + jsonl([GOOD, BAD]).replace(b"\n", b"\r")),
    ("returns as white space.jsonl", jsonl([GOOD, BAD]).replace(b", ", b",\r")),
    ("returns.json", jsonl([GOOD, BAD]).replace(b"\n", b"\r")),
    ("-", jsonl([GOOD, BAD]).replace(b"\n", b"\r")),
    ("last line without an end.jsonl", jsonl([GOOD, BAD]).rstrip()),
]


@pytest.mark.parametrize(("name", "data"), FORMS, ids=[f"{number}-{name}" for number, (name, _) in enumerate(FORMS)])
def test_forms_of_a_log(name: str, data: bytes) -> None:
    report = check_text(data, name)

    assert (_errors(report), report.requests, report.files) == ([("TR101", 1, 2), ("TR102", 1, 2)], 2, 1)


def test_blank_lines_count() -> None:
    report = check_text(b"\n  \n" + jsonl([BAD]) + b"\n\n", "-")

    assert _errors(report) == [("TR101", 0, 1), ("TR102", 0, 1)], "one line is one body, and no log"
    assert _errors(check_text(b"\n  \n" + jsonl([BAD, 1]), "-")) == [("TR101", 2, 3), ("TR102", 2, 3)]


ONE_BODY: list[tuple[str, bytes]] = [
    ("-", json.dumps(BAD).encode()),
    ("-", json.dumps(BAD, indent=2).encode()),
    ("-", json.dumps(BAD).encode("utf-16")),
    ("a.json", json.dumps(BAD, indent=2, ensure_ascii=False).encode("utf-16")),
    ("a.json", b"\xef\xbb\xbf" + json.dumps(BAD).encode()),
    (
        "a.yaml",
        b"messages:\r\n" + b"".join(b"- " + json.dumps(one).encode() + b"\r\n" for one in BAD["messages"]),
    ),
    ("-", gzip.compress(json.dumps(BAD).encode())),
    ("a.json.gz", gzip.compress(json.dumps(BAD).encode())),
    ("a.json", json.dumps(BAD["messages"]).encode()),
    ("a.json", json.dumps([BAD]).encode()),
    ("a.json", json.dumps({"requests": [{"custom_id": "a", "params": BAD}]}).encode()),
]


@pytest.mark.parametrize(("name", "data"), ONE_BODY, ids=[str(number) for number in range(len(ONE_BODY))])
def test_one_body(name: str, data: bytes) -> None:
    report = check_text(data, name)

    assert (_errors(report), report.requests) == ([("TR101", 0, 1), ("TR102", 0, 1)], 1)


def test_broken_lines_are_told_and_the_others_judged() -> None:
    report = check_text(b'{"a\n' + jsonl([BAD]) + b"\xff\n\0\n" + jsonl([GOOD]) + b"[" * 9999, "a.jsonl")

    assert _errors(report) == [("TR101", 1, 2), ("TR102", 1, 2)]
    assert report.unreadable == (
        Unreadable("a.jsonl", 1, "is no JSON: Unterminated string starting at"),
        Unreadable("a.jsonl", 3, "is not UTF-8: invalid start byte"),
        Unreadable("a.jsonl", 4, BROKEN),
        Unreadable("a.jsonl", 6, "is nested too deeply"),
    )


def test_many_broken_lines_are_told_in_one() -> None:
    report = check_text(b"x\n" * 1000 + jsonl([GOOD]), "a.jsonl")

    assert [entry.line for entry in report.unreadable] == list(range(1, 102))
    assert report.unreadable[-1].reason == "from here on 900 lines cannot be read"
    assert report.requests == 1


def test_a_recording_in_a_line_that_makes_no_sense() -> None:
    report = check_text(jsonl([GOOD, {"interactions": [{}]}]), "a.jsonl")

    assert report.unreadable == (Unreadable("a.jsonl", 2, "interactions[0] has no request"),)


MANY = gzip.compress(jsonl([GOOD]) * 2000)
DAMAGED: list[tuple[str, bytes, str, int]] = [
    ("cut", MANY[:-9], "is gzip that ends too early", 2000),
    ("cut early", gzip.compress(jsonl([GOOD]))[:-30], "is gzip that ends too early", 0),
    ("rotten", b"\x1f\x8b" + b"x" * 60, "is damaged gzip: ", 0),
    ("rotten end", MANY[:-8] + b"\0" * 8, "is damaged gzip: ", 1800),
    ("UTF-16", jsonl([GOOD]).decode().encode("utf-16")[:-1], "is not UTF-16-LE: truncated data", 0),
]


@pytest.mark.parametrize(("kind", "data", "reason", "requests"), DAMAGED, ids=[kind for kind, *_ in DAMAGED])
def test_a_damaged_stream_is_judged_as_far_as_it_goes(kind: str, data: bytes, reason: str, requests: int) -> None:
    report = check_text(data, "a.jsonl.gz")

    assert [entry.reason[: len(reason)] for entry in report.unreadable] == [reason]
    # What was decompressed together with the damage is lost.
    assert requests <= report.requests <= requests + 190


def test_a_line_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 600)
    data = jsonl([GOOD, body(USER, system="x" * 9999), BAD])
    report = check_text(data, "a.jsonl")

    assert _errors(report) == [("TR101", 2, 3), ("TR102", 2, 3)]
    assert [(entry.line, entry.reason) for entry in report.unreadable] == [(2, "is longer than 32 MB")]


def test_a_bomb_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 2**10)
    monkeypatch.setattr(lines, "_EMPTY_RUN", 2**22)
    monkeypatch.setattr(lines, "_EMPTY_LINES", 2**10)
    for bomb, size in ((b"x" * 2**24, 4), (b"\n" * 2**24, 0)):
        report = check_text(gzip.compress(jsonl([GOOD]) + bomb), "a.jsonl.gz")

        assert report.unreadable[-1].reason == f"goes on for {size} MB without an entry"
        assert report.requests == 1


class _Pieces(io.RawIOBase):
    """A pipe out of which the pieces come one at a time."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        piece = self.pieces.pop(0) if self.pieces else b""
        memoryview(buffer)[: len(piece)] = piece
        return len(piece)


def test_lines_of_any_length_in_pieces_of_any_size() -> None:
    texts = [b"", b"x", b"y" * 70_000, b"", b"z" * 3]
    data = b"\n".join(texts)
    pieces = [data[start : start + 7] for start in range(0, len(data), 7)]

    found = list(read_lines(decoded(io.BufferedReader(_Pieces(pieces)))))
    assert [line.text for line in found] == texts
    assert [line.index for line in found] == list(range(len(texts)))
    assert found[-1] == Line(4, len(data), b"zzz")


def test_a_pipe_is_read_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    line = jsonl([BAD])
    monkeypatch.setattr("toolreplay.linter.check.PART", 2 * len(line))
    pieces = [line] * 9
    results = check_stream(io.BufferedReader(_Pieces(pieces)), "-", Options())

    # A part is told when the line after it has come.
    assert [(one.requests, len(pieces)) for one in results] == [(2, 6), (2, 4), (2, 2), (2, 0), (1, 0)]


def test_parts_are_the_same_however_a_log_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        body(
            {"role": "user", "content": "x" * (number * 37 % 900)},
            calls(f"toolu_{number}"),
            results("toolu_0"),
        )
        for number in range(200)
    ]
    data = jsonl([*entries[:90], 3, {"messages": "x"}, *entries[90:]]) + b"\n{\n"
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    expected = check_text(data, "a.jsonl")
    for size in (300, 4096, 10**6):
        monkeypatch.setattr(parts, "PART", size)
        monkeypatch.setattr("toolreplay.linter.check.PART", size)
        for path in (plain, packed):
            report = check_paths([path])
            assert _errors(report) == _errors(expected), (path, size)
            assert [entry.line for entry in report.unreadable] == [204]
            assert (report.files, report.requests, report.tool_uses) == (1, 200, 200)


def test_memory_does_not_grow_with_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolreplay.linter import following

    monkeypatch.setattr("toolreplay.linter.judging._REMEMBERED", 10_000)
    kept: list[int] = []
    remember = following.Following._remember

    def watched(self: following.Following, group: Any, size: int) -> None:
        remember(self, group, size)
        kept.append(sum(len(one.conversations) for one in self._groups.values()))

    monkeypatch.setattr(following.Following, "_remember", watched)
    check_text(jsonl(body({"role": "user", "content": f"question {n}"}) for n in range(500)), "a.jsonl")
    assert max(kept) < 100
    kept.clear()
    alike = (body(USER, {"role": "assistant", "content": str(n)}, USER) for n in range(500))
    check_text(jsonl(alike), "a.jsonl")
    assert max(kept) < 100


def test_interleaved_conversations_are_told_apart() -> None:
    first = {"role": "user", "content": "Same?"}
    ways = [
        [first, {"role": "assistant", "content": str(n)}, USER, calls(f"a{n}", f"b{n}"), results(f"a{n}")]
        for n in range(9)
    ]
    entries = [body(*way[:end]) for end in (1, 3, 5) for way in ways]
    again = [body(*way, {"role": "assistant", "content": "4"}, USER) for way in ways]
    report = check_text(jsonl([*entries, *again]), "a.jsonl")

    assert [(code, line) for code, _, line in _errors(report)] == [("TR101", line) for line in range(19, 28)]


@dataclass(frozen=True)
class Spread:
    id: str
    turns: list[dict[str, Any]]
    faults: int = 0


WHOLE = [
    pair(body(USER), reply(calls("toolu_1"))),
    pair(GOOD, reply(calls("toolu_2"), 2)),
    pair(body(*GOOD["messages"], calls("toolu_2"), results("toolu_2")), reply({"content": []}, 3)),
]
THREAD = [
    pair(body(USER, thread={"type": "create"}), reply(calls("toolu_1"))),
    pair(
        {
            "model": "m",
            "max_tokens": 9,
            "thread": {"type": "continue", "previous_message_id": "msg_1"},
            "messages": [results("toolu_1")],
        },
        reply(calls("toolu_2"), 2),
    ),
]
BODIES = [{"request": one["request"]["body"], "response": one["response"]["body"]} for one in WHOLE]


@pytest.mark.parametrize(
    "case",
    [
        Spread("recordings", WHOLE),
        Spread("threads", THREAD),
        Spread("bodies with replies", BODIES),
        Spread("a fault in each", [pair(LOST), pair(body(*LOST["messages"], calls("t"), results("t")))], 2),
    ],
    ids=lambda case: case.id,
)
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_conversation_of_one_turn_a_file(case: Spread, suffix: str, tmp_path: Path) -> None:
    for number, turn in enumerate(case.turns):
        (tmp_path / f"turn-{number}.{suffix}").write_text(json.dumps(turn))
    report = check_paths([tmp_path])

    assert (report.files, report.requests) == (len(case.turns), len(case.turns))
    assert len(_errors(report)) == case.faults
