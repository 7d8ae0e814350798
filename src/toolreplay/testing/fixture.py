"""What the pytest fixture `toolreplay` gives: the library, with the project of the pytest run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from toolreplay.contract.entry import check
from toolreplay.contract.finding import Finding
from toolreplay.files.project import find_project
from toolreplay.runner.loops import Loop
from toolreplay.runner.play import load_one, play_scenario
from toolreplay.runner.run import Run

from .session import ScenarioSession


class Toolreplay:
    """`session`, `play` and `check` for tests. Paths are those of the project around pytest's root folder."""

    def __init__(
        self, root: Path, ended: Callable[[Run], None], *, record_mode: str = "none", even_stale: bool = False
    ) -> None:
        self._project = find_project(root)
        self._ended = ended
        self._record_mode = record_mode
        self._even_stale = even_stale

    def session(self, path: str | Path) -> ScenarioSession:
        """As `toolreplay.session`."""
        return ScenarioSession(
            load_one(path, self._project),
            self._project,
            ended=self._ended,
            record_mode=self._record_mode,
            even_stale=self._even_stale,
        )

    def play(self, path: str | Path, *, loop: Loop | str | None = None) -> Run:
        """As `toolreplay.play`."""
        run = play_scenario(load_one(path, self._project), self._project, loop=loop)
        self._ended(run)
        return run

    def check(self, request: object, wire: str = "messages", profile: str | None = None) -> list[Finding]:
        """As `toolreplay.check`."""
        return check(request, wire, profile)
