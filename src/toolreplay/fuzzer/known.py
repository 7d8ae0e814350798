"""Faults that were found before: the regressions of a project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from toolreplay.errors import ToolreplayError
from toolreplay.files.project import Project
from toolreplay.files.yaml import YamlError, read_file
from toolreplay.runner.loops import REFERENCE
from toolreplay.runner.replay import shown_path
from toolreplay.scenario.load import load_file

from .case import Case
from .playing import Player
from .worker import Worker

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


def known_regressions(player: Player, project: Project) -> Iterator[Known]:
    """The regressions of a loop that still fail: their faults are known, and the search goes on past them.

    Each is played in a process of its own, with its limits: some are kept because the loop hangs in them.
    """
    for path in sorted(folder_of(project).glob("*.yaml")):
        with suppress(ToolreplayError, YamlError), Worker(replace(player, strict=True)) as worker:
            # `run` tells of a broken file.
            written = [document.data for document in read_file(path, str(path)) if isinstance(document.data, dict)]
            for scenario, document in zip(load_file(path, project.root), written, strict=False):
                if (scenario.loop or REFERENCE) != player.target.name:
                    continue
                played = worker.play(Case(document))
                codes = frozenset(one.code for one in played.faults if one.is_error)
                if codes:
                    yield Known(shown_path(path, project), codes)


def folder_of(project: Project) -> Path:
    """Where regressions stand: `regressions` in the first folder of scenarios."""
    scenarios = project.scenarios[0] if project.scenarios else project.root / "scenarios"
    return (scenarios if scenarios.suffix == "" else scenarios.parent) / FOLDER
