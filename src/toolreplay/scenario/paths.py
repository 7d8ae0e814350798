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
    configuration, named as scenarios are (`load.path_in`); a scenario elsewhere keeps its whole path.

    `load.load_file` refuses a file whose cassette would be that of a file beside it. Two may still meet where a file is
    named like the path of another from the root (`scenarios/flows/a.yaml` and `flows/a.yaml`), or like another file and
    a loop (`a.agent-loop.yaml`): which folders and loops there will be is not known when a file is read.
    """
    path = PurePosixPath(scenario.path)
    if scenarios == scenario.path:  # a folder of scenarios may be a single file
        path = PurePosixPath(path.name)
    elif path.is_relative_to(scenarios):
        path = path.relative_to(scenarios)
    elif path.is_absolute():
        path = PurePosixPath(*path.parts[1:])
    name = cassette_name(
        path.stem,
        scenario.name if scenario.source.documents > 1 else None,
        converse=scenario.wire is Wire.CONVERSE,
    )
    if loop is not None:
        name += f".{slug(loop)}"
    return cassettes.joinpath(*path.parent.parts, f"{name}.yaml")


def cassette_name(stem: str, document: str | None, *, converse: bool) -> str:
    """The name of a cassette without its folder and suffix.

    Args:
        stem: the scenario file's name without its suffix.
        document: the scenario's name, where the file has several.
    """
    named = stem if document is None else f"{stem}.{slug(document)}"
    return f"{named}.converse" if converse else named


def slug(text: str) -> str:
    """A text as part of a file name: `Two cities, one unknown` is `two-cities-one-unknown`."""
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-")[:80].rstrip("-")
