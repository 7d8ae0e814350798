"""The project a command runs in: its root and `[tool.toolreplay]` of its pyproject.toml."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from toolreplay.errors import UsageError

from .volatile import Volatile, volatiles


@dataclass(frozen=True)
class Project:
    """The settings of a project; all paths are absolute.

    Attributes:
        root: the folder of pyproject.toml; where there is none, the folder the command runs in.
        scenarios: the folders (or files) of scenarios that `run` and pytest take when none are named.
        cassettes: the folder that holds the cassettes, at the same relative paths as the scenarios.
        select: the rules whose findings `check` shows; none named are all.
        ignore: the rules whose findings it does not show.
        profile: whose contract `check` holds; None for the one of the wire.
        baseline: the file of known findings.
        secrets: what no recording may hold, beside keys and tokens that are known by their look.
        volatile: values that change with every run, left out where recordings are compared.
        max_age: days after which a recording is stale; None for never.
        allow_hosts: hosts that requests and connections may go to in replay, beside this machine itself.
    """

    root: Path
    scenarios: tuple[Path, ...]
    cassettes: Path
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    profile: str | None = None
    baseline: Path | None = None
    secrets: tuple[re.Pattern[str], ...] = ()
    volatile: tuple[Volatile, ...] = ()
    max_age: int | None = None
    allow_hosts: tuple[str, ...] = ()


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
    tool = data.get("tool", {})
    if not isinstance(tool, dict):
        raise UsageError(f"{path}: tool is {tool!r}; write a table [tool.toolreplay]")
    settings = tool.get("toolreplay")
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
    paths = [*scenarios, cassettes] if isinstance(scenarios, list) else [scenarios]
    if not all(isinstance(path, str) for path in paths):
        raise UsageError(
            f"{root / 'pyproject.toml'}: [tool.toolreplay] scenarios and cassettes are paths; write strings"
        )
    baseline = _text(root, settings, "baseline")
    return Project(
        root,
        tuple(root / item for item in scenarios),
        root / cassettes,
        select=_texts(root, settings, "select"),
        ignore=_texts(root, settings, "ignore"),
        profile=_text(root, settings, "profile"),
        baseline=None if baseline is None else root / baseline,
        secrets=_patterns(root, settings, "secrets"),
        volatile=_volatile(root, settings),
        max_age=_days(root, settings, "max_age"),
        allow_hosts=_texts(root, settings, "allow_hosts"),
    )


def _patterns(root: Path, settings: dict[str, Any], name: str) -> tuple[re.Pattern[str], ...]:
    found = []
    for text in _texts(root, settings, name):
        try:
            found.append(re.compile(text))
        except re.error as error:
            where = root / "pyproject.toml"
            raise UsageError(f"{where}: [tool.toolreplay] {name}: regex {text!r}: {error}; mend it") from None
    return tuple(found)


def _volatile(root: Path, settings: dict[str, Any]) -> tuple[Volatile, ...]:
    try:
        return volatiles(settings.get("volatile", []))
    except UsageError as error:
        raise UsageError(f"{root / 'pyproject.toml'}: [tool.toolreplay] {error}") from None


def _days(root: Path, settings: dict[str, Any], name: str) -> int | None:
    value = settings.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise UsageError(f"{root / 'pyproject.toml'}: [tool.toolreplay] {name} is {value!r}; write a number of days")
    return value


def _texts(root: Path, settings: dict[str, Any], name: str) -> tuple[str, ...]:
    value = settings.get(name, [])
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise _no_text(root, name, value)
    return tuple(found)


def _text(root: Path, settings: dict[str, Any], name: str) -> str | None:
    value = settings.get(name)
    if value is not None and not isinstance(value, str):
        raise _no_text(root, name, value)
    return value


def _no_text(root: Path, name: str, value: object) -> UsageError:
    return UsageError(f"{root / 'pyproject.toml'}: [tool.toolreplay] {name} is {value!r}; write a string")
