from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, as_process
from tests.projects import Place
from tests.transcript.build import body, exchange, loop, recording, reply, result, user

BAD = body(user([result("t9", "18")]))


@pytest.fixture
def file(here: Place) -> Path:
    path = here.root / "a.json"
    path.write_bytes(recording(*loop()))
    return path


def test_a_recording_is_shown(toolreplay: Command, file: Path) -> None:
    shown = toolreplay("show", "a.json")
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[0] == "a.json: 1 conversation, 2 turns, 2 calls, 26 tokens in (6 from the cache), 10 out"
    assert shown.lines[-1] == "  stop: end_turn; 13 tokens in (3 from the cache), 5 out"


def test_findings_stand_where_they_are(toolreplay: Command, here: Place) -> None:
    (here.root / "b.json").write_bytes(recording(exchange(BAD, reply({"content": []}))))
    shown = toolreplay("show", "b.json")
    assert shown.code == 0
    assert [line.partition(":")[0] for line in shown.lines if "TR" in line] == ["  error TR102 orphan-tool-result"]


def test_long_texts_are_shown_whole_when_asked_for(toolreplay: Command, here: Place) -> None:
    (here.root / "b.json").write_bytes(recording(*loop(found="x" * 2000)))
    assert "more characters" in toolreplay("show", "b.json").out
    assert "x" * 2000 in toolreplay("show", "--full", "b.json").out


def test_json(toolreplay: Command, file: Path) -> None:
    shown = toolreplay("show", "--format", "json", "a.json")
    assert (shown.code, [turn["turn"] for turn in json.loads(shown.out)["conversations"][0]["turns"]]) == (0, [1, 2])


def test_a_request_body_is_shown(toolreplay: Command, here: Place) -> None:
    (here.root / "request.yaml").write_text(json.dumps(BAD))
    assert toolreplay("show", "request.yaml").lines == [
        "request.yaml: 1 conversation, 1 turn, 0 calls, 0 tokens in, 0 out",
        "",
        "conversation 1: m, messages wire",
        "  tools: get_weather",
        "",
        "turn 1, exchange 0",
        "  result for t9: 18",
        "  no answer that can be read was recorded",
        *toolreplay("show", "request.yaml").lines[8:],
    ]


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_a_log_is_shown(toolreplay: Command, here: Place, name: str) -> None:
    entries = [{"request": one["request"]["body"], "response": one["response"]["body"]} for one in loop()]
    data = "\n\n".join(json.dumps(one) for one in [*entries, {"level": "info"}]).encode()
    (here.root / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    shown = toolreplay("show", name)
    assert (shown.code, shown.lines[0]) == (
        0,
        f"{name}: 1 conversation, 2 turns, 2 calls, 26 tokens in (6 from the cache), 10 out",
    )
    assert [line for line in shown.lines if line.startswith("turn ")] == ["turn 1, exchange 0", "turn 2, exchange 2"]


@pytest.mark.parametrize(
    ("name", "data", "code", "err"),
    [
        ("gone.json", None, 2, "toolreplay: gone.json: no such file"),
        ("a.json", b"{", 3, "a.json:1: is no JSON: Expecting property name enclosed in double quotes"),
        ("a.yaml", b"a: 1", 3, "a.yaml:1: holds no recorded exchanges in a format that toolreplay knows"),
        ("a.jsonl", b"{", 3, "a.jsonl:1: is no JSON: Expecting property name enclosed in double quotes"),
        ("a.jsonl.gz", gzip.compress(b"{}", mtime=0)[:-9], 3, "a.jsonl.gz:1: is gzip that ends too early"),
        ("a.jsonl", b'{"a": 1}', 3, "a.jsonl:1: holds no recorded exchanges and no request bodies"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_told(
    toolreplay: Command, here: Place, name: str, data: bytes | None, code: int, err: str
) -> None:
    if data is not None:
        (here.root / name).write_bytes(data)
    shown = toolreplay("show", name)
    assert (shown.code, shown.out, shown.err) == (code, "", f"{err}\n")


def test_a_folder_is_no_file(toolreplay: Command, here: Place) -> None:
    shown = toolreplay("show", ".")
    assert (shown.code, shown.err) == (3, ".:1: cannot be read: Is a directory\n")


def test_a_pipe_gets_no_colour_and_any_script(file: Path) -> None:
    file.write_bytes(recording(*loop(found="å \ud800 \x1b[31m 漢")))
    done = as_process(file.parent, "show", "a.json", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "    result: \\xe5 \\ud800 \\x1b[31m \\u6f22" in done.lines
    assert "\x1b" not in done.out


@pytest.mark.parametrize("name", ["a.json", "log.jsonl", "request.yaml"])
def test_a_file_is_read_once_since_it_may_change(
    name: str, toolreplay: Command, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file.with_name(name)
    path.write_bytes(file.read_bytes() if name == "a.json" else json.dumps(BAD).encode())
    opened: list[str] = []
    real = os.open

    def counted(path: str, *more: Any, **options: Any) -> int:
        opened.append(str(path))
        return real(path, *more, **options)

    monkeypatch.setattr(os, "open", counted)
    assert (toolreplay("show", name).code, opened) == (0, [name])


@pytest.mark.parametrize("command", [["show"], ["diff", "a.json"]], ids=" ".join)
@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("gone.yaml", 2, "toolreplay: gone.yaml: no such file"),
        ("a.json/b.yaml", 2, "toolreplay: a.json/b.yaml: no such file"),
        ("loop", 3, "loop:1: cannot be read: Too many levels of symbolic links"),
        ("n" * 300, 3, f"{'n' * 300}:1: cannot be read: File name too long"),
    ],
    ids=["gone", "below a file", "loop", "long"],
)
def test_a_path_that_leads_to_no_file(
    command: list[str], name: str, code: int, told: str, here: Place, file: Path, toolreplay: Command
) -> None:
    (here.root / "loop").symlink_to(here.root / "loop")
    done = toolreplay(*command, name)
    assert (done.code, done.out, done.err) == (code, "", f"{told}\n")
