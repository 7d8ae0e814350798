from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import pytest

from .projects import Project, scenario

RECORDING = "pytest_recording.plugin"
OURS = ("none", "once", "new_episodes", "all", "rewrite")
CONFTEST = """\
def pytest_addoption(parser):
    parser.addoption("--record-mode", choices=("none", "verify", "once"), default="verify")
"""


needs_recording = pytest.mark.skipif(find_spec("pytest_recording") is None, reason="pytest-recording is not installed")


def shows_mode(result: pytest.RunResult, mode: str) -> bool:
    return f"toolreplay: scenarios in scenarios, record mode {mode}" in result.outlines


@pytest.fixture
def played(project: Project) -> Project:
    project.write("scenarios/a.yaml", scenario("one"))
    return project


@pytest.mark.parametrize("mode", OURS)
def test_the_option_is_ours_where_nobody_else_has_it(played: Project, mode: str) -> None:
    result = played.run("--collect-only", f"--record-mode={mode}")
    assert result.ret == pytest.ExitCode.OK
    assert shows_mode(result, mode)


def test_its_value_may_be_a_word_of_its_own(played: Project) -> None:
    result = played.run("--collect-only", "--record-mode", "all")
    assert result.ret == pytest.ExitCode.OK
    assert shows_mode(result, "all")


def test_an_unknown_mode_is_a_usage_error(played: Project) -> None:
    result = played.run("--record-mode=verify")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--record-mode: invalid choice: 'verify'*"])


@dataclass(frozen=True)
class Case:
    id: str
    arguments: tuple[str, ...]
    autoload: bool = True
    plugins: tuple[str, ...] = ()


BESIDE = (
    Case("both installed", ()),
    Case("pytest-recording off", ("-p", "no:recording")),
    Case("pytest-recording first", ("-p", RECORDING, "-p", "toolreplay.pytest_plugin"), autoload=False),
    Case("toolreplay first", (), autoload=False, plugins=(RECORDING,)),
)


@needs_recording
@pytest.mark.parametrize("case", BESIDE, ids=lambda case: case.id)
def test_beside_pytest_recording(played: Project, case: Case) -> None:
    played.write("pyproject.toml", "[tool.toolreplay]\nscenarios = 'scenarios'\n")
    run = played.run_autoloading if case.autoload else played.run
    arguments = (
        "--record-mode=once",
        *case.arguments,
        *(word for name in case.plugins for word in ("-p", name)),
    )
    result = run(*arguments)
    result.assert_outcomes(passed=1)
    assert shows_mode(result, "once")


@needs_recording
def test_without_toolreplay_pytest_recording_has_its_option(played: Project) -> None:
    played.write("test_plain.py", "def test_plain(record_mode):\n    assert record_mode == 'all'\n")
    result = played.run_autoloading("-p", "no:toolreplay", "--record-mode=all")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("where", ["conftest.py", "tests/conftest.py"])
def test_a_conftest_that_brings_the_option_keeps_it_and_its_words_read_as_none(played: Project, where: str) -> None:
    played.write(where, CONFTEST)
    played.write(
        "tests/test_plain.py",
        "def test_plain(pytestconfig):\n    assert pytestconfig.getoption('record_mode')\n",
    )
    for arguments, mode in (
        ((), "none"),
        (("--record-mode=verify",), "none"),
        (("--record-mode=once",), "once"),
    ):
        result = played.run(*arguments, "-m", "not toolreplay")
        result.assert_outcomes(passed=1, deselected=1)
        assert shows_mode(result, mode)


def test_a_plugin_that_is_loaded_later_brings_the_option(played: Project) -> None:
    played.write("late.py", CONFTEST)
    played.write("conftest.py", "pytest_plugins = ['late']\n")
    result = played.run("--record-mode=verify")
    result.assert_outcomes(passed=1)
    assert shows_mode(result, "none")
