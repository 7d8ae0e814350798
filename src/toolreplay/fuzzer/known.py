"""Faults that need not be found again: the regressions of a project, and what was told of another scenario."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from toolreplay.errors import ToolreplayError
from toolreplay.files.project import Project
from toolreplay.files.yaml import YamlError, read_file
from toolreplay.runner.loops import REFERENCE, Target
from toolreplay.runner.replay import shown_path
from toolreplay.scenario.load import load_file

from .case import Case
from .playing import Player
from .result import Known, Result
from .worker import Worker

FOLDER: Final = "regressions"


class Baseline:
    """What is known of loops while scenarios are fuzzed one after the other.

    Regressions count that stood in the project at the beginning; those that were written since were told.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files = tuple(sorted(folder_of(project).glob("*.yaml")))
        self._failing: dict[Target, tuple[Known, ...]] = {}
        self._told: dict[Target, set[str]] = defaultdict(set)

    def regressions(self, player: Player) -> tuple[Known, ...]:
        """The regressions of a loop that still fail, each played once."""
        if player.target not in self._failing:
            self._failing[player.target] = tuple(self._played(player))
        return self._failing[player.target]

    def told(self, target: Target) -> frozenset[str]:
        """The kinds of fault that were told of a loop, and those that follow from them."""
        return frozenset(self._told[target])

    def tell(self, result: Result) -> None:
        """Note what was found."""
        for found in result.found:
            self._told[result.target] |= found.shown | {found.fault.kind}

    def _played(self, player: Player) -> Iterator[Known]:
        patient = replace(player.patient(), strict=True)
        for path in self._files:
            # Each in a process of its own, with its limits: some are kept because the loop hangs in them.
            with suppress(ToolreplayError, YamlError), Worker(patient) as worker:
                # `run` tells of a broken file.
                written = [one.data for one in read_file(path, str(path)) if isinstance(one.data, dict)]
                for scenario, document in zip(load_file(path, self._project.root), written, strict=False):
                    if (scenario.loop or REFERENCE) != player.target.name:
                        continue
                    kinds = frozenset(one.kind for one in worker.play(Case(document)).faults if one.is_error)
                    if kinds:
                        yield Known(shown_path(path, self._project), kinds)


def folder_of(project: Project) -> Path:
    """Where regressions stand: `regressions` in the first folder of scenarios."""
    scenarios = project.scenarios[0] if project.scenarios else project.root / "scenarios"
    return (scenarios if scenarios.suffix == "" else scenarios.parent) / FOLDER
