"""What a broken rule looks like: to the rule that sees it (`Broken`) and to everyone else (`Finding`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is: an `error` the API refuses, a `warning` is legal and harmful, an `info` is a habit."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Profile(StrEnum):
    """Whose contract is held : the first-party API, strict look-alike endpoints, or Bedrock Converse."""

    MESSAGES = "messages"
    GATEWAY = "gateway"
    CONVERSE = "converse"


@dataclass(frozen=True, slots=True)
class Broken:
    """What a rule yields: a place and a sentence; the checker adds code, name and severity.

    Attributes:
        path: the place in the body as sent, `messages[2].content[0]`.
        message: what is wrong there, naming ids and values.
        api: the API's own words for it, with the ids filled in, where they are known.
        fix: what to do here, if it is not what the rule's page says.
        severity: other than the rule's own for this profile, where one rule has two degrees.
    """

    path: str
    message: str
    api: str | None = None
    fix: str | None = None
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule.

    Attributes:
        code: stable, never reused: `TR101`.
        name: the problem in a few words: `unanswered-tool-use`.
        path: the place in the body as sent, `messages[2].content[0]`.
        message: what is wrong there.
        fix: what to do.
        api: what the API would have answered, word for word with the ids filled in, where that is known.
    """

    code: str
    name: str
    severity: Severity
    path: str
    message: str
    fix: str
    api: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether the API would have refused the request (or, for a run, the contract is broken)."""
        return self.severity is Severity.ERROR
