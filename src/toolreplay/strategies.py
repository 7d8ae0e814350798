"""Hypothesis strategies for tests of your own, and a way to play what they draw.

    from hypothesis import given
    from toolreplay.strategies import conversations, play

    @given(case=conversations("scenarios/weather.yaml"))
    def test_my_agent(case):
        play(case, my_loop)

Seeds, profiles, deadlines, the database and `@reproduce_failure` are Hypothesis's own and work as they always do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .errors import FuzzFailure
from .files.project import find_project
from .fuzzer.case import Case
from .fuzzer.conversations import assistant_turns
from .fuzzer.conversations import conversations as _conversations
from .fuzzer.entry import DEADLINE
from .fuzzer.ground import Ground, ground_of
from .fuzzer.outcomes import tool_outcomes
from .fuzzer.playing import Player
from .fuzzer.result import Found, Result
from .fuzzer.worker import Worker
from .report.fuzz_text import fuzz_details
from .runner.clients import dummy_credentials
from .runner.loops import Loop, target_of
from .runner.play import load_one
from .runner.router import INTERCEPTOR

__all__ = ["Case", "assistant_turns", "conversations", "fuzzed", "play", "tool_outcomes"]


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
        ToolreplayError: the loop cannot be found or played.
    """
    with dummy_credentials(), INTERCEPTOR.hold():
        target = target_of(loop, find_project().root)
        player = Player(target, strict=strict, deadline=10 * DEADLINE, in_full=True)
        # Most are played in this process, where a debugger reaches them; those that can hang or spoil it are not.
        with Worker(player) as worker:
            played = worker.play(case) if case.risky else player.here(case)
    fault = next((one for one in played.faults if one.is_error and not case.hostile), None)
    if fault is not None:
        result = Result(target, found=(Found(fault, case, rows=played.rows),))
        raise FuzzFailure("\n".join(fuzz_details(result)), result)


def fuzzed(
    scenario: str | Path | None = None, *, hostile: bool = False, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for a test that takes a `case`: `@given`, without limits that conversations would break.

    Args:
        options: Hypothesis's settings, such as `max_examples=50`.
    """

    def decorate(test: Callable[..., Any]) -> Any:
        suited = {"deadline": None, "suppress_health_check": list(HealthCheck), **options}
        return settings(**suited)(given(case=conversations(scenario, hostile=hostile))(test))

    return decorate


def _ground(scenario: str | Path) -> Ground:
    project = find_project()
    with dummy_credentials(), INTERCEPTOR.hold():
        return ground_of(load_one(scenario, project), project)
