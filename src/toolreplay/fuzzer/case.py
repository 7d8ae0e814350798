"""One example: a scenario that was drawn. What is played and what is written to a file are the same thing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolreplay.scenario.model import Scenario
from toolreplay.scenario.source import Source

from .outcomes import RISKY

Json = dict[str, Any]

_SHOWN = 4_000  # characters; Hypothesis warns of more


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
    def risky(self) -> bool:
        """Whether a tool does what can hang a loop, or end or spoil its process."""
        return any("exit" in entry or _mapping(entry.get("raise")).get("type") in RISKY for entry in self.entries())

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """The entries of all stubs."""
        for tool in self.document.get("tools", ()):
            stub = tool.get("stub", ())
            yield from [stub] if isinstance(stub, dict) else stub

    @property
    def key(self) -> str:
        """The same for equal cases, and short, since thousands may be kept."""
        return hashlib.sha256(json.dumps(self.document, sort_keys=True).encode()).hexdigest()

    def __repr__(self) -> str:
        written = repr(self.document)
        return f"Case({written if len(written) <= _SHOWN else f'{written[:_SHOWN]}...'})"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
