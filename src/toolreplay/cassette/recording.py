"""What a file with recorded HTTP exchanges holds, whatever its format, and how it can be unreadable."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolreplay.errors import CassetteError
from toolreplay.wire.http import HttpRequest, HttpResponse


@dataclass(frozen=True, slots=True)
class Interaction:
    """One recorded exchange.

    Attributes:
        index: its position in the file as it stands, from 0, unrelated exchanges counted.
        response: None where the request was never answered.
        line: the line of the file, from 1, at which it begins; 1 where the loader does not know.
        at: while the file is read, the mapping of the loaded file that it stands in, by which its line is
            found.
    """

    index: int
    request: HttpRequest
    response: HttpResponse | None
    line: int = field(default=1, compare=False)
    at: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Recording:
    """A file's exchanges, in the file's order. `file` is the path as it was given."""

    file: str
    interactions: tuple[Interaction, ...]


class UnreadableError(CassetteError):
    """A recording that cannot be read; the message is one line, `path:line: reason`."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(f"{file}:{line}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason


class NotARecording(UnreadableError):
    """YAML or JSON that holds no recorded exchanges: a scenario, a configuration, a request body."""


class MalformedError(Exception):
    """A format found a part of a recording that it cannot make sense of.

    Attributes:
        at: the mapping of the loaded file that the part stands in, by which its line is found.
    """

    def __init__(self, reason: str, at: object = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
