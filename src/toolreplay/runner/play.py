"""Playing a scenario: the parts put together."""

from __future__ import annotations

import time
import traceback
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from toolreplay.errors import ScenarioError, ToolreplayError
from toolreplay.files.project import Project, find_project
from toolreplay.scenario.load import load_file, select
from toolreplay.scenario.model import Scenario

from .cast import Cast
from .clients import NotServed, dummy_credentials, end_of_life
from .loops import Loop, Target, target_of
from .prompts import Prompts
from .replay import replay_side
from .router import GUARD, INTERCEPTOR, ROUTER
from .run import Failure, Outcome, Run
from .session import Session
from .sides import ModelSide
from .toolbox import Toolbox
from .verdict import verdict
from .watch import Watch


def play(path: str | Path, *, loop: Loop | str | None = None, root: Path | None = None) -> Run:
    """Play one scenario against its cassette or script.

    Args:
        path: the scenario file; `file.yaml::name` for one of several in a file.
        loop: the loop under test, a function or `package.module:function`; the reference loop by default.
        root: the project's root; by default the one around the current folder.

    Returns:
        The run; a broken contract or an unmet expectation is in it, not raised.

    Raises:
        ScenarioError: the file is broken, or it does not say which scenario is meant.
    """
    project = find_project(root)
    return play_scenario(load_one(path, project), project, loop=loop)


def load_one(path: str | Path, project: Project) -> Scenario:
    """The scenario that a path names: a file, `file.yaml::name`, or a path below the scenarios folder without suffix.

    Raises:
        ScenarioError: the file is broken, or it does not say which scenario is meant.
    """
    file, _, name = str(path).partition("::")
    scenarios = load_file(_file(file, project), project.root)
    if name:
        return select(scenarios, str(path))
    if len(scenarios) != 1:
        raise ScenarioError(f"{file}: it holds {len(scenarios)} scenarios; name one: {file}::{scenarios[0].name}")
    return scenarios[0]


def play_scenario(scenario: Scenario, project: Project, *, loop: Loop | str | None = None) -> Run:
    """Play a loaded scenario. What is wrong with the harness or its files is in the run, as an ERROR."""
    started = time.perf_counter()
    where = f"{scenario.path}:{scenario.line}"
    try:
        with dummy_credentials():
            said = "--loop" if loop is not None else f"{scenario.path}:{scenario.line_of('loop')}: loop:"
            target = target_of(loop or scenario.loop, project.root, said)
            cast = Cast(scenario)
            side = replay_side(scenario, project, target.name, cast)
            if isinstance(side, Failure):
                return Run(scenario.id, side.outcome, failures=(side,))
            run = play_with(scenario, target, side, cast=cast, hosts=project.allow_hosts)
    except ToolreplayError as error:
        outcome = Outcome.SKIP if isinstance(error, NotServed) else Outcome.ERROR
        run = Run(scenario.id, outcome, failures=(Failure(outcome, where, str(error)),))
    except Exception as error:  # noqa: BLE001  (a fault of ours must not end the run of the other scenarios)
        run = Run(scenario.id, Outcome.ERROR, failures=(_fault_of_ours(error, where),))
    return replace(run, notes=notes(scenario), seconds=time.perf_counter() - started)


def notes(scenario: Scenario) -> tuple[str, ...]:
    """What is worth knowing about a scenario that was played, a line each: that its model's days are numbered."""
    end = end_of_life(scenario.model)
    place = f"{scenario.path}:{scenario.line_of('model')}"
    return (f"{place}: model {scenario.model} is deprecated and ends on {end}; name another",) if end else ()


def play_with(
    scenario: Scenario,
    target: Target,
    side: ModelSide,
    *,
    base_url: str | None = None,
    cast: Cast | None = None,
    strict: bool = True,
    hosts: Collection[str] = (),
) -> Run:
    """Play a scenario with any model side.

    Args:
        base_url: where clients send their requests; only the live side lets them out.
        strict, hosts: see `Session`.
    """
    session = open_session(scenario, side, cast or Cast(scenario), strict=strict, hosts=hosts)
    toolbox = Toolbox(scenario, session.calls)
    prompts = Prompts(scenario, target, session, toolbox, base_url)
    with INTERCEPTOR.hold(), GUARD.hold(), ROUTER.opened(session), Watch(scenario.time_limit).keep():
        prompts.play()
    return verdict(scenario, session, toolbox, prompts.ending, side)


def _fault_of_ours(error: Exception, where: str) -> Failure:
    last = traceback.extract_tb(error.__traceback__)[-1]
    what = " ".join(f"{type(error).__name__}: {error}".split())
    place = f"{Path(last.filename).name}:{last.lineno}"
    return Failure(Outcome.ERROR, where, f"toolreplay itself failed: {what} ({place})", "please report this line")


def open_session(
    scenario: Scenario, side: ModelSide, cast: Cast, *, strict: bool = True, hosts: Collection[str] = ()
) -> Session:
    """The session of a scenario's run."""
    allowed = frozenset(entry.rule for entry in scenario.allow)
    limit = scenario.max_turns
    return Session(scenario.id, side, strict=strict, max_turns=limit, allowed=allowed, cast=cast, hosts=hosts)


def _file(name: str, project: Project) -> Path:
    path = Path(name).absolute()
    if path.suffix in (".yaml", ".yml") or path.exists():
        return path
    candidates = [folder / f"{name}{suffix}" for folder in project.scenarios for suffix in (".yaml", ".yml")]
    return next((candidate for candidate in candidates if candidate.exists()), path.with_suffix(".yaml"))
