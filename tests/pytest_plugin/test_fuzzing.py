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


def test_a_fault_fails_the_test_is_written_and_told_once(weather: Project) -> None:
    weather.write("scenarios/two.yaml", scenario("two", calls=(OSLO,), loop="agent:forgetful"))
    words = ("--toolreplay-fuzz", "--toolreplay-max-examples=6", "--hypothesis-seed=1", "-k", "fuzz")
    result = weather.run(*words, plugins=["_hypothesis_pytestplugin"])
    text = result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "FAIL scenarios/one.yaml:2: one[fuzz] (agent:forgetful: " in text
    assert text.count("error TR101 unanswered-tool-use (validity)") == 1
    assert "written to scenarios/regressions/" in text
    assert "shown again, as told of a scenario before: TR101" in text
    assert "still broken" not in text
    assert "Traceback" not in text
    assert summary(result).startswith("toolreplay: 2 scenarios (2 FAIL), ")
    assert list((weather.path / "scenarios" / "regressions").glob("*.yaml"))


def test_a_seed_makes_a_search_repeatable(project: Project) -> None:
    project.write("scenarios/one.yaml", scenario("one", calls=(OSLO,), loop="toolreplay.loop:run"))

    def counts(seed: int) -> str:
        words = ("--toolreplay-fuzz", "--toolreplay-max-examples=30", f"--hypothesis-seed={seed}", "-k", "fuzz")
        told = summary(project.run(*words, plugins=["_hypothesis_pytestplugin"]))
        assert told.startswith("toolreplay: 1 scenario (1 PASS), ")
        return told

    first = counts(1)
    assert (counts(1), counts(2) == first) == (first, False)


def test_a_profile_says_how_many_conversations(project: Project) -> None:
    project.write("scenarios/one.yaml", scenario("one", calls=(OSLO,), loop="toolreplay.loop:run"))
    project.write("conftest.py", "from hypothesis import settings\nsettings.register_profile('few', max_examples=3)\n")
    words = ("--toolreplay-fuzz", "--hypothesis-profile=few", "-k", "fuzz")
    told = summary(project.run(*words, plugins=["_hypothesis_pytestplugin"]))
    assert told.startswith("toolreplay: 1 scenario (1 PASS), ")
    assert int(told.partition(" requests checked")[0].rpartition(" ")[2]) < 30


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
