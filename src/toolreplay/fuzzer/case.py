"""One example: a scenario that was drawn. What is played and what is written to a file are the same thing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolreplay.scenario.model import Scenario
from toolreplay.scenario.source import Source
from toolreplay.wire.model import Wire

from .outcomes import RISKY
from .outline import entries_of, entry_for, outline

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A drawn scenario.

    Attributes:
        document: the scenario as its file would have it.
        hostile: whether the model side says what the API never would; what follows from it is a warning.
    """

    document: Json
    hostile: bool = False

    def scenario(self, path: str = "drawn") -> Scenario:
        """The scenario, checked as a file's is."""
        return Scenario.model_validate(self.document, context=Source(path=path))

    @property
    def wire(self) -> Wire:
        """The wire that is spoken."""
        return Wire(self.document.get("wire", Wire.MESSAGES))

    @property
    def risky(self) -> bool:
        """Whether a tool does what can hang a loop, or end or spoil its process."""
        return any("exit" in entry or _mapping(entry.get("raise")).get("type") in RISKY for entry in self.entries())

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """The entries of all stubs."""
        for tool in self.document.get("tools", ()):
            yield from entries_of(tool)

    def entry_for(self, name: str, given: object) -> Mapping[str, Any]:
        """The entry that answers a call; an empty one where there is none."""
        return entry_for(self.document.get("tools", []), name, given)

    @property
    def key(self) -> str:
        """The same for equal cases, and short, since thousands may be kept."""
        return hashlib.sha256(json.dumps(self.document, sort_keys=True).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"Case({'; '.join(outline(self.document))})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The same over several lines. Of a dataclass Hypothesis prints the fields, whatever its `__repr__` says."""
        with printer.group(4, "Case(", ")"):
            for number, line in enumerate(outline(self.document)):
                printer.breakable("; " if number else "")
                printer.text(line)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
