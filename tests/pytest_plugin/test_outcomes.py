from __future__ import annotations

from dataclasses import dataclass

import pytest

from toolreplay.pytest_plugin.playing import Played
from toolreplay.pytest_plugin.verdict import judge
from toolreplay.runner.run import Failure, Outcome, Run
from toolreplay.scenario.load import load_text

from .projects import Project, failure, scenario, summary

SKIP_ALL = """\
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("toolreplay") and "skipped" in item.name:
            item.add_marker(pytest.mark.skip(reason="not on this machine"))
"""
PASSED, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
NOTHING = "toolreplay: every scenario was skipped, so nothing was checked: the run fails"


@dataclass(frozen=True)
class Case:
    """A run, how it ends, and its last lines of ours."""

    id: str
    scenarios: dict[str, str]
    arguments: tuple[str, ...]
    code: int
    lines: tuple[str, ...]


ONE = "toolreplay: 1 scenario (1 PASS), 2 requests checked, 1 tool call, 0 findings"
SKIPPED = "toolreplay: {} ({} SKIP), 0 requests checked, 0 tool calls, 0 findings"
CASES = (
    Case("one passes", {"a": scenario("good")}, (), PASSED, (ONE,)),
    Case(
        "all skipped before they run",
        {"a": scenario("skipped"), "b": scenario("skipped")},
        (),
        FAILED,
        (SKIPPED.format("2 scenarios", 2), NOTHING),
    ),
    Case(
        "some skipped",
        {"a": scenario("good"), "b": scenario("skipped")},
        (),
        PASSED,
        ("toolreplay: 2 scenarios (1 PASS, 1 SKIP), 2 requests checked, 1 tool call, 0 findings",),
    ),
    Case("all deselected", {"a": scenario("good")}, ("-k", "plain"), PASSED, ()),
    Case("collected only", {"a": scenario("skipped")}, ("--collect-only",), PASSED, ()),
    Case("very quiet", {"a": scenario("good")}, ("-qq",), PASSED, ()),
    Case(
        "skipped in workers",
        {"a": scenario("skipped"), "b": scenario("skipped")},
        ("-p", "xdist.plugin", "-n", "2"),
        FAILED,
        (SKIPPED.format("2 scenarios", 2), NOTHING),
    ),
    Case("no terminal", {"a": scenario("skipped")}, ("-p", "no:terminal"), FAILED, ()),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_run_that_checked_nothing_is_not_green(project: Project, case: Case) -> None:
    if "xdist.plugin" in case.arguments:
        pytest.importorskip("xdist")
    project.write("conftest.py", SKIP_ALL)
    project.write("test_plain.py", "def test_plain():\n    pass\n")
    for name, text in case.scenarios.items():
        project.write(f"scenarios/{name}.yaml", text)
    result = project.run(*case.arguments)
    assert result.ret == case.code
    assert lines_of(result) == case.lines


def lines_of(result: pytest.RunResult) -> tuple[str, ...]:
    lines = (line for line in result.outlines if line.startswith("toolreplay:"))
    return tuple(line for line in lines if not line.startswith("toolreplay: scenarios in "))


def test_a_scenario_that_sent_no_request_fails(project: Project) -> None:
    project.write("scenarios/a.yaml", scenario("one", loop="agent:silent"))
    result = project.run()
    result.assert_outcomes(failed=1)
    assert failure(result)[1] == (
        "scenarios/a.yaml:2: the loop sent no request that toolreplay could see, so nothing was checked"
    )


def test_a_pass_without_a_request_is_an_error() -> None:
    (one,) = load_text(scenario("one"), "a.yaml")
    verdict = judge(Played(Run(one.id, Outcome.PASS)), one)
    assert verdict.outcome is Outcome.ERROR
    assert verdict.facts["outcome"] == "ERROR"
    assert verdict.lines[:2] == [
        "ERROR a.yaml:2: one (0 turns, 0 calls, 0 requests checked)",
        "it passed without a request, so nothing was checked",
    ]


def test_a_loop_cannot_skip_its_way_to_green(project: Project) -> None:
    project.write("scenarios/a.yaml", scenario("one", loop="agent:skipping"))
    result = project.run()
    assert result.ret == FAILED
    assert "no agent today" in "\n".join(failure(result))


def test_what_a_skip_needs_is_its_reason() -> None:
    (one,) = load_text(scenario("one"), "a.yaml")
    missing = Failure(Outcome.SKIP, "", "boto3 is not installed; pip install 'toolreplay[bedrock]'")
    verdict = judge(Played(Run(one.id, Outcome.SKIP, failures=(missing,))), one)
    assert (verdict.outcome, verdict.headline) == (Outcome.SKIP, missing.message)


@dataclass(frozen=True)
class Vacant:
    id: str
    arguments: tuple[str, ...]
    code: int
    lines: tuple[str, ...]


EMPTY = "toolreplay: scenarios holds no scenario file (*.yaml, *.yml)"
VACANT = (
    Vacant("not named", (), PASSED, (EMPTY, EMPTY)),
    Vacant(
        "named",
        ("tests", "scenarios"),
        FAILED,
        (EMPTY, "toolreplay: scenarios holds no scenario file, so nothing was checked: the run fails"),
    ),
    Vacant(
        "a folder in it named",
        ("tests", "scenarios/weather"),
        FAILED,
        (
            EMPTY,
            "toolreplay: scenarios/weather holds no scenario file, so nothing was checked: the run fails",
        ),
    ),
    Vacant("left out", ("tests",), PASSED, (EMPTY, "toolreplay: not among this run's arguments: scenarios")),
)


@pytest.mark.parametrize("case", VACANT, ids=lambda case: case.id)
def test_a_folder_without_files(project: Project, case: Vacant) -> None:
    project.write("scenarios/weather/README.md", "")
    project.write("tests/test_plain.py", "def test_plain():\n    pass\n")
    result = project.run(*case.arguments)
    assert result.ret == case.code
    assert lines_of(result) == case.lines


def test_the_marker_on_a_users_own_test_makes_it_no_scenario(project: Project) -> None:
    project.write("pyproject.toml", "[tool.toolreplay]\n")
    project.write("test_plain.py", "import pytest\n\n@pytest.mark.toolreplay\ndef test_plain():\n    pass\n")
    result = project.run("--strict-markers")
    result.assert_outcomes(passed=1)
    assert summary(result) == ""
