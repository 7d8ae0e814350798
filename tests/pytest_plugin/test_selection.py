from __future__ import annotations

from dataclasses import dataclass

import pytest

from .projects import ATLANTIS, OSLO, SCHEMA, Project, scenario, summary

PARALLEL = "scenarios/weather/parallel.yaml::two cities in parallel, one unknown"
FORGETFUL = "scenarios/weather/several.yml::forgets a result (v1.2)"
QUIET = "scenarios/weather/several.yml::Größe 測試 🌧"
PLAIN = "tests/test_plain.py::test_plain"


@pytest.fixture
def weather(project: Project) -> Project:
    one = scenario("two cities in parallel, one unknown", calls=(OSLO, ATLANTIS))
    forgets = scenario("forgets a result (v1.2)", calls=(OSLO, ATLANTIS), loop="agent:forgetful")
    project.write("scenarios/weather/parallel.yaml", one)
    project.write("scenarios/weather/several.yml", f"{forgets}---\n{scenario('Größe 測試 🌧')}")
    project.write("tests/test_plain.py", "def test_plain():\n    pass\n")
    return project


@dataclass(frozen=True)
class Case:
    id: str
    arguments: tuple[str, ...]
    lines: tuple[str, ...]


def lines(*, passed: tuple[str, ...] = (), failed: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(sorted((*(f"{name} PASSED" for name in passed), *(f"{name} FAILED" for name in failed))))


CASES = (
    Case("everything", (), lines(passed=(PARALLEL, QUIET, PLAIN), failed=(FORGETFUL,))),
    Case("keyword", ("-k", "parallel and unknown"), lines(passed=(PARALLEL,))),
    Case("keyword of a file", ("-k", "several and not forgets"), lines(passed=(QUIET,))),
    Case("marker", ("-m", "toolreplay"), lines(passed=(PARALLEL, QUIET), failed=(FORGETFUL,))),
    Case("not the marker", ("-m", "not toolreplay"), lines(passed=(PLAIN,))),
    Case("node id", (PARALLEL,), lines(passed=(PARALLEL,))),
    Case("node ids of one file of several", (QUIET, FORGETFUL), lines(passed=(QUIET,), failed=(FORGETFUL,))),
    Case("file", ("scenarios/weather/several.yml",), lines(passed=(QUIET,), failed=(FORGETFUL,))),
    Case("folder", ("scenarios",), lines(passed=(PARALLEL, QUIET), failed=(FORGETFUL,))),
    Case("deselect", ("--deselect", FORGETFUL), lines(passed=(PARALLEL, QUIET, PLAIN))),
    Case("first failure", ("-x", "scenarios"), lines(passed=(PARALLEL,), failed=(FORGETFUL,))),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_ways_to_select(weather: Project, case: Case) -> None:
    result = weather.pytest("-v", "--strict-markers", *case.arguments)
    shown = [line.partition("[")[0].rstrip() for line in result.outlines]
    assert tuple(sorted(line for line in shown if line.endswith((" PASSED", " FAILED")))) == case.lines


def test_collect_only_prints_the_ids(weather: Project) -> None:
    result = weather.pytest("--collect-only", "-q")
    assert result.outlines[:4] == [PARALLEL, FORGETFUL, QUIET, PLAIN]
    assert summary(result) == ""


def test_an_unknown_id_is_an_error(weather: Project) -> None:
    result = weather.pytest("scenarios/weather/parallel.yaml::no such name")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_last_failed_runs_the_failure_alone_and_then_everything(weather: Project) -> None:
    weather.pytest()
    again = weather.pytest("--lf", "-v")
    again.assert_outcomes(failed=1)
    first = weather.pytest("--ff", "-v")
    assert next(line for line in first.outlines if "%]" in line).startswith(f"{FORGETFUL} FAILED")
    weather.write("scenarios/weather/several.yml", f"{scenario('forgets a result (v1.2)')}---\n{scenario('another')}")
    weather.pytest("--lf").assert_outcomes(passed=1)
    weather.pytest("--lf").assert_outcomes(passed=4)


def test_a_broken_file_is_found_again_by_last_failed(project: Project) -> None:
    project.write("scenarios/broken.yaml", f"{SCHEMA}\nversion: 1\nname: [\n")
    project.write("scenarios/good.yaml", scenario("good"))
    project.pytest().assert_outcomes(passed=1, failed=1)
    project.pytest("--lf").assert_outcomes(failed=1)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_totals_are_the_same_with_workers(weather: Project, workers: str) -> None:
    pytest.importorskip("xdist")
    result = weather.pytest("-n", workers, plugins=["xdist.plugin"])
    result.assert_outcomes(passed=3, failed=1)
    assert summary(result) == (
        "toolreplay: 3 scenarios (1 FAIL, 2 PASS), 6 requests checked, 5 tool calls, 2 findings"
    )


def test_each_worker_playing_everything_counts_it_once(weather: Project) -> None:
    pytest.importorskip("xdist")
    result = weather.pytest("--dist", "each", "--tx", "2*popen", "-m", "toolreplay", plugins=["xdist.plugin"])
    result.assert_outcomes(passed=4, failed=2)
    assert summary(result).startswith("toolreplay: 3 scenarios (1 FAIL, 2 PASS), 6 requests checked")
