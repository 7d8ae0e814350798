"""The model side of a replay: the scenario's script, or its cassette, if that still fits the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from toolreplay.cassette.exchange import Cassette
from toolreplay.cassette.playback import Match, Playback
from toolreplay.cassette.store import read_cassette
from toolreplay.cassette.volatile import Volatiles
from toolreplay.errors import CassetteError
from toolreplay.files.opening import is_there
from toolreplay.files.project import Project
from toolreplay.scenario.digests import digests
from toolreplay.scenario.load import path_in
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.paths import cassette_path

from .cast import Cast
from .loops import OWN_LOOP, REFERENCE
from .run import Failure, Outcome
from .script import ScriptSide
from .sides import CassetteSide, ModelSide


def replay_side(
    scenario: Scenario, project: Project, loop: str, cast: Cast, *, even_stale: bool = False
) -> ModelSide | Failure:
    """Who answers a loop in replay, or why nobody can.

    Args:
        loop: the loop's name. The one that recorded the cassette is matched exactly, any other by conversation.
        even_stale: play a recording that the scenario has outgrown all the same; the side says why it is stale.

    Raises:
        CassetteError: the cassette cannot be read.
    """
    if scenario.scripted:
        return ScriptSide(scenario, cast)
    path = _cassette_for(scenario, project, loop)
    where, shown = f"{scenario.path}:{scenario.line}", shown_path(path, project)
    if not _is_there(path, shown):
        fix = f"record it: toolreplay record {scenario.path}"
        return Failure(Outcome.ERROR, where, f"it has no cassette {shown}", fix, "no cassette")
    cassette = read_cassette(path)
    stale = _why_stale(scenario, cassette, project, shown)
    if stale and not even_stale:
        return Failure(Outcome.STALE, where, stale, f"record again: toolreplay record {scenario.path}")
    playback = Playback(cassette.exchanges, _match(scenario, cassette, loop), Volatiles(project.volatile))
    digests_known = bool(cassette.provenance and cassette.provenance.digests)
    return CassetteSide(playback, shown, has_digests=digests_known, outgrown=stale)


def cassette_of(scenario: Scenario, project: Project, loop: str | None = None) -> Path:
    """Where the cassette of a scenario stands; with a loop's name, that loop's own."""
    folder = path_in(project.scenarios[0], project.root) if project.scenarios else "scenarios"
    return cassette_path(scenario, project.cassettes, loop, scenarios=folder)


def shown_path(path: Path, project: Project) -> str:
    """A path as messages show it: relative to the project where it is in it."""
    return path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else str(path)


def _cassette_for(scenario: Scenario, project: Project, loop: str) -> Path:
    """The loop's own recording where it has one, else the scenario's."""
    own = cassette_of(scenario, project, loop)
    is_own = loop != REFERENCE and _is_there(own, shown_path(own, project))
    return own if is_own else cassette_of(scenario, project)


def _is_there(path: Path, shown: str) -> bool:
    try:
        return is_there(path)
    except OSError as error:
        raise CassetteError(f"{shown}: cannot be read: {error.strerror}; mend the path or its permissions") from None


def _match(scenario: Scenario, cassette: Cassette, loop: str) -> Match:
    if scenario.match is not None:
        return Match(scenario.match)
    recorded_by = cassette.provenance.loop if cassette.provenance is not None else ""
    # Two tests may play one scenario, each with an agent of its own.
    return Match.EXACT if recorded_by == loop != OWN_LOOP else Match.CONVERSATION


def _why_stale(scenario: Scenario, cassette: Cassette, project: Project, shown: str) -> str:
    """What makes a recording stale, in words; empty where nothing does."""
    parts = _stale_parts(scenario, cassette)
    if parts:
        return f"{', '.join(parts)} changed since {shown} was recorded"
    age = _age(cassette)
    if project.max_age is not None and age is not None and age > project.max_age:
        return f"{shown} was recorded {age} days ago, and max_age is {project.max_age}"
    return ""


def _age(cassette: Cassette) -> int | None:
    """The days since a recording; None where it does not say when it was made."""
    try:
        recorded = datetime.fromisoformat(cassette.provenance.recorded_at if cassette.provenance is not None else "")
    except ValueError:
        return None
    return (datetime.now(UTC) - (recorded if recorded.tzinfo else recorded.replace(tzinfo=UTC))).days


def _stale_parts(scenario: Scenario, cassette: Cassette) -> list[str]:
    if cassette.provenance is None:
        return []
    recorded: Mapping[str, str] = cassette.provenance.digests
    return [part for part, digest in digests(scenario).items() if part in recorded and recorded[part] != digest]
