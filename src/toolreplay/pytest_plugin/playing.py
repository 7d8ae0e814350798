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

    `none` never records, `once` what has no cassette, `new_episodes` also what is stale or asks for what was not
    recorded, `all` and `rewrite` everything but scripts, which need no cassette. A scenario is recorded whole: replies
    of another day do not go with those of today.
    """
    if mode in {"all", "rewrite"} and not scenario.scripted:
        return Played(*record_scenario(scenario, project))
    run = play_scenario(scenario, project)
    kinds = {failure.kind for failure in run.failures}
    outgrown = not scenario.scripted and (run.outcome is Outcome.STALE or "miss" in kinds)
    missing = "no cassette" in kinds
    if (missing and mode in {"once", "new_episodes"}) or (outgrown and mode == "new_episodes"):
        return Played(*record_scenario(scenario, project))
    return Played(run)
