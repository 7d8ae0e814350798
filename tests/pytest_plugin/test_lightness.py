from __future__ import annotations

from dataclasses import dataclass

import pytest

from .projects import Project, scenario

HEAVY = [
    "anthropic",
    "boto3",
    "hypothesis",
    "httpx",
    "httpx2",
    "jsonschema",
    "pydantic",
    "rich",
    "vcr",
    "yaml",
]


def loaded(project: Project, program: str) -> tuple[list[str], list[str]]:
    """What a program prints, and which heavy packages and rooms of ours it had loaded at its end."""
    shown = f"print([name for name in {HEAVY} if name in sys.modules])"
    ours = "print(sorted({name.split('.')[1] for name in sys.modules if name.startswith('toolreplay.')}))"
    *printed, heavy, rooms = project.python(f"import sys\n{program}\n{shown}\n{ours}")
    return printed, [heavy, rooms]


@dataclass(frozen=True)
class Case:
    id: str
    arguments: tuple[str, ...]
    heavy: tuple[str, ...]
    rooms: tuple[str, ...]


BARE = ("pytest_plugin",)
COLLECTED = ("contract", "errors", "files", "pytest_plugin", "report", "runner", "scenario", "wire")
CASES = (
    Case("nothing configured", ("plain",), (), BARE),
    Case("yaml of others", ("others",), (), ("pytest_plugin", "scenario")),
    Case(
        "scenarios configured and left out",
        ("configured", "configured/tests"),
        (),
        ("errors", "files", "pytest_plugin"),
    ),
    Case("scenarios collected", ("configured",), ("pydantic", "yaml"), COLLECTED),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_collecting_loads_what_it_needs(project: Project, case: Case) -> None:
    root, *named = case.arguments
    project.write("pyproject.toml", "")
    project.write("plain/pytest.ini", "[pytest]\n")
    project.write("plain/test_plain.py", "def test_plain():\n    pass\n")
    project.write("others/pytest.ini", "[pytest]\n")
    project.write("others/docker-compose.yml", "services: {}\n")
    project.write(
        "configured/pyproject.toml", "[tool.pytest.ini_options]\n[tool.toolreplay]\nscenarios = 'scenarios'\n"
    )
    project.write("configured/scenarios/a.yaml", scenario("one"))
    project.write("configured/tests/test_plain.py", "def test_plain():\n    pass\n")
    words = ["--collect-only", "-q", "-p", "toolreplay.pytest_plugin", f"--rootdir={root}"]
    if root == "configured":
        words += ["-c", "configured/pyproject.toml"]
    program = f"import pytest\npytest.main({[*words, *(named or [root])]})"
    _, found = loaded(project, program)
    assert found == [str(list(case.heavy)), str(list(case.rooms))]


def test_importing_the_plugin_loads_pytest_alone(project: Project) -> None:
    _, found = loaded(project, "import toolreplay.pytest_plugin")
    assert found == ["[]", str(list(BARE))]


def test_deselected_scenarios_load_neither_sdk_nor_vcrpy(project: Project) -> None:
    project.write("scenarios/a.yaml", scenario("one"))
    project.write("tests/test_plain.py", "def test_plain():\n    pass\n")
    program = "import pytest\npytest.main(['-q', '-p', 'toolreplay.pytest_plugin', '-m', 'not toolreplay'])"
    printed, found = loaded(project, program)
    assert "1 passed, 1 deselected" in printed[-1]
    assert found[0] == "['pydantic', 'yaml']"
