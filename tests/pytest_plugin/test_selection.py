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
    chosen: tuple[str, ...]


CASES = (
    Case("everything", (), (PARALLEL, FORGETFUL, QUIET, PLAIN)),
    Case("keyword", ("-k", "parallel and unknown"), (PARALLEL,)),
    Case("keyword of a file", ("-k", "several and not forgets"), (QUIET,)),
    Case("marker", ("-m", "toolreplay"), (PARALLEL, FORGETFUL, QUIET)),
    Case("not the marker", ("-m", "not toolreplay"), (PLAIN,)),
    Case("node id", (PARALLEL,), (PARALLEL,)),
    Case("node ids of one file of several", (QUIET, FORGETFUL), (QUIET, FORGETFUL)),
    Case("file", ("scenarios/weather/several.yml",), (FORGETFUL, QUIET)),
    Case("folder", ("scenarios",), (PARALLEL, FORGETFUL, QUIET)),
    Case("deselect", ("--deselect", FORGETFUL), (PARALLEL, QUIET, PLAIN)),
    Case("an unknown name", ("scenarios/weather/parallel.yaml::no such name",), ()),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_ways_to_select(weather: Project, case: Case) -> None:
    result = weather.run("--collect-only", "-q", "--strict-markers", *case.arguments)
    assert tuple(line for line in result.outlines if "::" in line) == case.chosen
    assert result.ret == (pytest.ExitCode.OK if case.chosen else pytest.ExitCode.USAGE_ERROR)
    assert summary(result) == ""


def test_ids_and_outcomes_of_a_verbose_run(weather: Project) -> None:
    result = weather.run("-v")
    shown = [line.partition("[")[0].rstrip() for line in result.outlines if "%]" in line]
    assert shown == [f"{PARALLEL} PASSED", f"{FORGETFUL} FAILED", f"{QUIET} PASSED", f"{PLAIN} PASSED"]


def test_stopping_at_the_first_failure(weather: Project) -> None:
    weather.run("-x").assert_outcomes(passed=1, failed=1)


def test_last_failed_runs_the_failure_alone_and_then_everything(weather: Project) -> None:
    weather.run()
    again = weather.run("--lf", "-v")
    again.assert_outcomes(failed=1)
    first = weather.run("--ff", "-v")
    assert next(line for line in first.outlines if "%]" in line).startswith(f"{FORGETFUL} FAILED")
    weather.write("scenarios/weather/several.yml", f"{scenario('forgets a result (v1.2)')}---\n{scenario('another')}")
    weather.run("--lf").assert_outcomes(passed=1)
    weather.run("--lf").assert_outcomes(passed=4)


def test_a_broken_file_is_found_again_by_last_failed(project: Project) -> None:
    project.write("scenarios/broken.yaml", f"{SCHEMA}\nversion: 1\nname: [\n")
    project.write("scenarios/good.yaml", scenario("good"))
    project.run().assert_outcomes(passed=1, failed=1)
    project.run("--lf").assert_outcomes(failed=1)


def test_totals_are_the_same_with_workers(weather: Project) -> None:
    pytest.importorskip("xdist")
    alone, together = (weather.run("-n", workers, plugins=["xdist.plugin"]) for workers in ("0", "2"))
    for result in (alone, together):
        result.assert_outcomes(passed=3, failed=1)
    totals = "toolreplay: 3 scenarios (1 FAIL, 2 PASS), 6 requests checked, 5 tool calls, "
    assert summary(together) == summary(alone)
    assert summary(alone).startswith(totals)


def test_each_worker_playing_everything_counts_it_once(weather: Project) -> None:
    pytest.importorskip("xdist")
    result = weather.run("--dist", "each", "--tx", "2*popen", "-m", "toolreplay", plugins=["xdist.plugin"])
    result.assert_outcomes(passed=4, failed=2)
    assert summary(result).startswith("toolreplay: 3 scenarios (1 FAIL, 2 PASS), 6 requests checked")
