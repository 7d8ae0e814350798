"""What the configuration says about scenarios, read once for each pytest run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from .configured import is_configured

if TYPE_CHECKING:
    from pathlib import Path

    from toolreplay.files.project import Project

_KEY = pytest.StashKey["Settings"]()
_PROJECT = pytest.StashKey["Project"]()
_RECORDING: Final = frozenset({"once", "new_episodes", "all", "rewrite"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Where scenarios are, and how they are played.

    Attributes:
        named: the folders and files that the ini option or `[tool.toolreplay]` names; empty in a project
            without either, where a file must say itself that it is a scenario.
        cassettes: the folder of recordings, which may lie among the scenarios; None without configuration.
        record_mode: vcrpy's names; a value that another plugin's option allows and ours does not is `none`.
        stale: `fail` or `warn`.
    """

    named: tuple[Path, ...]
    cassettes: Path | None
    record_mode: str
    stale: str

    def is_scenario(self, path: Path) -> bool:
        """Whether a YAML file is to be collected: it is where scenarios are, or it says that it is one."""
        from toolreplay.scenario.head import looks_like_scenario

        recorded = self.cassettes is not None and path.is_relative_to(self.cassettes)
        placed = not recorded and any(path.is_relative_to(folder) for folder in self.named)
        return placed or looks_like_scenario(path)


def settings(config: pytest.Config) -> Settings:
    """The settings of a pytest run.

    Raises:
        pytest.UsageError: `[tool.toolreplay]` is broken.
    """
    found = config.stash.get(_KEY, None)
    if found is None:
        found = config.stash[_KEY] = _read(config)
    return found


def project_of(config: pytest.Config) -> Project:
    """The project around pytest's root.

    Raises:
        UsageError: a pyproject.toml on the way up cannot be read.
    """
    found = config.stash.get(_PROJECT, None)
    if found is None:
        from toolreplay.files.project import find_project

        found = config.stash[_PROJECT] = find_project(config.rootpath)
    return found


def _read(config: pytest.Config) -> Settings:
    named: tuple[Path, ...] = tuple(config.getini("toolreplay_scenarios"))
    cassettes = None
    if is_configured(config):
        from toolreplay.errors import UsageError

        try:
            project = project_of(config)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        named = named or _configured(project)
        cassettes = project.cassettes
    mode = config.getoption("--record-mode", default=None)
    return Settings(
        named=named,
        cassettes=cassettes,
        record_mode=mode if mode in _RECORDING else "none",
        stale=config.getoption("--toolreplay-stale") or "fail",
    )


def _configured(project: Project) -> tuple[Path, ...]:
    """What `[tool.toolreplay]` names, or its default where that exists.

    Without the table a folder `scenarios` may be anybody's.
    """
    import tomllib

    path = project.root / "pyproject.toml"
    tools = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}) if path.is_file() else {}
    if "toolreplay" not in tools:
        return ()
    if "scenarios" in tools["toolreplay"]:
        return project.scenarios
    return tuple(folder for folder in project.scenarios if folder.exists())
