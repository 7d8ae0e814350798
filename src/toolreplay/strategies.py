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
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from .errors import FuzzFailure
from .files.project import find_project
from .fuzzer.case import Case
from .fuzzer.conversations import assistant_turns
from .fuzzer.conversations import conversations as _conversations
from .fuzzer.engine import Found, Result
from .fuzzer.entry import DEADLINE
from .fuzzer.ground import Ground, ground_of
from .fuzzer.outcomes import tool_outcomes
from .fuzzer.playing import Player
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
    return _conversations(_ground(str(scenario)) if scenario is not None else None, hostile=hostile)


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
        played = Player(target, strict=strict, deadline=10 * DEADLINE, in_full=True).play(case)
    fault = next((one for one in played.faults if one.is_error and not case.hostile), None)
    if fault is not None:
        result = Result(found=(Found(fault, case, played.rows),), target=target)
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


@cache
def _ground(scenario: str) -> Ground:
    """The scenario's recording is played once to see which reply is whose; that is enough for a process."""
    project = find_project()
    with dummy_credentials(), INTERCEPTOR.hold():
        return ground_of(load_one(scenario, project), project)
