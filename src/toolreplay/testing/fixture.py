"""What the pytest fixture `toolreplay` gives: the library, with the project of the pytest run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from toolreplay.contract.entry import check
from toolreplay.contract.finding import Finding
from toolreplay.files.project import find_project
from toolreplay.runner.loops import Loop
from toolreplay.runner.modes import play_or_record
from toolreplay.runner.play import load_one
from toolreplay.runner.run import Run

from .session import ScenarioSession


class Toolreplay:
    """`session`, `play` and `check` for tests. Paths are those of the project around pytest's root folder.

    Args:
        ended: told each run, and the cassette that was written for it.
        record_mode: see `toolreplay.session`.
        stale: told why a recording is stale that a session plays all the same; None for a stale one to fail.
    """

    def __init__(
        self,
        root: Path,
        ended: Callable[[Run, Path | None], None],
        *,
        record_mode: str = "none",
        stale: Callable[[str], None] | None = None,
    ) -> None:
        self._project = find_project(root)
        self._ended = ended
        self._record_mode = record_mode
        self._stale = stale

    def session(self, path: str | Path) -> ScenarioSession:
        """As `toolreplay.session`."""
        return ScenarioSession(
            load_one(path, self._project),
            self._project,
            ended=self._ended,
            record_mode=self._record_mode,
            stale=self._stale,
        )

    def play(self, path: str | Path, *, loop: Loop | str | None = None) -> Run:
        """As `toolreplay.play`, recorded as the record mode says."""
        run, written = play_or_record(load_one(path, self._project), self._project, self._record_mode, loop=loop)
        self._ended(run, written)
        return run

    def check(self, request: object, wire: str = "messages", profile: str | None = None) -> list[Finding]:
        """As `toolreplay.check`."""
        return check(request, wire, profile)
