"""Where a scenario comes from; pydantic hands it to validators as their context."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolreplay.files.yaml import Positions

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario's place.

    Attributes:
        path: the file, relative to the project root, with forward slashes.
        folder: the folder that files named in the scenario are looked up in; None where there is no file.
        root: the project root, which no such file may leave.
        document: index of the YAML document in the file, from 0.
        documents: how many documents with a scenario the file has.
        line: the document's first line, from 1.
        positions: the lines of its fields.
    """

    path: str = "<scenario>"
    folder: Path | None = None
    root: Path | None = None
    document: int = 0
    documents: int = 1
    line: int = 1
    positions: Positions = field(default_factory=lambda: Positions(1))
