from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from toolreplay.errors import UsageError
from toolreplay.files.project import Project, find_project


def _write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_without_any_configuration_it_is_the_folder_itself(tmp_path: Path) -> None:
    if any((folder / "pyproject.toml").exists() for folder in tmp_path.parents):
        pytest.skip("the folder for temporary files lies in a project")
    root = tmp_path / "deep"
    root.mkdir()
    assert find_project(root) == Project(root, (root / "scenarios",), root / "cassettes")


def test_the_nearest_project_that_names_us_is_taken(tmp_path: Path) -> None:
    outer = _write(tmp_path, "[tool.toolreplay]\n")
    inner = _write(tmp_path / "packages" / "one", "[project]\nname = 'one'\n")
    assert find_project(inner / "src" / "deep").root == outer


def test_else_the_nearest_project(tmp_path: Path) -> None:
    _write(tmp_path, "[project]\nname = 'outer'\n")
    inner = _write(tmp_path / "packages" / "one", "[project]\nname = 'one'\n")
    assert find_project(inner).root == inner


@dataclass(frozen=True)
class Case:
    id: str
    settings: str
    scenarios: tuple[str, ...] = ("scenarios",)
    cassettes: str = "cassettes"


@pytest.mark.parametrize(
    "case",
    [
        Case("nothing said", ""),
        Case("one folder", 'scenarios = "cases"', scenarios=("cases",)),
        Case("folders and files", 'scenarios = ["a", "b/c.yaml"]', scenarios=("a", "b/c.yaml")),
        Case("no scenarios", "scenarios = []", scenarios=()),
        Case("cassettes", 'cassettes = "tests/cassettes"', cassettes="tests/cassettes"),
    ],
    ids=lambda case: case.id,
)
def test_what_is_configured(case: Case, tmp_path: Path) -> None:
    _write(tmp_path, f"[tool.toolreplay]\n{case.settings}\n")
    scenarios = tuple(tmp_path / name for name in case.scenarios)
    assert find_project(tmp_path) == Project(tmp_path, scenarios, tmp_path / case.cassettes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[tool.toolreplay]\nscenario = 'a'",
            "[tool.toolreplay] has no setting 'scenario'; did you mean 'scenarios'?",
        ),
        ("[tool]\ntoolreplay = 5", "tool.toolreplay is 5; write a table [tool.toolreplay]"),
        ("tool = 5", "tool is 5; write a table [tool.toolreplay]"),
        (
            "[tool.toolreplay]\nscenarios = 5",
            "[tool.toolreplay] scenarios and cassettes are paths; write strings",
        ),
        (
            "[tool.toolreplay]\nscenarios = [5]",
            "[tool.toolreplay] scenarios and cassettes are paths; write strings",
        ),
        (
            "[tool.toolreplay]\nscenarios = {a = 1}",
            "[tool.toolreplay] scenarios and cassettes are paths; write strings",
        ),
        (
            "[tool.toolreplay]\ncassettes = ['a']",
            "[tool.toolreplay] scenarios and cassettes are paths; write strings",
        ),
    ],
)
def test_a_broken_configuration_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    _write(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        find_project(tmp_path)
    file = tmp_path / "pyproject.toml"
    assert str(caught.value) == f"{file}: {message}"


def test_an_unknown_setting_names_those_that_are_known(tmp_path: Path) -> None:
    _write(tmp_path, "[tool.toolreplay]\nzzz = 1")
    known = ", ".join(sorted({field.name for field in fields(Project)} - {"root"}))
    with pytest.raises(UsageError, match=f"has no setting 'zzz'; known are {known}$"):
        find_project(tmp_path)


@pytest.mark.parametrize(
    "data", [b"[tool.toolreplay", b"\xff\xfe", b"a = 1\na = 2"], ids=["syntax", "no text", "twice"]
)
def test_a_file_that_is_no_toml_is_one_line(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    with pytest.raises(UsageError) as caught:
        find_project(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'pyproject.toml'}: ")
    assert message.endswith("; mend the file")
    assert "\n" not in message
