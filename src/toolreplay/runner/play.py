"""Playing a scenario: the parts put together, and the verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..cassette.exchange import Cassette
from ..cassette.playback import Match, Playback
from ..cassette.store import read_cassette
from ..contract.facts import RunFacts
from ..errors import ScenarioError, ToolreplayError
from ..files.project import Project, find_project
from ..scenario.digests import digests
from ..scenario.load import load_file, select
from ..scenario.paths import cassette_path
from ..scenario.model import Scenario
from .cast import Cast
from .clients import ExtraMissing, dummy_credentials
from .expectations import check_expectations
from .facts import call_facts, judge_run, public_calls
from .loops import Loop, Target, target_of
from .prompts import Prompts
from .router import INTERCEPTOR, ROUTER
from .run import Failure, Outcome, Run, RunFinding, outcome_of
from .script import ScriptSide
from .session import Session
from .sides import CassetteSide, ModelSide
from .toolbox import Toolbox


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
    file, _, name = str(path).partition("::")
    scenarios = load_file(Path(file).absolute(), project.root)
    if name:
        scenarios = (select(scenarios, str(path)),)
    if len(scenarios) != 1:
        raise ScenarioError(f"{file}: it holds {len(scenarios)} scenarios; name one: {file}::{scenarios[0].name}")
    return play_scenario(scenarios[0], project, loop=loop)


def play_scenario(scenario: Scenario, project: Project, *, loop: Loop | str | None = None) -> Run:
    """Play a loaded scenario. What is wrong with the harness or its files is in the run, as an ERROR."""
    started = time.perf_counter()
    try:
        with dummy_credentials():
            target = target_of(loop or scenario.loop, project.root)
            run = _play_replay(scenario, project, target)
    except ToolreplayError as error:
        outcome = Outcome.SKIP if isinstance(error, ExtraMissing) else Outcome.ERROR
        run = Run(scenario.id, outcome, failures=(Failure(outcome, _where(scenario), str(error)),))
    return replace(run, seconds=time.perf_counter() - started)


def play_with(
    scenario: Scenario, target: Target, side: ModelSide, *, base_url: str | None = None, cast: Cast | None = None
) -> Run:
    """Play a scenario with any model side.

    Args:
        base_url: where clients send their requests; only the live side lets them out.
    """
    allowed = frozenset(entry.rule for entry in scenario.allow)
    cast = cast or Cast(scenario)
    session = Session(scenario.id, side, max_turns=scenario.max_turns, allowed=allowed, cast=cast)
    toolbox = Toolbox(scenario, session.calls)
    prompts = Prompts(scenario, target, session, toolbox, base_url)
    with INTERCEPTOR.hold(), ROUTER.opened(session):
        prompts.play()
    return _verdict(scenario, session, toolbox, prompts, side)


def _play_replay(scenario: Scenario, project: Project, target: Target) -> Run:
    if scenario.script is not None:
        cast = Cast(scenario)
        return play_with(scenario, target, ScriptSide(scenario, cast), cast=cast)
    path = _cassette_for(scenario, project, target)
    if not path.exists():
        text = f"it has no cassette {_shown(path, project)}"
        failure = Failure(Outcome.ERROR, _where(scenario), text, f"record it: toolreplay record {scenario.path}", "no cassette")
        return Run(scenario.id, Outcome.ERROR, failures=(failure,))
    cassette = read_cassette(path)
    stale = _stale_parts(scenario, cassette)
    if stale:
        failure = _stale(scenario, f"{', '.join(stale)} changed since {_shown(path, project)} was recorded")
        return Run(scenario.id, Outcome.STALE, failures=(failure,))
    side = CassetteSide(Playback(cassette.exchanges, _match(scenario, cassette, target)), _shown(path, project))
    run = play_with(scenario, target, side)
    if cassette.provenance is None and any((failure.kind == "first miss") for failure in run.failures):
        return _called_stale(run, scenario)
    return run


def cassette_of(scenario: Scenario, project: Project, loop: str | None = None) -> Path:
    """Where the cassette of a scenario stands; with a loop's name, that loop's own."""
    folder = project.scenarios[0].relative_to(project.root).as_posix() if project.scenarios else "scenarios"
    return cassette_path(scenario, project.cassettes, loop, scenarios=folder)


def _cassette_for(scenario: Scenario, project: Project, target: Target) -> Path:
    """The loop's own recording where it has one, else the scenario's."""
    own = cassette_of(scenario, project, target.name)
    return own if not target.is_reference and own.exists() else cassette_of(scenario, project)


def _match(scenario: Scenario, cassette: Cassette, target: Target) -> Match:
    if scenario.match is not None:
        return Match(scenario.match)
    recorded_by = cassette.provenance.loop if cassette.provenance is not None else ""
    return Match.EXACT if recorded_by == target.name else Match.CONVERSATION


def _stale_parts(scenario: Scenario, cassette: Cassette) -> list[str]:
    if cassette.provenance is None:
        return []
    recorded: Mapping[str, str] = cassette.provenance.digests
    return [part for part, digest in digests(scenario).items() if part in recorded and recorded[part] != digest]


def _verdict(
    scenario: Scenario, session: Session, toolbox: Toolbox, prompts: Prompts, side: ModelSide
) -> Run:
    facts = call_facts(session, toolbox.log)
    run_facts = RunFacts(
        calls=facts,
        turns=sum(1 for served in session.exchanges if served.served),
        crashed=prompts.crashed_by_tool,
        refused=session.refused,
        over_limit=scenario.max_turns if session.over_limit else None,
        pending_expected=prompts.pending_expected or prompts.interrupted,
    )
    found = [*session.findings, *(RunFinding(finding, None) for finding in judge_run(session, run_facts))]
    allowed_rules = {entry.rule for entry in scenario.allow}
    findings = tuple(one for one in found if one.finding.code not in allowed_rules)
    failures = _failures(scenario, session, toolbox, prompts)
    calls = public_calls(facts)
    if not failures and not any(one.finding.is_error for one in findings):
        # What the loop was asked for is compared only when nothing broke on the way, else it repeats the cause.
        failures = check_expectations(scenario, session, facts)
        failures = failures or tuple(Failure(Outcome.FAIL, _where(scenario), line) for line in side.left_over())
    return Run(
        id=scenario.id,
        outcome=outcome_of(findings, failures),
        findings=findings,
        failures=failures,
        exchanges=tuple(session.exchanges),
        calls=calls,
        allowed=tuple(one for one in found if one.finding.code in allowed_rules),
    )


def _failures(scenario: Scenario, session: Session, toolbox: Toolbox, prompts: Prompts) -> tuple[Failure, ...]:
    where = _where(scenario)
    failures = [Failure(Outcome.ERROR, where, text) for text in (*session.troubles, *toolbox.troubles)]
    failures += [
        Failure(Outcome.FAIL, f"request {miss.number}", miss.text, _RERECORD.format(path=scenario.path), "first miss" if miss.first else "")
        for miss in session.misses
    ]
    failures += [
        Failure(Outcome.FAIL, where, f"{label} is none that the scenario has; declare it under subagents")
        for label in session.undeclared
    ]
    if prompts.nothing_pending:
        text = "no call was waiting for the approval that this step gives"
        failures.append(Failure(Outcome.FAIL, f"{scenario.path}:{scenario.line_of('conversation', prompts.number - 1)}", text))
    if prompts.raised is not None and not session.refused and prompts.crashed_by_tool is None:
        failures.append(Failure(Outcome.FAIL, f"prompt {prompts.number}", f"the loop raised {prompts.raised}"))
    if not session.exchanges:
        text = "the loop sent no request that toolreplay could see, so nothing was checked"
        failures.append(Failure(Outcome.ERROR, where, text, "send through the client that is offered, or any HTTP client"))
    return tuple(failures)


_RERECORD = "if the change is meant, record again: toolreplay record {path}"


def _called_stale(run: Run, scenario: Scenario) -> Run:
    failures = tuple(
        replace(failure, outcome=Outcome.STALE) if (failure.kind == "first miss") else failure for failure in run.failures
    )
    return replace(run, failures=failures, outcome=outcome_of(run.findings, failures))


def _stale(scenario: Scenario, message: str) -> Failure:
    return Failure(Outcome.STALE, _where(scenario), message, f"record again: toolreplay record {scenario.path}")


def _where(scenario: Scenario) -> str:
    return f"{scenario.path}:{scenario.line}"


def _shown(path: Path, project: Project) -> str:
    return path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else str(path)
