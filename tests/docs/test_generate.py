"""What `make docs` writes is what the repository holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolreplay.cli.generate import generate, generated, main, outdated

from .player import ROOT


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for path, text in generated().items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_this_repository_is_up_to_date() -> None:
    assert outdated(ROOT) == [], "write them again: make docs"


def test_what_differs_is_missing_or_left_over_is_told_and_mended(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check"], repository) == 0
    (repository / "schema/scenario.json").unlink()
    (repository / "docs/rules/TR101.md").write_text("old", encoding="utf-8")
    (repository / "docs/rules/TR000.md").write_text("gone", encoding="utf-8")
    changed = ["docs/rules/TR000.md", "docs/rules/TR101.md", "schema/scenario.json"]
    assert outdated(repository) == changed
    assert main(["--check"], repository) == 1
    told = [f"{path}: out of date; write it again with: make docs" for path in changed]
    assert capsys.readouterr().out.splitlines() == told
    assert generate(repository) == changed
    assert main(["--check"], repository) == 0
    assert {path: (repository / path).read_text(encoding="utf-8") for path in generated()} == generated()


def test_every_file_that_is_written_is_named(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "docs/rules/index.md").unlink()
    assert main([], repository) == 0
    assert capsys.readouterr().out == "docs/rules/index.md: written\n"


def test_another_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], tmp_path) == 2
    told = f"{tmp_path}: there is no docs/rules here; run it in the repository of toolreplay\n"
    assert capsys.readouterr().err == told
