from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.linter.files import Target, expand, find, is_log, is_pattern


def _tree(root: Path) -> None:
    for name in (
        "a/1.jsonl",
        "a/b/2.jsonl",
        "a/b/c/3.jsonl.gz",
        "a/b/c/3.txt",
        "a/.hidden/4.jsonl",
        "a/node_modules/5.jsonl",
        "a/[x].yaml",
        "z.yml",
        ".dot.yaml",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (root / "a/b/loop").symlink_to(root / "a", target_is_directory=True)


@dataclass(frozen=True)
class Case:
    id: str
    pattern: str
    found: list[str]


CASES = [
    Case("name", "*.yml", ["z.yml"]),
    Case("hidden names must be asked for", ".*.yaml", [".dot.yaml"]),
    Case("no hidden names", "*.y*ml", ["z.yml"]),
    Case("folder and name", "a/*.jsonl", ["a/1.jsonl"]),
    Case("any folders", "a/**/*.jsonl*", ["a/1.jsonl", "a/b/2.jsonl", "a/b/c/3.jsonl.gz"]),
    Case("any folders at first", "**/?.jsonl", ["a/1.jsonl", "a/b/2.jsonl"]),
    Case("any folders twice", "**/b/**/3*", ["a/b/c/3.jsonl.gz", "a/b/c/3.txt"]),
    Case("any folders at last", "a/b/**", ["a/b", "a/b/c"]),
    Case("a set", "a/[0-9].jsonl", ["a/1.jsonl"]),
    Case("a name after a pattern", "*/b/2.jsonl", ["a/b/2.jsonl"]),
    Case("through a link that is named", "a/*/loop/1.jsonl", ["a/b/loop/1.jsonl"]),
    Case("nothing", "*.nothing", []),
    Case("no folder", "z.yml/*", []),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
@pytest.mark.parametrize("whole", [False, True], ids=["relative", "absolute"])
def test_patterns(case: Case, whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    base = tmp_path if whole else Path()

    assert expand(str(base / case.pattern)) == [base / name for name in case.found]


def test_what_exists_is_no_pattern(tmp_path: Path) -> None:
    _tree(tmp_path)
    names = ["a/[x].yaml", "a/[y].yaml", "a/1.jsonl", "a/missing"]

    assert [is_pattern(str(tmp_path / name)) for name in names] == [False, True, False, False]


def test_folders(tmp_path: Path) -> None:
    _tree(tmp_path)
    found = list(find([tmp_path, tmp_path / "a/1.jsonl", tmp_path / "a/b/c/3.txt"]))

    inside = [".dot.yaml", "z.yml", "a/1.jsonl", "a/[x].yaml", "a/b/2.jsonl", "a/b/c/3.jsonl.gz"]
    assert found == [
        *(Target(tmp_path / name, named=False, size=1) for name in inside),
        Target(tmp_path / "a/b/c/3.txt", named=True, size=1),
    ]


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Path]:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "cycle.yaml").symlink_to(tmp_path / "cycle.yaml")
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "device.json").symlink_to("/dev/zero")
    (tmp_path / "folder.json").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path)  # a socket's name has at most 108 bytes
        server.bind("socket.har")
        os.chdir(here)
        yield tmp_path


@pytest.mark.skipif(os.name != "posix", reason="pipes and sockets in folders are POSIX's")
def test_what_is_no_file_is_left_out(odd: Path) -> None:
    # A link that leads nowhere may have been a recording; reading it will say so.
    assert [target.path.name for target in find([odd])] == ["cycle.yaml", "dangling.yaml"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)

    assert list(find([tmp_path])) == [Target(locked, named=True)]


@pytest.mark.parametrize(
    ("name", "log"),
    [("a.jsonl", True), ("a.NDJSON", True), ("a.jsonl.gz", True), ("a.json", False), ("jsonl", False)],
)
def test_logs_by_name(name: str, log: bool) -> None:
    assert is_log(name) is log
