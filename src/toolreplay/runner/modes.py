"""Record modes: who answers a session, and what a scenario that is played whole does with its cassette.

vcrpy's names, and one of ours: `none` never records, `once` what has no cassette, `new_episodes` also what is stale or
asks for what was not recorded, `all` and `rewrite` everything. Scripts need no cassette and are played in every mode.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolreplay.errors import UsageError
from toolreplay.files.project import Project
from toolreplay.scenario.model import Scenario

from .cast import Cast
from .loops import OWN_LOOP, Loop
from .play import play_scenario
from .record import record_scenario
from .replacing import refuse_place
from .replay import cassette_of, replay_side
from .run import Failure, Outcome, Run
from .sides import CassetteSide, ExtendingSide, LiveSide, ModelSide

RECORD_MODES: Final = ("none", "once", "new_episodes", "all", "rewrite")
_MISSING: Final = "no cassette"


def play_or_record(
    scenario: Scenario, project: Project, mode: str, *, loop: Loop | str | None = None
) -> tuple[Run, Path | None]:
    """Play a scenario, and record it where the mode says so; gives the cassette that was written, too.

    A scenario is recorded whole: it is played again from its start, against the live API.
    """
    if _always(mode) and not scenario.scripted:
        return record_scenario(scenario, project, loop=loop)
    run = play_scenario(scenario, project, loop=loop)
    kinds = {failure.kind for failure in run.failures}
    outgrown = not scenario.scripted and (run.outcome is Outcome.STALE or "miss" in kinds)
    missing = _MISSING in kinds
    if (missing and mode in {"once", "new_episodes"}) or (outgrown and mode == "new_episodes"):
        return record_scenario(scenario, project, loop=loop)
    return run, None


def session_side(
    scenario: Scenario, project: Project, cast: Cast, mode: str, *, even_stale: bool = False
) -> ModelSide | Failure:
    """Who answers a test's own loop, or why nobody can.

    Such a loop runs once. So under `new_episodes` what it asks for and was not recorded goes to the live API at once.

    Raises:
        CassetteError: the cassette cannot be read.
        UsageError: there is no such mode, or the cassette would replace what it must not.
    """
    if mode not in RECORD_MODES:
        raise UsageError(f"record_mode is {mode!r}; write one of {', '.join(RECORD_MODES)}")
    if mode != "none" and not scenario.scripted:
        refuse_place(cassette_of(scenario, project), scenario, project)
    if _always(mode) and not scenario.scripted:
        return LiveSide()
    side = replay_side(scenario, project, OWN_LOOP, cast, even_stale=even_stale and mode != "new_episodes")
    if isinstance(side, CassetteSide) and mode == "new_episodes":
        return ExtendingSide(recorded=side)
    if not isinstance(side, Failure):
        return side
    missing = side.kind == _MISSING and mode in {"once", "new_episodes"}
    return LiveSide() if missing or (side.outcome is Outcome.STALE and mode == "new_episodes") else side


def _always(mode: str) -> bool:
    return mode in {"all", "rewrite"}
