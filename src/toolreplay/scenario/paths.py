"""Where the cassette of a scenario lies."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from toolreplay.wire.model import Wire

if TYPE_CHECKING:
    from .model import Scenario


def cassette_path(
    scenario: Scenario, cassettes: Path, loop: str | None = None, *, scenarios: str = "scenarios"
) -> Path:
    """The cassette of a scenario, recorded with its own loop or with `loop`.

    `<cassettes>/<path below the scenarios folder>[.<document name>][.converse][.<loop>].yaml`; the document's
    name stands in it where the file has several. `scenarios` is the first folder of scenarios in the
    configuration, relative to the root; a scenario elsewhere keeps its whole path, so that no two meet.
    """
    path = PurePosixPath(scenario.path)
    if path.is_relative_to(scenarios):
        path = path.relative_to(scenarios)
    elif path.is_absolute():
        path = PurePosixPath(*path.parts[1:])
    name = path.stem
    if scenario.source.documents > 1:
        name += f".{slug(scenario.name)}"
    if scenario.wire is Wire.CONVERSE:
        name += ".converse"
    if loop is not None:
        name += f".{slug(loop)}"
    return cassettes.joinpath(*path.parent.parts, f"{name}.yaml")


def slug(text: str) -> str:
    """A text as part of a file name: `Two cities, one unknown` is `two-cities-one-unknown`."""
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-")[:80].rstrip("-")
