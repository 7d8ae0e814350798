"""Playing or recording one scenario, as `--record-mode` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolreplay.runner.play import play_scenario
from toolreplay.runner.record import record_scenario
from toolreplay.runner.run import Outcome, Run

if TYPE_CHECKING:
    from pathlib import Path

    from toolreplay.files.project import Project
    from toolreplay.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Played:
    """A run, and the cassette that was written for it, if one was."""

    run: Run
    recorded: Path | None = None


def play(scenario: Scenario, project: Project, mode: str) -> Played:
    """Play a scenario; record it as the mode says.

    `none` never records, `once` what has no cassette, `new_episodes` also what is stale, `all` and `rewrite`
    everything but scripts, which need no cassette.
    """
    if mode in {"all", "rewrite"} and not scenario.scripted:
        return Played(*record_scenario(scenario, project))
    run = play_scenario(scenario, project)
    missing = any(failure.kind == "no cassette" for failure in run.failures)
    stale = run.outcome is Outcome.STALE
    if (missing and mode in {"once", "new_episodes"}) or (stale and mode == "new_episodes"):
        return Played(*record_scenario(scenario, project))
    return Played(run)
