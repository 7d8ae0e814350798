"""Hypothesis strategies for tests of your own, and a way to play what they draw.

    from hypothesis import given
    from toolreplay.strategies import conversations, play

    @given(case=conversations("scenarios/weather.yaml"))
    def test_my_agent(case):
        play(case, my_loop)

Seeds, profiles, deadlines, the database and `@reproduce_failure` are Hypothesis's own and work as they always do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .errors import LoopError
from .files.project import find_project
from .fuzzer.case import Case
from .fuzzer.conversations import assistant_turns
from .fuzzer.conversations import conversations as _conversations
from .fuzzer.entry import DEADLINE
from .fuzzer.faults import Fault
from .fuzzer.ground import Ground, ground_of
from .fuzzer.outcomes import tool_outcomes
from .fuzzer.playing import Player
from .fuzzer.result import Found, Result
from .fuzzer.warming import bring_in_sdk
from .fuzzer.worker import Worker
from .report.fuzz_text import fuzz_details
from .runner.clients import dummy_credentials
from .runner.loops import Loop, target_of
from .runner.play import load_one
from .runner.router import INTERCEPTOR
from .testing.fuzzing import FuzzFailure

__all__ = [
    "Case",
    "Fault",
    "Found",
    "Result",
    "assistant_turns",
    "conversations",
    "fuzzed",
    "play",
    "tool_outcomes",
]

# Conversations are large and take their time. What else Hypothesis warns of is for the test's author to hear.
_SUPPRESSED: Final = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


def conversations(scenario: str | Path | None = None, *, hostile: bool = False) -> SearchStrategy[Case]:
    """Whole conversations: what the user says, what the model answers, and what each tool does.

    Args:
        scenario: gives tools, prompts and recorded replies; without one there are two small tools.
        hostile: let the model side say what the API never would.
    """
    if scenario is None:
        return _conversations(hostile=hostile)
    # Looked at when the first case is drawn: a decorator runs when the test module is imported.
    return st.deferred(lambda: _conversations(_ground(scenario), hostile=hostile))


def play(case: Case, loop: Loop | str | None, *, strict: bool = False) -> None:
    """Play a conversation with a loop.

    Args:
        strict: answer a broken request with the API's own 400, in place of the next reply.

    Raises:
        FuzzFailure: the loop broke a rule, raised, or did not end.
        LoopError: the loop cannot be found or played, or sent nothing that could be checked.
    """
    with dummy_credentials(), INTERCEPTOR.hold():
        target = target_of(loop, _root(Path.cwd()))
        player = Player(target, strict=strict, deadline=10 * DEADLINE, in_full=True)
        # Most are played in this process, where a debugger reaches them. Those that can hang or spoil it are not, and
        # none is in a thread, which nobody can interrupt.
        apart = case.risky or threading.current_thread() is not threading.main_thread()
        bring_in_sdk(case.wire)
        with Worker(player) as worker:
            played = worker.play(case) if apart else player.here(case)
            if played.hung and apart:  # a child that was born while another thread held a lock waits for it for ever
                played = worker.play(case)
    if played.trouble is not None:
        raise LoopError(played.trouble)
    fault = next((one for one in played.faults if one.is_error and not case.hostile), None)
    if fault is not None:
        result = Result(target, found=(Found(fault, case, rows=played.rows),))
        raise FuzzFailure("\n".join(fuzz_details(result)), result)


def fuzzed(
    scenario: str | Path | None = None, *, hostile: bool = False, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for a test that takes a `case`: `@given`, without limits that conversations would break.

    Args:
        options: Hypothesis's settings, such as `max_examples=50`; else those of the profile that is loaded. Unless
            they are named here there is no deadline and no `Phase.explain`, which plays much and has one value to
            explain. The health checks of size and speed are suppressed.
    """

    def decorate(test: Callable[..., Any]) -> Any:
        loaded = settings()
        named: Collection[HealthCheck] = options.get("suppress_health_check", loaded.suppress_health_check)
        phases = [phase for phase in loaded.phases if phase is not Phase.explain]
        suited = {"deadline": None, "phases": phases, **options, "suppress_health_check": [*{*_SUPPRESSED, *named}]}
        return settings(**suited)(given(case=conversations(scenario, hostile=hostile))(test))

    return decorate


@cache
def _root(folder: Path) -> Path:
    return find_project(folder).root


def _ground(scenario: str | Path) -> Ground:
    project = find_project()
    with dummy_credentials(), INTERCEPTOR.hold():
        return ground_of(load_one(scenario, project), project)
