"""Scenario files, found, read and checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from toolreplay.files.opening import is_there
from toolreplay.files.yaml import Document, YamlError, read_documents, read_file

from .explain import explain
from .faults import Fault, InvalidScenarioError, MissingPathError, shown_path
from .model import Scenario
from .nearest import did_you_mean, nearest
from .neighbours import SUFFIXES, shared_cassettes
from .paths import slug
from .source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def load_file(path: Path, root: Path) -> tuple[Scenario, ...]:
    """Read the scenarios of a file, one for each YAML document; empty documents are left out.

    Raises:
        InvalidScenarioError: with everything that is wrong in the file, a line each.
    """
    name = path_in(path, root)
    try:
        documents = read_file(path, name)
    except YamlError as error:
        raise InvalidScenarioError(str(error)) from None
    scenarios = _scenarios(documents, name, path.parent, root)
    problems = tuple(shared_cassettes(path, scenarios))
    if problems:
        raise InvalidScenarioError(*problems)
    return scenarios


def load_text(text: str, name: str = "<scenario>", root: Path | None = None) -> tuple[Scenario, ...]:
    """Read scenarios from a text that messages call `name`; files beside it are looked up in `root`.

    Raises:
        InvalidScenarioError: with everything that is wrong in the text, a line each.
    """
    try:
        documents = read_documents(text, name)
    except YamlError as error:
        raise InvalidScenarioError(str(error)) from None
    return _scenarios(documents, name, root, root)


def find_files(paths: Iterable[str | Path], root: Path) -> list[Path]:
    """The YAML files that paths name: files themselves, and folders with all below them, sorted, each once.

    A relative path is looked up from the current folder, then from the root. Hidden folders are left out.

    Raises:
        MissingPathError: a path that does not exist, or cannot be looked at.
    """
    found: dict[Path, Path] = {}
    problems = []
    for path in map(Path, paths):
        try:
            existing = next((place for place in (path, root / path) if is_there(place)), None)
            files = sorted(_below(existing)) if existing is not None and existing.is_dir() else None
        except (OSError, ValueError) as error:
            where = getattr(error, "filename", None) or path
            problems.append(f"{where}: cannot be read: {getattr(error, 'strerror', error)}; check the path")
            continue
        if existing is None:
            problems.append(_no_such_path(path, root))
        elif files is not None:
            found.update((_real(file), file) for file in files)
        else:
            found[_real(existing)] = existing
    if problems:
        raise MissingPathError(*problems)
    return list(found.values())


def _real(path: Path) -> Path:
    """The file that links lead to; a link that leads round in a circle is a file of its own, which cannot be read."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def select(scenarios: Sequence[Scenario], selector: str) -> Scenario:
    """The scenario that `path::name` names.

    Raises:
        MissingPathError: none of them has that name.
    """
    path, _, name = selector.partition("::")
    for scenario in scenarios:
        if scenario.name == name:
            return scenario
    names = [scenario.name for scenario in scenarios]
    known = "known are " + ", ".join(map(repr, names)) if names else "the file holds no scenario"
    raise MissingPathError(f"{path}: no scenario is named {name!r}; {did_you_mean(name, names, known)}")


def _scenarios(documents: list[Document], name: str, folder: Path | None, root: Path | None) -> tuple[Scenario, ...]:
    written = [(index, document) for index, document in enumerate(documents) if document.data is not None]
    if not written:
        raise InvalidScenarioError(f"{name}:1: the file holds no scenario; start one with version: 1")
    scenarios = []
    problems: list[str] = []
    for index, document in written:
        source = Source(name, folder, root, index, len(written), document.line, document.positions)
        try:
            scenarios.append(_scenario(document, source))
        except InvalidScenarioError as error:
            problems += error.problems
    problems += _clashes(scenarios)
    if problems:
        raise InvalidScenarioError(*problems)
    return tuple(scenarios)


def _scenario(document: Document, source: Source) -> Scenario:
    if not isinstance(document.data, dict):
        what = "a scenario is a mapping; start it with version: 1"
        raise InvalidScenarioError(f"{source.path}:{source.line}: {what}")
    try:
        return Scenario.model_validate(document.data, context=source)
    except ValidationError as error:
        faults = explain(error, document.data)
    placed = sorted(((source.positions.line(fault.at), fault) for fault in faults), key=lambda pair: pair[0])
    raise InvalidScenarioError(*(_line(source.path, line, fault) for line, fault in placed))


def _line(path: str, line: int, fault: Fault) -> str:
    field = shown_path(fault.at)
    return f"{path}:{line}: {field}: {fault.what}" if field else f"{path}:{line}: {fault.what}"


def _clashes(scenarios: list[Scenario]) -> Iterator[str]:
    """Names of one file that are equal, or would name the same cassette."""
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        other = first.setdefault(slug(scenario.name), scenario)
        if other is scenario:
            continue
        what = "stands twice" if other.name == scenario.name else f"is too like {other.name!r}"
        where = f"{scenario.path}:{scenario.line_of('name')}: name"
        first_line = other.line_of("name")
        yield f"{where}: {scenario.name!r} {what}, see line {first_line}; give each scenario its own"


def path_in(path: Path, root: Path) -> str:
    """The path of a scenario file in ids, messages and names of cassettes: from the root, or whole where it is outside.

    It is the same whatever way led there, `..` and links: a cassette is found again by it.
    """
    real, top = _real(path), root.resolve()
    return (real.relative_to(top) if real.is_relative_to(top) else real).as_posix()


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in files if name.endswith(SUFFIXES))


def _raise(error: OSError) -> None:
    raise error


def _no_such_path(path: Path, root: Path) -> str:
    """The message for a path that does not exist: the first part of it that is wrong, and what is near."""
    known = path if path.is_absolute() else root / path
    while not known.parent.exists():
        known = known.parent
    try:
        siblings = sorted(item.name for item in known.parent.iterdir())
    except OSError:  # no folder, or one that only lets through
        siblings = []
    shown = path_in(path, root)
    near = nearest(known.name, siblings, 0.6)
    hint = "check the path" if near is None else f"did you mean {path_in(known.with_name(near), root)!r}?"
    return f"{shown}: no such file or folder; {hint}"
