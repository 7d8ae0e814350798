"""Faults that were found before: the regressions of a project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolreplay.errors import ToolreplayError
from toolreplay.files.project import Project
from toolreplay.runner.loops import REFERENCE, Target
from toolreplay.runner.play import play_scenario
from toolreplay.runner.replay import shown_path
from toolreplay.scenario.load import load_file

FOLDER: Final = "regressions"


@dataclass(frozen=True)
class Known:
    """A regression that still fails.

    Attributes:
        path: its file, as messages show it.
        codes: the rules that its run breaks.
    """

    path: str
    codes: frozenset[str]


def known_regressions(target: Target, project: Project) -> Iterator[Known]:
    """The regressions of a loop that still fail: their faults are known, and the search goes on past them."""
    for path in sorted(folder_of(project).glob("*.yaml")):
        with suppress(ToolreplayError):  # `run` tells of a broken file
            for scenario in load_file(path, project.root):
                if (scenario.loop or REFERENCE) != target.name:
                    continue
                run = play_scenario(scenario, project, loop=target.function)
                codes = frozenset(one.code for one in run.findings if one.finding.is_error)
                if codes:
                    yield Known(shown_path(path, project), codes)


def folder_of(project: Project) -> Path:
    """Where regressions stand: `regressions` in the first folder of scenarios."""
    scenarios = project.scenarios[0] if project.scenarios else project.root / "scenarios"
    return (scenarios if scenarios.suffix == "" else scenarios.parent) / FOLDER
