from __future__ import annotations

import gzip
import json
import os
import re
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from tests.linter.build import BAD, GOOD, USER, body, jsonl, pair
from toolreplay.cassette import bodies
from toolreplay.files import opening
from toolreplay.linter import Options, Report, check_file, check_files, check_paths, check_text, lines, parts
from toolreplay.linter.files import find

YAML_BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP = '{"messages": [{"role": "user", "content": ' + "[" * 900 + "]" * 900 + "}]}"
BAD_YAML = json.dumps(BAD)


def _told(report: Report) -> list[tuple[int, str]]:
    return [(entry.line, entry.reason) for entry in report.unreadable]


@dataclass(frozen=True)
class Refused:
    id: str
    data: bytes
    line: int
    reason: str
    name: str = "a.yaml"


REFUSED = [
    Refused("alias bomb", YAML_BOMB.encode(), 8, "its aliases repeat too much"),
    Refused(
        "deep YAML",
        b"messages: " + b"[" * 9999,
        1,
        "while increasing flow level exceeded maximum nesting depth",
    ),
    Refused("deep JSON", b'{"messages": ' + b"[" * 99_999, 1, "is nested too deeply", "a.json"),
    Refused("deep line", b"[" * 99_999, 1, "is nested too deeply", "a.jsonl"),
    Refused("NUL", b"messages:\n- \0", 2, "control characters are not allowed (byte 12)"),
    Refused("NULs", b"\0" * 9999, 1, "is no JSON: Expecting value", "a.jsonl"),
    Refused("not UTF-8", b"messages:\n- \xff", 2, "invalid leading UTF-8 octet (byte 12)"),
    Refused(
        "half of UTF-16",
        json.dumps(BAD).encode("utf-16")[:-1],
        1,
        "is not UTF-16-LE: truncated data",
        "a.json",
    ),
    Refused("gzip cut", gzip.compress(BAD_YAML.encode())[:-9], 1, "is gzip that ends too early", "a.yaml.gz"),
    Refused("gzip bomb", gzip.compress(b" " * 2**20), 1, "is gzip of more than 0 MB when it is decompressed"),
    Refused(
        "gzip bomb by another name",
        gzip.compress(b" " * 2**20),
        1,
        "is larger than 0 MB; only a log",
        "a.log",
    ),
    Refused(
        "too large",
        b"messages: " + b"x" * 2**16,
        1,
        "is larger than 0 MB; only a log, one JSON value a line, may be",
    ),
    Refused(
        "a key twice",
        json.dumps(BAD, indent=1).replace('"model"', '"messages": [],\n "model"').encode(),
        13,
        "the key 'messages' stands twice in one object; remove one",
        "a.json",
    ),
    Refused(
        "a key twice on a line",
        b"\n" + json.dumps(BAD).replace('"role"', '"role": "user", "role"').encode(),
        2,
        "the key 'role' stands twice in one object; remove one",
        "a.jsonl",
    ),
    Refused(
        "a key twice in YAML",
        b"model: m\nmessages: [{role: user, content: Hi}]\nmessages: []\n",
        1,
        "the key 'messages' stands twice in one mapping; remove one",
    ),
    Refused(
        "a key twice in a flow mapping of YAML",
        b'{"model": "m", model: m, "messages": []}',
        1,
        "the key 'model' stands twice in one mapping; remove one",
    ),
    Refused(
        "a key twice in a recording",
        json.dumps([pair(GOOD)], indent=1).replace('"url"', '"url": "x",\n"url"').encode(),
        6,
        "the key 'url' stands twice in one object; remove one",
        "a.json",
    ),
    Refused(
        "long digits",
        b'{"messages": [' + b"9" * 5000 + b"]}",
        1,
        "is no JSON: Exceeds the limit (4300",
        "a.json",
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_refused(case: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LIMIT", 2**16 if case.id == "too large" else 2**18)
    report = check_text(case.data, case.name)

    (told,) = _told(report)
    assert (told[0], told[1][: len(case.reason)]) == (case.line, case.reason)
    assert (report.files, report.requests) == (0, 0)


TAKEN: list[tuple[str, bytes, str]] = [
    ("Python tags", b"!!python/object/apply:os.system ['exit 1']\n", "tag.yaml"),
    ("BOM", b"\xef\xbb\xbf" + BAD_YAML.encode(), "a.yaml"),
    ("CRLF", json.dumps(BAD, indent=1).replace("\n", "\r\n").encode(), "a.json"),
    ("UTF-16", BAD_YAML.encode("utf-16"), "a.yaml"),
    ("UTF-16 without a mark", BAD_YAML.encode("utf-16-le"), "a.json"),
    ("UTF-32", BAD_YAML.encode("utf-32"), "a.json"),
    (
        "lone surrogates",
        json.dumps(body(USER, {"role": "assistant", "content": "\ud800"})).encode(),
        "a.json",
    ),
    ("NaN", b'{"messages": [{"role": "user", "content": NaN}]}', "a.json"),
]


@pytest.mark.parametrize(("kind", "data", "name"), TAKEN, ids=[kind for kind, *_ in TAKEN])
def test_taken(kind: str, data: bytes, name: str) -> None:
    report = check_text(data, name)

    if kind == "Python tags":
        assert [reason for _, reason in _told(report)] == [
            "holds no recorded exchanges in a format that toolreplay knows"
        ]
        return
    assert (report.unreadable, report.requests) == ((), 1)
    if "surrogate" not in kind and kind != "NaN":
        assert {one.finding.code for one in report.findings if one.finding.is_error} == {"TR101", "TR102"}


def test_a_body_with_a_key_twice_is_told_and_the_other_exchanges_are_judged() -> None:
    twice = json.dumps(GOOD).replace('"model"', '"model": "x", "model"')
    report = check_text(json.dumps([pair(GOOD), pair(twice), pair(BAD)], indent=1).encode(), "a.json")
    (told,) = _told(report)

    assert told[1] == "exchange 1: in the request body the key 'model' stands twice in one object; remove one"
    assert [(one.exchange, one.finding.code) for one in report.findings] == [(2, "TR101"), (2, "TR102")]
    assert 1 < told[0] < report.findings[0].line


def test_a_body_in_a_text_with_a_key_twice_is_told() -> None:
    report = check_text(jsonl([{"request": '{"messages": [], "messages": []}'}, BAD]), "a.jsonl")

    assert _told(report) == [(1, "in a text of JSON the key 'messages' stands twice in one object; remove one")]
    assert (report.requests, {one.line for one in report.findings}) == (1, {2})


def test_a_large_file_is_not_read_to_tell_that_it_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "sparse.json"
    with path.open("wb") as file:
        file.truncate(4 * bodies.LIMIT)
    tracemalloc.start()
    try:
        told = _told(check_file(path))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert told == [(1, "is larger than 256 MB; only a log, one JSON value a line, may be")]
    assert most < bodies.LIMIT


def test_a_line_that_goes_through_many_parts_is_passed_over_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b" " * 2**20 + jsonl([BAD]))
    monkeypatch.setattr(parts, "PART", 2**14)
    read: list[int] = []
    real = lines._pass_over

    def counted(stream: BinaryIO, limit: int | None) -> int:
        read.append(real(stream, limit))
        return read[-1]

    monkeypatch.setattr(lines, "_pass_over", counted)
    report = check_file(path)

    assert [one.finding.code for one in report.findings] == ["TR101", "TR102"]
    assert sum(read) < 2**22


def test_what_is_deeper_than_python_compares_is_told_and_the_rest_judged() -> None:
    data = (DEEP + "\n").encode() * 2 + jsonl([BAD])
    report = check_text(data, "a.jsonl")

    assert report.requests + len(report.unreadable) == 3
    assert {reason for _, reason in _told(report)} <= {"is nested too deeply"}
    assert [one.line for one in report.findings if one.finding.code == "TR102"] == [3]


POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and odd names are POSIX's")


@POSIX
def test_pipes_and_devices_never_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    (tmp_path / "good.jsonl").write_bytes(jsonl([GOOD]))
    (tmp_path / "loop").symlink_to(tmp_path)
    report = check_paths([tmp_path, tmp_path / "zero.json"])

    assert (report.files, report.requests) == (1, 1)
    assert _told(report) == [(1, "cannot be read: it is a socket, pipe or device, not a file")]


@POSIX
def test_a_pipe_that_is_named_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert _told(check_file(path)) == [(1, "is a pipe that nobody writes to")]

    # Held open for writing first, as a shell does it for <(command).
    writer = os.open(path, os.O_RDWR)

    def write() -> None:
        os.write(writer, jsonl([GOOD, BAD]))
        os.close(writer)

    thread = threading.Thread(target=write)
    reader = os.open(path, os.O_RDONLY)
    thread.start()
    try:
        report = check_file(path)
    finally:
        thread.join()
        os.close(reader)
    assert (report.requests, report.unreadable) == (2, ())


@POSIX
@pytest.mark.parametrize("name", ["pipe", "pipe.json", "pipe.jsonl"])
def test_a_pipe_whose_writer_comes_later(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    thread = threading.Timer(0.2, path.write_bytes, [jsonl([BAD])])
    thread.start()
    try:
        report = check_file(path)
    finally:
        thread.join()
    assert (report.requests, report.unreadable) == (1, ())


class _Broken:
    """A pattern that raises where it is asked of a text that holds a word, as a fault of ours would."""

    pattern = "broken"

    def search(self, text: str) -> None:
        if "Bergen" in text:
            raise AttributeError(f"no\n{'x' * 400}")


FAULTY = body({"role": "user", "content": "And in Bergen?"})
FAULT = f"cannot be checked: AttributeError: no {'x' * 101}; this is a fault of toolreplay, please report it"


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_makes_our_code_raise_does_not_stop_the_others(jobs: int, tmp_path: Path) -> None:
    for name, data in {
        "a.json": json.dumps([pair(FAULTY)]).encode(),
        "b.jsonl": jsonl([GOOD, FAULTY, BAD]),
        "c.json": json.dumps(FAULTY).encode(),
        "d.json": json.dumps([pair(BAD)]).encode(),
    }.items():
        (tmp_path / name).write_bytes(data)
    options = Options(secrets=(cast("re.Pattern[str]", _Broken()),))
    report = Report.of(check_files(find([tmp_path]), options, jobs=jobs))

    told = [(Path(one.file).name, one.line, one.reason) for one in report.unreadable]
    assert told == [("a.json", 1, FAULT), ("b.jsonl", 2, FAULT), ("c.json", 1, FAULT)]
    assert report.requests == 3


@POSIX
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.symlink_to(path), "cannot be read: Too many levels of symbolic links"),
        (lambda path: path.symlink_to("nowhere"), "cannot be read: No such file or directory"),
    ],
    ids=["a link to itself", "a link to nothing"],
)
def test_links_that_lead_nowhere_are_told(make: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    make(tmp_path / "a.yaml")

    assert _told(check_paths([tmp_path])) == [(1, reason)]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch(mode=0)

    assert _told(check_paths([tmp_path])) == [(1, "cannot be read: Permission denied")]


@POSIX
def test_odd_names(tmp_path: Path) -> None:
    name = b"new\nline \x1b[31m \xff.json"
    path = tmp_path / os.fsdecode(name)
    path.write_text(json.dumps([pair(BAD)]))

    assert {one.file for one in check_paths([tmp_path]).findings} == {str(path)}


def test_a_file_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(BAD_YAML)
    real = opening._state
    seen: list[tuple[int, int] | None] = []

    def watched(file: BinaryIO) -> tuple[int, int] | None:
        seen.append(real(file))
        if len(seen) == 1:
            path.write_text("x")
            os.utime(path, ns=(0, 0))
        return seen[-1]

    monkeypatch.setattr(opening, "_state", watched)
    assert _told(check_file(path)) == [(1, "cannot be read: it changed while it was read")]


def test_a_log_that_is_written_to_is_judged_as_far_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl([GOOD, BAD]) + json.dumps(GOOD).encode()[:50])
    report = check_file(path)

    assert report.requests == 2
    assert [line for line, _ in _told(report)] == [3]


UNRELATED: list[tuple[str, bytes]] = [
    ("helm.yaml", b"{{- if .Values.on }}\nkind: Service\n{{ end }}\n"),
    ("tsconfig.json", b"{\n  // a comment\n}\n"),
    ("data.json", b"[1, 2"),
    ("blob.yaml", bytes(range(256))),
    ("twice.yaml", b"when: 1\nwhen: 2\n"),
    ("twice.json", b'{"scope": {"request": 1, "request": 2}}'),
    ("rows.jsonl", b'{"a": 1}\n{"a": 2}\n'),
    ("empty.json", b""),
]


@pytest.mark.parametrize(("name", "data"), UNRELATED, ids=[name for name, _ in UNRELATED])
def test_what_has_nothing_to_do_with_a_model_is_passed_over(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)

    assert check_paths([tmp_path]) == Report(0, 0, 0, (), ())
    assert len(check_file(tmp_path / name).unreadable) == 1, "but not when it is named"
