"""`toolreplay check --orphans`: the cassettes that no scenario plays."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolreplay.errors import ToolreplayError, UsageError
from toolreplay.files.opening import is_there
from toolreplay.files.project import Project
from toolreplay.linter.orphans import cassettes_below, orphans
from toolreplay.report.check_orphans import orphans_json, orphans_text
from toolreplay.runner.replay import cassette_of, shown_path

from .scenarios import collect


def call_orphans(options: argparse.Namespace, project: Project) -> int:
    """Print them; 1 if there are any.

    Raises:
        UsageError: the arguments make no sense.
        ToolreplayError: a scenario file is broken, so that nobody knows what it plays; or a folder cannot be read.
    """
    if options.format not in ("text", "json"):
        raise UsageError(f"--orphans has no format {options.format}; write --format text or json")
    project = _asked_about(options.paths, project)
    found = _cassettes(project)
    collected = collect((), project)
    if collected.broken:
        told = "\n".join(failure.message for run in collected.broken for failure in run.failures)
        raise ToolreplayError(f"{told}\nwhat a broken scenario plays is not known; mend it first")
    played = [cassette_of(scenario, project) for scenario in collected.scenarios if not scenario.scripted]
    left = [shown_path(path, project) for path in orphans(found, played)]
    render = orphans_json if options.format == "json" else orphans_text
    print(render(left, len(found)), end="")
    return 1 if left else 0


def _cassettes(project: Project) -> list[Path]:
    try:
        if not (is_there(project.cassettes) and project.cassettes.is_dir()):
            what = "no such folder of cassettes; name it: --orphans SCENARIOS CASSETTES"
            raise UsageError(f"{project.cassettes}: {what}")
        return cassettes_below(project.cassettes)
    except OSError as error:
        where = shown_path(Path(error.filename), project)
        raise ToolreplayError(f"{where}: cannot be read: {error.strerror}; mend the path or its permissions") from None


def _asked_about(paths: Sequence[str], project: Project) -> Project:
    if not paths:
        return project
    if len(paths) != 2:
        raise UsageError("--orphans takes two folders or none; write --orphans SCENARIOS CASSETTES")
    scenarios, cassettes = (Path(path).absolute() for path in paths)
    if not os.path.lexists(scenarios):
        raise UsageError(f"{paths[0]}: no such file or folder")
    return replace(project, scenarios=(scenarios,), cassettes=cassettes)
