"""Playing or recording one scenario, as `--record-mode` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..runner.play import play_scenario
from ..runner.record import record_scenario
from ..runner.run import Outcome, Run

if TYPE_CHECKING:
    from pathlib import Path

    from ..files.project import Project
    from ..scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Played:
    """A run, and the cassette that was written for it, if one was."""

    run: Run
    recorded: Path | None = None


def play(scenario: Scenario, project: Project, mode: str) -> Played:
    """`none` plays; `once` records what has no cassette, `new_episodes` what is stale too, `all` and `rewrite` everything."""
    if mode in {"all", "rewrite"} and scenario.script is None:
        return Played(*record_scenario(scenario, project))
    run = play_scenario(scenario, project)
    missing = any(failure.kind == "no cassette" for failure in run.failures)
    stale = run.outcome is Outcome.STALE
    if (missing and mode in {"once", "new_episodes"}) or (stale and mode == "new_episodes"):
        return Played(*record_scenario(scenario, project))
    return Played(run)
