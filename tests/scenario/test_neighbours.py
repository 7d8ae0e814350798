from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.scenario.faults import InvalidScenarioError
from toolreplay.scenario.load import load_file

ASK = "conversation: [{user: Hi}]\n"


def _one(name: str = "x", more: str = "") -> str:
    return f"version: 1\nname: {name}\nmodel: m\n{more}{ASK}"


TWO = f"{_one('two cities')}---\n{_one('other')}"
CONVERSE = _one(more="wire: converse\n")


@dataclass(frozen=True)
class Case:
    id: str
    files: Mapping[str, str]  # the last is the one that is loaded
    cassette: str | None = None
    other: str = ""


CASES = [
    Case("yml", {"a.yaml": _one(), "a.yml": _one()}, "a.yaml", "a.yaml"),
    Case("the first of them", {"a.yml": _one(), "a.yaml": _one()}),
    Case("document", {"o.yaml": TWO, "o.two-cities.yaml": _one()}, "o.two-cities.yaml", "o.yaml"),
    Case("another document", {"o.yaml": TWO, "o.three.yaml": _one()}),
    Case("only one document", {"o.yaml": _one("two cities"), "o.two-cities.yaml": _one()}),
    Case("converse", {"o.yaml": CONVERSE, "o.converse.yaml": _one()}, "o.converse.yaml", "o.yaml"),
    Case("versions", {"v1.yaml": _one(), "v1.2.yaml": _one()}),
    Case("no scenario", {"a.yaml": "services: {}\n", "a.yml": _one()}),
    Case("broken", {"a.yaml": "a: [", "a.yml": _one()}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_two_files_that_would_share_a_cassette(case: Case, tmp_path: Path) -> None:
    for name, content in case.files.items():
        (tmp_path / name).write_text(content)
    loaded = list(case.files)[-1]
    problems: tuple[str, ...] = ()
    try:
        load_file(tmp_path / loaded, tmp_path)
    except InvalidScenarioError as error:
        problems = tuple(error.problems)
    what = f"{loaded}:1: its cassette {case.cassette!r} is that of {case.other!r} too; rename one of the files"
    assert problems == (() if case.cassette is None else (what,))


def test_a_neighbour_whose_name_would_be_too_long(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 251 + ".yml")
    path.write_text(_one())
    assert [one.name for one in load_file(path, tmp_path)] == ["x"]
