"""The project a command runs in: its root and `[tool.toolreplay]` of its pyproject.toml."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..errors import UsageError


@dataclass(frozen=True)
class Project:
    """The settings of a project; all paths are absolute.

    Attributes:
        root: the folder of pyproject.toml; where there is none, the folder the command runs in.
        scenarios: the folders (or files) of scenarios that `run` and pytest take when none are named.
        cassettes: the folder that holds the cassettes, at the same relative paths as the scenarios.
    """

    root: Path
    scenarios: tuple[Path, ...]
    cassettes: Path


def find_project(start: Path | None = None) -> Project:
    """The project around a folder: the nearest one upwards whose pyproject.toml has `[tool.toolreplay]`, else the
    nearest with any pyproject.toml.

    Raises:
        UsageError: the configuration is broken; one line says where and what.
    """
    here = (start or Path.cwd()).resolve()
    found = [folder for folder in (here, *here.parents) if (folder / "pyproject.toml").is_file()]
    for folder in found:
        settings = _settings(folder / "pyproject.toml")
        if settings is not None:
            return _project(folder, settings)
    return _project(found[0] if found else here, {})


def _settings(path: Path) -> dict[str, Any] | None:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: {error}; mend the file") from None
    settings = data.get("tool", {}).get("toolreplay")
    if settings is None:
        return None
    known = {field.name for field in fields(Project)} - {"root"}
    for name in settings if isinstance(settings, dict) else ():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
            raise UsageError(f"{path}: [tool.toolreplay] has no setting {name!r}; {hint}")
    if not isinstance(settings, dict):
        raise UsageError(f"{path}: tool.toolreplay is {settings!r}; write a table [tool.toolreplay]")
    return settings


def _project(root: Path, settings: dict[str, Any]) -> Project:
    scenarios = settings.get("scenarios", ["scenarios"])
    if isinstance(scenarios, str):
        scenarios = [scenarios]
    cassettes = settings.get("cassettes", "cassettes")
    if not isinstance(cassettes, str) or not all(isinstance(item, str) for item in scenarios):
        raise UsageError(f"{root / 'pyproject.toml'}: [tool.toolreplay] scenarios and cassettes are paths; write strings")
    return Project(root, tuple(root / item for item in scenarios), root / cassettes)
