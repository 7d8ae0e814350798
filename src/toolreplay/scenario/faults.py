"""What is wrong with a scenario: a field and a sentence, and the error that carries them all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolreplay.errors import ScenarioError, UsageError

Path = tuple[str | int, ...]
_PLAIN = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to mend.

    Attributes:
        at: the field, as keys and list indexes; from the scenario's top, or from where a validator stands.
        what: what is wrong and what to do, without the field's name.
    """

    at: Path
    what: str


class FaultsError(ValueError):
    """Raised by a validator of pydantic's that found faults below the value it was given."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.what for fault in faults))
        self.faults = faults


class InvalidScenarioError(ScenarioError):
    """Scenario files that cannot be used, with everything that is wrong with them.

    Attributes:
        problems: one line each, `scenarios/weather.yaml:14: tools[0].name: missing; add it`.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


class MissingPathError(InvalidScenarioError, UsageError):
    """A path of the command line leads nowhere."""


def refuse(what: str, *at: str | int) -> FaultsError:
    """The error for a single fault."""
    return FaultsError(Fault(at, what))


def as_word(text: str) -> str:
    """A text to repeat in advice, where it is one plain word; else an ellipsis."""
    return text if re.fullmatch(r"[\w.:-]{1,60}", text) else "..."


def shown_path(at: Path) -> str:
    """A field as messages name it: `tools[0].stub[1].raise.type`; "" for the whole scenario."""
    text = ""
    for step in at:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step!r}]"
    return text
