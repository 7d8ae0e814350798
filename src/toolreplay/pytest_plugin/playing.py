"""Playing or recording one scenario, as `--record-mode` says."""

from __future__ import annotations

from ..runner.play import play_scenario
from ..runner.record import record_scenario
from ..runner.run import Outcome, Run
from ..scenario.model import Scenario
from .settings import Settings


def play(scenario: Scenario, settings: Settings) -> Run:
    """`none` plays; `once` records what has no cassette, `new_episodes` what is stale too, `all` and `rewrite` everything."""
    mode, project = settings.record_mode, settings.project
    if mode in ("all", "rewrite") and scenario.script is None:
        return record_scenario(scenario, project)[0]
    run = play_scenario(scenario, project)
    missing = any(failure.kind == "no cassette" for failure in run.failures)
    stale = run.outcome is Outcome.STALE
    if (missing and mode in ("once", "new_episodes")) or (stale and mode == "new_episodes"):
        return record_scenario(scenario, project)[0]
    return run
