"""Playing or recording one scenario, as `--record-mode` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolreplay.runner.modes import play_or_record

if TYPE_CHECKING:
    from pathlib import Path

    from toolreplay.files.project import Project
    from toolreplay.runner.run import Run
    from toolreplay.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Played:
    """A run, and the cassette that was written for it, if one was."""

    run: Run
    recorded: Path | None = None


def play(scenario: Scenario, project: Project, mode: str) -> Played:
    """Play a scenario; record it as the mode says."""
    return Played(*play_or_record(scenario, project, mode))
