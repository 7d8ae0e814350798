from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulator import ROOT, Simulator
from toolreplay.serve.http import serving

from .projects import Project, failure, summary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ONE_CALL = "scenarios/calls/one_call.yaml"
NO_CALL = "scenarios/calls/no_call.yaml"
CASSETTE = "cassettes/calls/one_call.yaml"


@pytest.fixture
def recording(project: Project) -> Iterator[Project]:
    """A project with two scenarios of this repository, a cassette of one, and a server that answers both."""
    for name in (ONE_CALL, NO_CALL, "cassettes/calls/no_call.yaml"):
        project.write(name, (ROOT / name).read_text(encoding="utf-8"))
    with serving(Simulator(project.path / "scenarios")) as url:
        project.environ(ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="the-simulator-asks-for-none")
        yield project


@pytest.fixture
def quick(recording: Project) -> Project:
    """The same with a loop that needs no SDK, whose import takes longer than everything else."""
    for name in (ONE_CALL, NO_CALL):
        text = (recording.path / name).read_text(encoding="utf-8")
        recording.write(name, f"{text.rstrip()}\nloop: agent:run\n")
    return recording


def cassette(project: Project) -> Path:
    return project.path / CASSETTE


def outgrow(project: Project) -> None:
    """Change the scenario so that its recording is stale."""
    text = (project.path / ONE_CALL).read_text(encoding="utf-8")
    assert "model: claude-sonnet-5-5" in text
    project.write(ONE_CALL, text.replace("model: claude-sonnet-5-5", "model: claude-sonnet-5-6"))


def test_without_a_mode_a_missing_cassette_fails_and_nothing_is_written(quick: Project) -> None:
    result = quick.run()
    result.assert_outcomes(passed=1, failed=1)
    assert not cassette(quick).exists()
    assert failure(result)[1:] == [
        f"{ONE_CALL}:3: it has no cassette {CASSETTE}",
        f"  fix: record it: toolreplay record {ONE_CALL}",
    ]


def test_once_records_what_is_missing_and_nothing_else(recording: Project) -> None:
    other = recording.path / "cassettes/calls/no_call.yaml"
    before = other.read_bytes()
    first = recording.run("--record-mode=once")
    first.assert_outcomes(passed=2)
    assert summary(first).endswith(", 1 cassette recorded")
    assert other.read_bytes() == before
    assert "the-simulator-asks-for-none" not in cassette(recording).read_text(encoding="utf-8")
    recorded = cassette(recording).read_bytes()
    again = recording.run("--record-mode=once")
    again.assert_outcomes(passed=2)
    assert "recorded" not in summary(again)
    recording.environ(ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    recording.run().assert_outcomes(passed=2)
    assert cassette(recording).read_bytes() == recorded


def test_workers_record_each_cassette_once(quick: Project) -> None:
    pytest.importorskip("xdist")
    (quick.path / "cassettes/calls/no_call.yaml").unlink()
    result = quick.run("--record-mode=once", "-n", "2", plugins=["xdist.plugin"])
    result.assert_outcomes(passed=2)
    assert summary(result).endswith(", 2 cassettes recorded")
    assert cassette(quick).exists()


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_all_and_rewrite_record_everything_again(quick: Project, mode: str) -> None:
    quick.run("--record-mode=once")
    recorded = cassette(quick).read_text(encoding="utf-8")
    cassette(quick).write_text(recorded.replace("recorded_at: ", "recorded_at: 2001 "), encoding="utf-8")
    result = quick.run(f"--record-mode={mode}")
    result.assert_outcomes(passed=2)
    assert summary(result).endswith(", 2 cassettes recorded")
    assert "2001 " not in cassette(quick).read_text(encoding="utf-8")


def test_a_failed_recording_leaves_the_cassette_as_it_was(quick: Project) -> None:
    quick.run("--record-mode=once")
    before = cassette(quick).read_bytes()
    quick.environ(ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    result = quick.run("--record-mode=all", ONE_CALL)
    result.assert_outcomes(failed=1)
    assert len(failure(result)) <= 25
    assert cassette(quick).read_bytes() == before


def test_a_stale_recording(quick: Project) -> None:
    quick.run("--record-mode=once")
    outgrow(quick)
    stale = f"{ONE_CALL}:3: model changed since {CASSETTE} was recorded"

    fails = quick.run()
    fails.assert_outcomes(passed=1, failed=1)
    assert failure(fails)[0].startswith(f"STALE {ONE_CALL}:3: ")
    assert failure(fails)[1:] == [stale, f"  fix: record again: toolreplay record {ONE_CALL}"]
    assert summary(fails).startswith("toolreplay: 2 scenarios (1 PASS, 1 STALE), 1 request checked")

    once = quick.run("--record-mode=once")  # vcrpy's `once` never touches a cassette that is there
    once.assert_outcomes(passed=1, failed=1)

    warned = quick.run("--toolreplay-stale=warn", "-W", "error")  # with `filterwarnings = error` besides
    warned.assert_outcomes(passed=2, warnings=1)
    assert warned.ret == pytest.ExitCode.OK
    warned.stdout.fnmatch_lines([f"*StaleWarning: STALE {ONE_CALL}:3: *", f"*{stale}"])
    assert summary(warned).startswith("toolreplay: 2 scenarios (1 PASS, 1 STALE), 1 request checked")

    renewed = quick.run("--record-mode=new_episodes")
    renewed.assert_outcomes(passed=2)
    assert summary(renewed).endswith(", 1 cassette recorded")
    quick.run().assert_outcomes(passed=2)


def test_stale_warnings_of_workers_reach_the_controller(quick: Project) -> None:
    pytest.importorskip("xdist")
    quick.run("--record-mode=once")
    outgrow(quick)
    result = quick.run("--toolreplay-stale=warn", "-n", "2", plugins=["xdist.plugin"])
    result.assert_outcomes(passed=2, warnings=1)
