from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase

import toolreplay
from tests.projects import asks, names, place, says, weather
from toolreplay import strategies
from toolreplay.errors import LoopError, UsageError
from toolreplay.fuzzer.conversations import conversations
from toolreplay.fuzzer.engine import fuzz_cases
from toolreplay.fuzzer.playing import Player
from toolreplay.fuzzer.profile import examples_of
from toolreplay.loop import run as reference
from toolreplay.runner.loops import Target


def _answers_the_first(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> list[Any]:
    while True:
        reply = client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)
        if reply.stop_reason != "tool_use":
            return messages
        call = next(block for block in reply.content if block.type == "tool_use")
        messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "done", "is_error": True}
        messages.append({"role": "user", "content": [result]})


def _scenario(root: Path) -> Path:
    place(root).scenario(weather(script=[asks("Oslo"), says()]))
    return root / "scenarios" / "weather.yaml"


def test_a_failure_tells_what_the_command_tells(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    with pytest.raises(toolreplay.FuzzFailure) as caught:
        toolreplay.fuzz(_answers_the_first, path, seed=1, max_examples=30, root=tmp_path, write=False)
    (found,) = caught.value.result.found
    assert (found.fault.code, found.fault.layer) == ("TR101", "validity")
    assert "error TR101 unanswered-tool-use (validity)" in str(caught.value)
    replies = [reply for step in found.case.document["conversation"] for reply in step["script"]]
    calls = [block for reply in replies for block in reply["content"]]
    assert [block["type"] for block in calls] == ["tool_use", "tool_use"]
    assert names(tmp_path / "scenarios") == ["weather.yaml"]


def test_what_was_found_is_written_and_passes_with_a_good_loop(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    with pytest.raises(toolreplay.FuzzFailure):
        toolreplay.fuzz(_answers_the_first, path, seed=1, max_examples=30, root=tmp_path)
    (name,) = names(tmp_path / "scenarios" / "regressions")
    file = tmp_path / "scenarios" / "regressions" / name
    run = toolreplay.play(file, loop=_answers_the_first, root=tmp_path)
    assert [found.code for found in run.findings if found.finding.is_error] == ["TR101"]
    assert toolreplay.play(file, loop="toolreplay.loop:run", root=tmp_path).outcome is toolreplay.Outcome.PASS


def test_a_good_loop_and_what_was_played(tmp_path: Path) -> None:
    result = toolreplay.fuzz(None, _scenario(tmp_path), seed=1, max_examples=20, root=tmp_path)
    assert (result.failed, result.checked, result.examples >= 20) == (False, True, True)
    assert result.requests > result.examples


def test_ignored_rules_stop_nothing_and_must_exist(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    ignore = ("TR101",)
    result = toolreplay.fuzz(_answers_the_first, path, seed=1, max_examples=40, root=tmp_path, ignore=ignore)
    assert result.known == {"TR101"}
    with pytest.raises(toolreplay.ToolreplayError, match="no rule 'TR000'"):
        toolreplay.fuzz(None, path, root=tmp_path, ignore=("TR000",))


def test_strategies_with_a_loop_of_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_scenario(tmp_path).parent.parent)

    def breaks(case: strategies.Case) -> bool:
        try:
            strategies.play(case, _answers_the_first)
        except toolreplay.FuzzFailure:
            return True
        return False

    smallest = find(
        strategies.conversations("scenarios/weather.yaml"), breaks, settings=settings(max_examples=30, database=None)
    )
    with pytest.raises(toolreplay.FuzzFailure, match="TR101 unanswered-tool-use"):
        strategies.play(smallest, _answers_the_first)
    strategies.play(smallest, "toolreplay.loop:run")


def test_a_strategy_of_a_scenario_that_is_not_there_is_told_when_it_draws(tmp_path: Path) -> None:
    missing = strategies.conversations(tmp_path / "nowhere.yaml")
    with pytest.raises(toolreplay.ToolreplayError, match="no such file or folder|cannot be read"):
        find(missing, lambda _: True)


def test_the_decorator_takes_settings_of_hypothesis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_scenario(tmp_path).parent.parent)
    seen: list[strategies.Case] = []

    @strategies.fuzzed("scenarios/weather.yaml", max_examples=3, database=None)
    def drawn(case: strategies.Case) -> None:
        seen.append(case)

    drawn()
    assert 1 <= len(seen) <= 3


def test_a_loop_that_sends_nothing_is_no_good_loop() -> None:
    @strategies.fuzzed(max_examples=1, database=None, phases=[Phase.generate])
    def plays(case: strategies.Case) -> None:
        strategies.play(case, lambda client: None)

    with pytest.raises(LoopError, match="^the loop sent no request that toolreplay could see, so nothing was checked"):
        plays()


def test_a_loop_that_asks_for_what_is_not_offered_is_no_good_loop() -> None:
    def misspelt(client: Any, modle: str) -> None:
        pytest.fail("it cannot be called")

    @strategies.fuzzed(max_examples=1, database=None, phases=[Phase.generate])
    def plays(case: strategies.Case) -> None:
        strategies.play(case, misspelt)

    with pytest.raises(LoopError, match="asks for 'modle', which is not offered; did you mean 'model'"):
        plays()


def test_a_timer_of_somebody_else_goes_on(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    rings: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rings.append(number))
    signal.setitimer(signal.ITIMER_REAL, 500.0, 7.0)
    try:
        toolreplay.fuzz(None, path, seed=1, max_examples=3, root=tmp_path, write=False)
        left, every = signal.getitimer(signal.ITIMER_REAL)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (400 < left < 500, every, rings) == (True, 7.0, [])


@contextmanager
def _loaded(**values: Any) -> Iterator[None]:
    """Load a profile of Hypothesis, and load afterwards what was loaded before."""
    settings.register_profile("before", settings.default)
    settings.register_profile("here", settings.get_profile("default"), **values)
    settings.load_profile("here")
    try:
        yield
    finally:
        settings.load_profile("before")


@pytest.fixture
def kept() -> Iterator[InMemoryExampleDatabase]:
    database = InMemoryExampleDatabase()
    with _loaded(database=database):
        yield database


@dataclass(frozen=True)
class Number:
    """How many conversations are played where `said` is said, and a profile with some values is loaded."""

    said: int | None
    profile: dict[str, Any]
    played: int


@pytest.mark.parametrize(
    "number",
    [
        Number(said=None, profile={}, played=200),
        Number(said=None, profile={"deadline": None, "database": None}, played=200),
        Number(said=7, profile={}, played=7),
        Number(said=None, profile={"max_examples": 5}, played=5),
        Number(said=None, profile={"max_examples": 1000}, played=1000),
        Number(said=7, profile={"max_examples": 5}, played=7),
        Number(said=100, profile={"max_examples": 5}, played=100),
    ],
    ids=repr,
)
def test_how_many_are_played(number: Number) -> None:
    with _loaded(**number.profile):
        assert examples_of(number.said) == number.played


def test_how_many_are_played_within_another_test_is_not_how_often_that_one_runs() -> None:
    seen: set[int] = set()

    @settings(max_examples=2, database=None)
    @given(st.none())
    def outer(nothing: None) -> None:
        seen.add(examples_of(None))

    outer()
    assert seen == {200}


def test_a_loaded_profile_says_how_many(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    with _loaded(max_examples=5, database=None):
        assert toolreplay.fuzz(None, path, root=tmp_path).examples == 5


def test_a_number_that_plays_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="^max_examples=0 plays nothing; give 1 or more$"):
        toolreplay.fuzz(None, _scenario(tmp_path), max_examples=0, root=tmp_path)


def test_phases_are_those_of_the_profile_and_the_costly_one_must_be_named() -> None:
    def phases(**options: Any) -> list[Phase]:
        test = strategies.fuzzed(**options)(lambda case: None)
        return list(test._hypothesis_internal_use_settings.phases)

    assert phases() == [phase for phase in Phase if phase is not Phase.explain]
    assert phases(phases=list(Phase)) == list(Phase)
    with _loaded(phases=[Phase.generate, Phase.explain]):
        assert phases() == [Phase.generate]


def test_what_the_user_suppresses_is_suppressed_beside_what_conversations_need() -> None:
    def suppressed(**options: Any) -> set[HealthCheck]:
        test = strategies.fuzzed(**options)(lambda case: None)
        return set(test._hypothesis_internal_use_settings.suppress_health_check)

    needed = {HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example}
    assert suppressed() == needed
    assert suppressed(suppress_health_check=[HealthCheck.nested_given]) == {*needed, HealthCheck.nested_given}
    with _loaded(suppress_health_check=[HealthCheck.function_scoped_fixture]):
        assert suppressed() == {*needed, HealthCheck.function_scoped_fixture}


def test_failing_examples_of_two_loops_are_kept_apart(kept: InMemoryExampleDatabase) -> None:
    player = Player(Target("a loop", _answers_the_first))
    counts = []
    for key in ("first", "second"):
        fuzz_cases(player, conversations(), max_examples=30, key=key)
        counts.append(len(kept.data))
    assert counts[1] == 2 * counts[0] > 0


def test_with_a_seed_nothing_is_kept(kept: InMemoryExampleDatabase) -> None:
    player = Player(Target("a loop", _answers_the_first))
    fuzz_cases(player, conversations(), max_examples=30, seed=1)
    assert not kept.data


def test_within_another_hypothesis_test(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    seen: list[int] = []

    @settings(max_examples=2, deadline=None, database=None)
    @given(st.integers())
    def outer(number: int) -> None:
        seen.append(toolreplay.fuzz(None, path, seed=1, max_examples=2, root=tmp_path).examples)

    outer()
    assert seen[0] >= 2


def _starts_a_process(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> list[Any]:
    child = multiprocessing.get_context("fork").Process(target=print, args=("",))
    child.start()
    child.join()
    result: list[Any] = reference(client, model=model, messages=messages, tools=tools, functions=functions)
    return result


def test_a_loop_that_starts_processes_is_not_accused(tmp_path: Path) -> None:
    result = toolreplay.fuzz(_starts_a_process, _scenario(tmp_path), seed=1, max_examples=3, root=tmp_path, write=False)
    assert not result.failed


def _never_ends(client: Any, model: str, messages: list[Any]) -> None:
    client.messages.create(model=model, max_tokens=100, messages=messages)
    time.sleep(600)


def test_a_test_in_a_thread() -> None:
    seen: list[strategies.Case] = []

    @strategies.fuzzed(max_examples=5, database=None)
    def good(case: strategies.Case) -> None:
        seen.append(case)
        strategies.play(case, "toolreplay.loop:run")

    with ThreadPoolExecutor(1) as pool:
        pool.submit(good).result()
    assert len(seen) == 5


def test_a_loop_that_does_not_end_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategies, "DEADLINE", 0.05)

    @strategies.fuzzed(max_examples=1, database=None, phases=[Phase.generate])
    def endless(case: strategies.Case) -> None:
        strategies.play(case, _never_ends)

    with ThreadPoolExecutor(1) as pool, pytest.raises(toolreplay.FuzzFailure, match="TR611 loop-endless"):
        pool.submit(endless).result()


def test_in_a_thread(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(toolreplay.fuzz, None, path, seed=1, max_examples=3, root=tmp_path).result()
    assert result.examples >= 3


def test_what_somebody_changed_stays(tmp_path: Path) -> None:
    path = _scenario(tmp_path)
    folder = tmp_path / "scenarios" / "regressions"
    with pytest.raises(toolreplay.FuzzFailure):
        toolreplay.fuzz(_answers_the_first, path, seed=1, max_examples=30, root=tmp_path)
    (name,) = names(folder)
    (folder / name).write_text("version: [")
    with pytest.raises(toolreplay.FuzzFailure, match=f"{name.removesuffix('.yaml')}-2.yaml"):
        toolreplay.fuzz(_answers_the_first, path, seed=1, max_examples=30, root=tmp_path)
    assert (folder / name).read_text() == "version: ["


IN_THREADS = """
from concurrent.futures import ThreadPoolExecutor
from toolreplay import strategies

def test():
    @strategies.fuzzed(max_examples=5, database=None)
    def good(case):
        strategies.play(case, "toolreplay.loop:run")
    return good

with ThreadPoolExecutor(3) as pool:
    for done in [pool.submit(test()) for _ in range(3)]:
        done.result()
"""


def test_threads_of_a_process_without_the_sdk_do_not_hang_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_THREADS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
