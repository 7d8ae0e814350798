"""Cassettes that no scenario plays: what is left when a scenario is deleted or renamed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from .files import RECORDINGS

_PLAYED: Final = ".yaml"
"""How the cassette of a scenario ends (`scenario.paths`), whatever tool wrote it."""

_VCRS: Final = ".toolreplay"
"""The ending that says that vcrpy plays it, with our serializer."""


def cassettes_below(folder: Path) -> list[Path]:
    """The recordings in a folder and all below it, sorted; hidden files and folders, and vcrpy's, are left out.

    Raises:
        OSError: a folder cannot be looked into.
    """
    found = []
    for parent, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(parent, name) for name in files if _is_cassette(name) and not name.startswith("."))
        found += [path for path in paths if _is_file(path)]
    return sorted(found)


def orphans(cassettes: Iterable[Path], played: Iterable[Path]) -> list[Path]:
    """Those of the cassettes that belong to no scenario; with another ending than `.yaml` none belongs to one.

    Args:
        played: the cassette of each scenario that is played from one. A cassette beside it whose name goes on
            after a dot (`weather.my-loop.yaml`) was recorded with another loop and belongs to it too.
    """
    own = {path.with_suffix("") for path in played}
    return [path for path in cassettes if path.suffix != _PLAYED or not any(base in own for base in _bases(path))]


def _raise(error: OSError) -> None:
    raise error


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False  # a link that leads nowhere


def _is_cassette(name: str) -> bool:
    plain = name.lower().removesuffix(".gz")
    return plain.endswith(RECORDINGS) and not plain.endswith(_VCRS)


def _bases(path: Path) -> Iterable[Path]:
    """What the cassette of the scenario may be called: the name, without one part after the other."""
    name = path.name
    while "." in name[1:]:
        name = name.rpartition(".")[0]
        yield path.with_name(name)
