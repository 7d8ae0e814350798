from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.linter.orphans import cassettes_below, orphans

ROOT = Path("cassettes")


@dataclass(frozen=True)
class Case:
    id: str
    played: list[str]
    orphans: list[str]


FILES = ["a.yaml", "a.my-loop.yaml", "a.converse.yaml", "ab.yaml", "b/a.yaml", "c.1.one.yaml"]
UNPLAYED = ["a.json", "a.yaml.gz", "a.yml"]
CASES = [
    Case("nothing is played", [], FILES),
    Case("all is", ["a.yaml", "ab.yaml", "b/a.yaml", "c.1.yaml"], []),
    Case("a name is no beginning of another", ["a.yaml"], ["ab.yaml", "b/a.yaml", "c.1.one.yaml"]),
    Case("what goes on after a dot is its own", ["c.yaml"], FILES[:-1]),
    Case("not the other way round", ["a.my-loop.yaml"], ["a.yaml", *FILES[2:]]),
    Case("a document of several", ["c.1.one.yaml"], FILES[:-1]),
    Case("what was never recorded", ["d.yaml"], FILES),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_orphans(case: Case) -> None:
    found = orphans([ROOT / name for name in FILES], [ROOT / name for name in case.played])

    assert [path.relative_to(ROOT).as_posix() for path in found] == case.orphans


def test_no_scenario_plays_a_file_with_another_ending() -> None:
    assert orphans([ROOT / name for name in ["a.yaml", *UNPLAYED]], [ROOT / "a.yaml"]) == [
        ROOT / name for name in UNPLAYED
    ]


def test_cassettes_below_a_folder(tmp_path: Path) -> None:
    shown = ["a/c.yml", "b.json", "b.yaml", "f.yaml.d/g.yaml.gz", "h.har"]
    for name in (*shown, ".hidden/d.yaml", ".e.yaml", "vcrpys.toolreplay", "log.jsonl", "README.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()

    assert [path.relative_to(tmp_path).as_posix() for path in cassettes_below(tmp_path)] == shown
