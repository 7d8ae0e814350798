"""The project's own scenarios, by their path below `scenarios/` without the suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from toolreplay.files.project import find_project
from toolreplay.runner.play import play_scenario
from toolreplay.runner.run import Run
from toolreplay.scenario.load import find_files, load_file
from toolreplay.scenario.model import Scenario

ROOT: Final = Path(__file__).resolve().parents[2]
_PROJECT: Final = find_project(ROOT)
SCENARIOS: Final[Mapping[str, Scenario]] = {
    scenario.path.removeprefix("scenarios/").removesuffix(".yaml"): scenario
    for file in find_files([ROOT / "scenarios"], ROOT)
    for scenario in load_file(file, ROOT)
}


def played(name: str, loop: Callable[..., object] | str) -> Run:
    """A scenario of that name, played with a loop."""
    return play_scenario(SCENARIOS[name], _PROJECT, loop=loop)
