"""Which files the paths of a command stand for: files, folders, and patterns such as `logs/**/*.jsonl`."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOGS: Final = (".jsonl", ".ndjson")
RECORDINGS: Final = (".yaml", ".yml", ".json", ".har", ".toolreplay")
_SUFFIXES: Final = tuple(f"{suffix}{packed}" for suffix in (*RECORDINGS, *LOGS) for packed in ("", ".gz"))
_FOREIGN: Final = frozenset({"node_modules", "__pycache__", "site-packages"})
_MAGIC: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Target:
    """A file to check.

    Attributes:
        named: whether the user named it, and not a folder above it or a pattern.
        size: its bytes on disk; 0 where it cannot be asked.
    """

    path: Path
    named: bool
    size: int = 0


def is_log(name: str) -> bool:
    """Whether a file of this name is a log: one JSON value a line."""
    return name.lower().removesuffix(".gz").endswith(LOGS)


def find(paths: Iterable[Path], *, named: bool = True) -> Iterator[Target]:
    """The files of paths, each once, sorted within a folder.

    Hidden folders, package folders, linked folders, and whatever is no file (pipes, sockets, devices) are
    left out. A folder or link that cannot be followed is a target, so that reading it says why.

    Args:
        named: whether the user named the paths themselves; False passes over files that are no recordings.
    """
    return distinct(target for path in paths for target in _targets(path, named=named))


def distinct(targets: Iterable[Target]) -> Iterator[Target]:
    """The targets, each file once."""
    seen: set[Path] = set()
    for target in targets:
        real = target.path.absolute()
        if real not in seen:
            seen.add(real)
            yield target


def is_pattern(path: str) -> bool:
    """Whether a path that does not exist is meant as a pattern."""
    return not _MAGIC.isdisjoint(path) and not os.path.lexists(path)


def expand(pattern: str) -> list[Path]:
    """The paths a pattern stands for, sorted: `*`, `?`, `[...]` within a name, `**` for any folders between.

    As in a shell, hidden names must be asked for. `**` enters no linked folders, so it ends where they form a
    cycle.
    """
    path = Path(pattern)
    start = Path(path.anchor)
    return list(dict.fromkeys(_expanded(start, path.parts[bool(path.anchor) :])))


def _targets(path: Path, *, named: bool) -> Iterator[Target]:
    if path.is_dir():
        yield from _below(path)
        return
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    yield Target(path, named, size)


def _below(folder: Path) -> Iterator[Target]:
    refused: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=refused.append):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _FOREIGN)
        for name in sorted(files):
            if name.lower().endswith(_SUFFIXES):
                yield from _file(Path(where, name))
        # What could not be listed is no empty folder.
        yield from (Target(Path(error.filename), named=True) for error in refused)
        refused.clear()
    yield from (Target(Path(error.filename), named=True) for error in refused)


def _file(path: Path) -> Iterator[Target]:
    try:
        found = path.stat()
    except OSError:
        yield Target(path, named=False)
        return
    if stat.S_ISREG(found.st_mode):
        yield Target(path, named=False, size=found.st_size)


def _expanded(base: Path, parts: Sequence[str]) -> Iterator[Path]:
    if not parts:
        yield base
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _expanded(base, rest)
        for entry in _entries(base):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".") and entry.name not in _FOREIGN:
                yield from _expanded(base / entry.name, parts if rest else ())
    elif _MAGIC.isdisjoint(part):
        if os.path.lexists(base / part):
            yield from _expanded(base / part, rest)
    else:
        for entry in _entries(base):
            hidden = entry.name.startswith(".") and not part.startswith(".")
            if not hidden and fnmatch.fnmatchcase(entry.name, part) and (not rest or entry.is_dir()):
                yield from _expanded(base / entry.name, rest)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
