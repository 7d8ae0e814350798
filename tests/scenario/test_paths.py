from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.scenario.head import looks_like_scenario
from toolreplay.scenario.load import load_text
from toolreplay.scenario.paths import cassette_path, slug

from .build import HELLO

NAME = "Two cities, one unknown"


@dataclass(frozen=True)
class Case:
    id: str
    path: str
    expected: str
    wire: str = "messages"
    loop: str | None = None
    documents: int = 1
    folder: str = "scenarios"


CASES = [
    Case("top", "scenarios/a.yaml", "a.yaml"),
    Case("below", "scenarios/weather/parallel.yaml", "weather/parallel.yaml"),
    Case("yml", "scenarios/weather/parallel.yml", "weather/parallel.yaml"),
    Case("dots-in-the-name", "scenarios/v1.2.yaml", "v1.2.yaml"),
    Case("converse", "scenarios/a.yaml", "a.converse.yaml", wire="converse"),
    Case("loop", "scenarios/a.yaml", "a.my_agent-loop-run.yaml", loop="my_agent.loop:run"),
    Case("document", "scenarios/a.yaml", "a.two-cities-one-unknown.yaml", documents=2),
    Case("everything", "scenarios/a.yaml", "a.two-cities-one-unknown.converse.m-f.yaml", "converse", "m:f", 2),
    Case("elsewhere", "tests/flows/a.yaml", "tests/flows/a.yaml"),
    Case("other-folder", "tests/flows/b/a.yaml", "b/a.yaml", folder="tests/flows"),
    Case("folder-that-only-begins-so", "scenarios2/a.yaml", "scenarios2/a.yaml"),
    Case("the-folder-is-the-file", "tests/a.yaml", "a.yaml", folder="tests/a.yaml"),
    Case("outside-with-its-folder", "/else/where/b/a.yaml", "b/a.yaml", folder="/else/where"),
    Case("outside-the-project", "/else/where/a.yaml", "else/where/a.yaml"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_cassette_path(case: Case) -> None:
    text = f"version: 1\nname: {NAME}\nmodel: m\nwire: {case.wire}\n{HELLO}"
    more = "".join(f"---\nversion: 1\nname: n{number}\nmodel: m\n{HELLO}" for number in range(1, case.documents))
    found = load_text(text + more, case.path)[0]

    assert cassette_path(found, Path("cassettes"), case.loop, scenarios=case.folder) == Path("cassettes", case.expected)


def test_slug() -> None:
    assert slug("Zürich & Genève!") == "zürich-genève"
    assert slug("a/../b::c") == "a-b-c"
    assert slug("x" * 200) == "x" * 80


@dataclass(frozen=True)
class Head:
    id: str
    text: str
    expected: bool


HEADS = [
    Head("scenario", "version: 1\nname: x\nconversation:\n  - user: x\n", True),
    Head("comment", "# hello\nversion: 1  # of the format\nconversation: []\n", True),
    Head("windows", "version: 1\r\nconversation:\r\n", True),
    Head("byte-order-mark", "\ufeffversion: 1\nconversation:\n", True),
    Head("schema-line", "# yaml-language-server: $schema=../schema/scenario.json\nbroken: [\n", True),
    Head("schema-line-windows", "# yaml-language-server: $schema=../schema/scenario.json\r\nx: 1\r\n", True),
    Head("long-tools", f"version: 1\ntools:\n{'  # x' * 10_000}\nconversation:\n", True),
    Head("other-schema", "# yaml-language-server: $schema=../schema/my-scenario.json.txt\nx: 1\n", False),
    Head("cassette", "version: 1\ninteractions: []\n", False),
    Head("compose", "version: '3'\nservices: {}\n", False),
    Head("version-10", "version: 10\nconversation:\n", False),
    Head("version-1.5", "version: 1.5\nconversation:\n", False),
    Head("nested", "a:\n  version: 1\n  conversation: []\n", False),
    Head("conversation-only", "conversation: []\n", False),
    Head("empty", "", False),
    Head("far-away", f"version: 1\n{'# x' * 30_000}\nconversation:\n", False),
]


@pytest.mark.parametrize("case", HEADS, ids=lambda case: case.id)
def test_looks_like_scenario(case: Head, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(case.text.encode())

    assert looks_like_scenario(path) is case.expected


def test_what_cannot_be_read_is_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")

    assert not looks_like_scenario(tmp_path)
    assert not looks_like_scenario(tmp_path / "a.yaml")
    assert not looks_like_scenario(tmp_path / "b.yaml")
