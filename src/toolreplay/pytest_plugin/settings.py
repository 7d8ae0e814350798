"""What the configuration says about scenarios, read once for each pytest run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ..errors import UsageError
from ..files.project import Project, find_project
from ..scenario.head import looks_like_scenario

_KEY = pytest.StashKey["Settings"]()


@dataclass(frozen=True)
class Settings:
    """Where scenarios are, and how they are played.

    Attributes:
        folders: the folders and files that the ini option or `[tool.toolreplay]` names, if they exist.
        record_mode: vcrpy's names; a value that another plugin's option allows and ours does not reads as `none`.
    """

    project: Project
    folders: tuple[Path, ...]
    record_mode: str
    stale: str

    def is_scenario(self, path: Path) -> bool:
        """Whether a YAML file is to be collected: it is where scenarios are, or it says that it is one."""
        return any(path.is_relative_to(folder) for folder in self.folders) or looks_like_scenario(path)

    def header(self, config: pytest.Config) -> str:
        """The line in pytest's header."""
        names = ", ".join(_shown(folder, config.rootpath) for folder in self.folders)
        hidden = [folder for folder in self.folders if not _reached(folder, config)]
        if not hidden:
            return f"toolreplay: scenarios in {names}, record mode {self.record_mode}"
        unseen = ", ".join(_shown(folder, config.rootpath) for folder in hidden)
        return f"toolreplay: scenarios in {names}; not collected in this run: {unseen} (add to testpaths or name it)"


def settings(config: pytest.Config) -> Settings:
    """The settings of a pytest run."""
    found = config.stash.get(_KEY, None)
    if found is None:
        found = config.stash[_KEY] = _read(config)
    return found


def _read(config: pytest.Config) -> Settings:
    try:
        project = find_project(config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    named = tuple(Path(path) for path in config.getini("toolreplay_scenarios")) or project.scenarios
    mode = config.getoption("--record-mode", default=None) or "none"
    return Settings(
        project=project,
        folders=tuple(path for path in named if path.exists()),
        record_mode=mode if mode in ("once", "new_episodes", "all", "rewrite") else "none",
        stale=config.getoption("--toolreplay-stale") or "fail",
    )


def _reached(folder: Path, config: pytest.Config) -> bool:
    named = [Path(str(argument).partition("::")[0]) for argument in config.args]
    roots = [path if path.is_absolute() else config.invocation_params.dir / path for path in named]
    return any(folder.is_relative_to(root) or root.is_relative_to(folder) for root in roots)


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
