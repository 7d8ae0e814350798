"""Which scenarios a command is about: from its arguments, or from the project's configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolreplay.errors import ScenarioError, UsageError
from toolreplay.files.opening import is_there
from toolreplay.files.project import Project
from toolreplay.runner.run import Failure, Outcome, Run
from toolreplay.scenario.load import find_files, load_file, path_in, select
from toolreplay.scenario.model import Scenario


@dataclass(frozen=True)
class Collected:
    """The scenarios found, and an ERROR run for each file that is broken."""

    scenarios: tuple[Scenario, ...]
    broken: tuple[Run, ...]


def collect(paths: Sequence[str], project: Project, keyword: str | None = None) -> Collected:
    """Load the scenarios that the arguments name; a broken file does not keep the others from being played.

    Raises:
        ScenarioError: a path does not exist, or names a scenario that is not in its file.
    """
    scenarios: list[Scenario] = []
    broken: list[Run] = []
    named = [_split(path) for path in paths] or [(path, "") for path in _configured(project)]
    for path, name in named:
        for file in find_files([path], project.root):
            try:
                loaded = load_file(file, project.root)
            except ScenarioError as error:
                failure = Failure(Outcome.ERROR, "", str(error))
                broken.append(Run(path_in(file, project.root), Outcome.ERROR, failures=(failure,)))
                continue
            scenarios += (select(loaded, f"{file}::{name}"),) if name else loaded
    unique = {scenario.id: scenario for scenario in scenarios}
    chosen = tuple(one for one in unique.values() if keyword is None or keyword.lower() in one.id.lower())
    return Collected(chosen, tuple(broken))


def refuse_empty(loop: str | None) -> None:
    """Raise UsageError for `--loop ""`, as a script writes it whose variable is not set: no loop is named so."""
    if loop == "":
        raise UsageError("--loop is empty; name a loop, package.module:function, or leave the option out")


def nothing_found(paths: Sequence[str], keyword: str | None = None) -> str:
    """What to tell someone whose arguments, or whose project, name no scenario."""
    where = ", ".join(paths) or "the project"
    if keyword is not None:
        return f"no scenarios found in {where} whose id contains {keyword!r}; change -k"
    return f"no scenarios found in {where}; write one: toolreplay new scenarios/first.yaml"


def _configured(project: Project) -> Sequence[Path]:
    """The folders of the configuration. One of several that is missing is a mistake; the default alone may be."""
    if len(project.scenarios) > 1:
        missing = next((path for path in project.scenarios if _is_missing(path)), None)
        if missing is not None:
            where = project.root / "pyproject.toml"
            raise UsageError(f"{where}: [tool.toolreplay] scenarios: {missing} does not exist; mend the path")
    return [path for path in project.scenarios if not _is_missing(path)]


def _is_missing(path: Path) -> bool:
    try:
        return not is_there(path)
    except OSError:
        return False  # what keeps it from being read is told where it is read


def _split(argument: str) -> tuple[Path, str]:
    path, _, name = argument.partition("::")
    if not path:
        raise UsageError(f"{argument!r} names no scenario file; write FILE or FILE::NAME")
    return Path(path).absolute(), name
