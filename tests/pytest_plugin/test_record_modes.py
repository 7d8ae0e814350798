"""`--record-mode` and `--toolreplay-stale` for the fixture, and for scenarios whose loop has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from tests.simulator import ROOT, Simulator
from toolreplay.serve.http import serving

from .projects import Project, summary

ONE_CALL: Final = "scenarios/calls/one_call.yaml"
CASSETTE: Final = "cassettes/calls/one_call.yaml"
NOBODY: Final = "http://127.0.0.1:9"
TEST: Final = """\
import agent


def test_agent(toolreplay):
    with toolreplay.session("calls/one_call") as s:
        agent.run(s.model, s.max_tokens, s.tools, s.messages, s.functions)
"""
PLAYING: Final = """\
import agent


def test_agent(toolreplay):
    assert toolreplay.play("calls/one_call", loop="agent:run").outcome == "PASS"
"""


@pytest.fixture
def tested(project: Project) -> Iterator[Project]:
    """A project with a scenario of this repository, a test that plays it, and a server that answers."""
    project.write(ONE_CALL, (ROOT / ONE_CALL).read_text(encoding="utf-8"))
    project.write("test_agent.py", TEST)
    with serving(Simulator(project.path / "scenarios")) as url:
        project.environ(ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="the-simulator-asks-for-none")
        yield project


def _change(project: Project, name: str, old: str, new: str) -> None:
    text = (project.path / name).read_text(encoding="utf-8")
    assert old in text
    project.write(name, text.replace(old, new))


def _outgrow(project: Project) -> None:
    """Change what no request of this agent holds, so that the recording is stale and still has all the replies."""
    _change(project, ONE_CALL, "\nsystem: ", "\nsystem: Be brief. ")


@pytest.mark.parametrize("test", [TEST, PLAYING], ids=["session", "play"])
def test_the_fixture_records_what_is_missing(tested: Project, test: str) -> None:
    tested.write("test_agent.py", test)
    missing = tested.run("test_agent.py")
    missing.assert_outcomes(failed=1)
    assert not (tested.path / "cassettes").exists()
    recorded = tested.run("test_agent.py", "--record-mode=once")
    recorded.assert_outcomes(passed=1)
    assert summary(recorded) == (
        "toolreplay: 1 scenario (1 PASS), 2 requests checked, 1 tool call, 0 findings, 1 cassette recorded"
    )
    assert "the-simulator-asks-for-none" not in "".join(
        path.read_text(encoding="utf-8") for path in (tested.path / "cassettes").rglob("*.yaml")
    )
    tested.environ(ANTHROPIC_BASE_URL=NOBODY)
    played = tested.run("test_agent.py")
    played.assert_outcomes(passed=1)
    assert summary(played) == "toolreplay: 1 scenario (1 PASS), 2 requests checked, 1 tool call, 0 findings"


def test_a_test_that_fails_leaves_the_cassette_as_it_was(tested: Project) -> None:
    tested.run("test_agent.py", "--record-mode=once").assert_outcomes(passed=1)
    before = (tested.path / CASSETTE).read_bytes()
    tested.write("test_agent.py", f"{TEST}        assert False\n")
    tested.run("test_agent.py", "--record-mode=all").assert_outcomes(failed=1)
    assert (tested.path / CASSETTE).read_bytes() == before


def test_a_session_with_a_stale_recording(tested: Project) -> None:
    tested.run("test_agent.py", "--record-mode=once").assert_outcomes(passed=1)
    _outgrow(tested)
    stale = f"{ONE_CALL}:3: system changed since {CASSETTE} was recorded"
    fails = tested.run("test_agent.py")
    fails.assert_outcomes(failed=1)
    fails.stdout.fnmatch_lines([f"*RunFailed: STALE {ONE_CALL}*", f"*{stale}"])
    warned = tested.run("test_agent.py", "--toolreplay-stale=warn", "-W", "error")  # and it is played on
    warned.assert_outcomes(passed=1, warnings=1)
    warned.stdout.fnmatch_lines([f"*StaleWarning: STALE {stale}"])
    assert summary(warned).startswith("toolreplay: 1 scenario (1 PASS), 2 requests checked")
    renewed = tested.run("test_agent.py", "--record-mode=new_episodes")
    renewed.assert_outcomes(passed=1)
    assert summary(renewed).endswith(", 1 cassette recorded")
    tested.run("test_agent.py").assert_outcomes(passed=1)


@pytest.mark.parametrize("mode", ["once", "new_episodes"])
def test_a_scenario_whose_loop_asks_for_what_was_not_recorded(tested: Project, mode: str) -> None:
    tested.write(ONE_CALL, f"{(tested.path / ONE_CALL).read_text(encoding='utf-8').rstrip()}\nloop: agent:run\n")
    tested.run(ONE_CALL, "--record-mode=once").assert_outcomes(passed=1)
    before = (tested.path / CASSETTE).read_bytes()
    _change(tested, "agent.py", '"max_tokens": max_tokens', '"max_tokens": max_tokens + 1')
    result = tested.run(ONE_CALL, f"--record-mode={mode}")
    if mode == "once":
        result.assert_outcomes(failed=1)
        assert (tested.path / CASSETTE).read_bytes() == before
        return
    result.assert_outcomes(passed=1)
    assert summary(result).endswith(", 1 cassette recorded")
    tested.environ(ANTHROPIC_BASE_URL=NOBODY)
    tested.run(ONE_CALL).assert_outcomes(passed=1)
