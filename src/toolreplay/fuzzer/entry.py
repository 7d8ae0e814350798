"""Fuzzing a loop on a scenario."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from toolreplay.contract.catalogue import all_rules
from toolreplay.errors import LoopError, UsageError
from toolreplay.files.project import Project
from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.loops import Loop, Target, target_of
from toolreplay.runner.router import INTERCEPTOR
from toolreplay.scenario.model import Scenario

from .case import Case
from .conversations import conversations
from .document import plain_document
from .engine import fuzz_cases
from .ground import ground_of, plain_ground
from .known import Baseline
from .playing import Player
from .result import Result
from .sweep import sweep

DEADLINE = 2.0  # seconds; a loop that talks to memory needs milliseconds


def fuzz_scenario(
    scenario: Scenario | None,
    project: Project,
    *,
    loop: Loop | str | None = None,
    max_examples: int = 200,
    seed: int | None = None,
    hostile: bool = False,
    strict: bool = False,
    ignored: Collection[str] = (),
    baseline: Baseline | None = None,
    watch: Callable[[int], None] | None = None,
) -> Result:
    """Look for faults of a loop in conversations around a scenario.

    Args:
        scenario: gives tools, prompts and, where it has a cassette or a script, replies; None for two small tools.
        loop: the loop under test; by default the scenario's own, else the reference loop.
        seed: makes the search repeatable, and keeps nothing in Hypothesis's database.
        hostile: let the model side say what the API never would; what follows is a warning.
        strict: answer a broken request with the API's own 400, so that the loop's recovery is tested. By default the
            replies go on as if nothing had happened.
        ignored: codes of rules that stop nothing, beside those that the scenario allows.
        baseline: what is known while several scenarios are fuzzed; by default the project's regressions.
        watch: is told how many examples were played so far.

    Raises:
        ToolreplayError: the loop cannot be found or played, the scenario has nothing to fuzz, or a code is unknown.
    """
    with dummy_credentials(), INTERCEPTOR.hold():
        said = loop or (scenario.loop if scenario is not None else None)
        target = target_of(said, project.root)
        allowed = tuple(entry.rule for entry in scenario.allow) if scenario is not None else ()
        baseline = baseline or Baseline(project)
        ground = ground_of(scenario, project) if scenario is not None else plain_ground()
        player = Player(target, strict=strict, deadline=DEADLINE)
        result = fuzz_cases(
            player,
            conversations(ground, hostile=hostile),
            plain=Case(plain_document(ground)),
            first=sweep(ground),
            max_examples=max_examples,
            seed=seed,
            ignored=(*known_codes(ignored), *allowed),
            baseline=baseline,
            watch=watch,
            key=_key(scenario, target, project.root),
        )
    baseline.tell(result)
    if ground.unrecorded:
        result = replace(result, notes=(f"all replies were made up: {ground.unrecorded}",))
    if not result.checked:
        raise LoopError(f"{target.name} put no tool result on the wire, so nothing was checked; look at what it sends")
    return result


def known_codes(codes: Collection[str]) -> tuple[str, ...]:
    """Codes of rules, in capitals.

    Raises:
        UsageError: there is no such rule.
    """
    found = tuple(code.upper() for code in codes)
    unknown = next((code for code in found if code not in all_rules()), None)
    if unknown is not None:
        raise UsageError(f"no rule {unknown!r} that could be ignored; docs/rules/index.md lists them")
    return found


def _key(scenario: Scenario | None, target: Target, root: Path) -> str:
    """What Hypothesis keeps failing examples under: another project's are of no use here."""
    text = f"{root} {scenario.id if scenario is not None else ''} {target.name}"
    return hashlib.sha256(text.encode()).hexdigest()
