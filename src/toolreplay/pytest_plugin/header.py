"""The lines in pytest's header, and the folders of scenarios that a run leaves out or finds empty."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest


def header(config: pytest.Config) -> list[str]:
    """Where scenarios are, how they are played, and which of them this run cannot see."""
    found = settings(config)
    if not found.named:
        return []
    lines = [f"toolreplay: scenarios in {_shown(found.named, config)}, record mode {found.record_mode}"]
    existing = [path for path in found.named if path.exists()]
    missing = [path for path in found.named if not path.exists()]
    if missing:
        lines.append(f"toolreplay: there is no {_shown(missing, config)}; create it, or mend the configuration")
    lines += [_vacant_line(path, config) for path in existing if _is_vacant(path)]
    hidden = [path for path in existing if not _reached(path, config)]
    if hidden and config.args_source is config.ArgsSource.TESTPATHS:
        shown = _shown(hidden, config)
        lines.append(f"toolreplay: testpaths leaves out {shown}; add it there, or run: pytest {shown.replace(',', '')}")
    elif hidden:
        lines.append(f"toolreplay: not among this run's arguments: {_shown(hidden, config)}")
    return lines


def vacant_lines(config: pytest.Config) -> list[str]:
    """A line for each folder of scenarios that was part of the run and held none."""
    return [
        _vacant_line(path, config) for path in settings(config).named if _is_vacant(path) and _reached(path, config)
    ]


def vacant_arguments(config: pytest.Config) -> list[str]:
    """The arguments of the command line that are folders for scenarios and hold none."""
    if config.args_source is not config.ArgsSource.ARGS:
        return []
    folders = settings(config).named
    return [
        str(argument)
        for argument, path in zip(config.args, _paths(config), strict=True)
        if _is_vacant(path) and any(path.is_relative_to(folder) for folder in folders)
    ]


def _vacant_line(folder: Path, config: pytest.Config) -> str:
    return f"toolreplay: {_shown([folder], config)} holds no scenario file (*.yaml, *.yml)"


def _is_vacant(path: Path) -> bool:
    files = (file for _, _, files in os.walk(path) for file in files)
    return path.is_dir() and not any(file.endswith((".yaml", ".yml")) for file in files)


def _reached(folder: Path, config: pytest.Config) -> bool:
    return any(folder.is_relative_to(path) or path.is_relative_to(folder) for path in _paths(config))


def _paths(config: pytest.Config) -> Iterator[Path]:
    for argument in config.args:
        yield Path(os.path.normpath(config.invocation_params.dir / str(argument).partition("::")[0]))


def _shown(paths: Iterable[Path], config: pytest.Config) -> str:
    root = config.rootpath
    return ", ".join(path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path) for path in paths)
