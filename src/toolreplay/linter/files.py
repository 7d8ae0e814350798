"""Which files a path stands for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_SUFFIXES = (".yaml", ".yml", ".json", ".har", ".jsonl", ".yaml.gz", ".yml.gz", ".json.gz")
_FOREIGN = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True, slots=True)
class Target:
    """A file to check. `named` when the user named it, and not a folder above it."""

    path: Path
    named: bool


def find(paths: Iterable[Path]) -> Iterator[Target]:
    """The files of paths, each once, sorted within a folder; hidden and package folders are left out."""
    seen: set[Path] = set()
    for path in paths:
        folder = path.is_dir()
        for file in _below(path) if folder else (path,):
            real = file.absolute()
            if real not in seen:
                seen.add(real)
                yield Target(file, named=not folder)


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _FOREIGN)
        for name in sorted(files):
            if name.lower().endswith(_SUFFIXES):
                yield Path(where, name)
