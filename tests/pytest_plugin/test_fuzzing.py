from __future__ import annotations

import pytest

from .projects import OSLO, Project, scenario, summary

FUZZED = "scenarios/one.yaml::one[fuzz]"


@pytest.fixture
def weather(project: Project) -> Project:
    project.write("scenarios/one.yaml", scenario("one", calls=(OSLO,), loop="agent:forgetful"))
    return project


def test_each_scenario_gets_a_second_test_which_no_option_brings(weather: Project) -> None:
    weather.write("scenarios/regressions/old.yaml", scenario("old"))
    ids = ["scenarios/one.yaml::one", "scenarios/regressions/old.yaml::old"]
    result = weather.run("--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ids
    result = weather.run("--collect-only", "-q", "--toolreplay-fuzz")
    assert [line for line in result.outlines if "::" in line] == [ids[0], FUZZED, ids[1]]


def test_a_fault_fails_the_test_and_is_written(weather: Project) -> None:
    words = ("--toolreplay-fuzz", "--toolreplay-max-examples=15", "--hypothesis-seed=1", "-k", "fuzz")
    result = weather.run(*words, plugins=["_hypothesis_pytestplugin"])
    text = result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "error TR101 unanswered-tool-use (validity)" in text
    assert "written to scenarios/regressions/" in text
    assert "Traceback" not in text
    assert summary(result).startswith("toolreplay: 1 scenario (1 FAIL), ")
    assert list((weather.path / "scenarios" / "regressions").glob("*.yaml"))


def test_workers_of_xdist_fuzz_too(project: Project) -> None:
    for name in ("a", "b"):
        project.write(f"scenarios/{name}.yaml", scenario(name, calls=(OSLO,), loop="toolreplay.loop:run"))
    words = ("--toolreplay-fuzz", "--toolreplay-max-examples=4", "-n", "2", "-k", "fuzz")
    result = project.run(*words, plugins=["xdist.plugin"])
    assert "INTERNALERROR" not in result.stdout.str()
    assert summary(result).startswith("toolreplay: 2 scenarios (2 PASS)")


def test_a_number_that_plays_nothing(weather: Project) -> None:
    result = weather.run("--toolreplay-max-examples=0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--toolreplay-max-examples 0 plays nothing; give 1 or more" in result.stderr.str()
