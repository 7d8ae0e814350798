"""What `check` found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..contract.finding import Finding


@dataclass(frozen=True, slots=True)
class Located:
    """A finding and the request it is about.

    Attributes:
        exchange: the request's index in the file as it stands, from 0, unrelated interactions counted; in a
            JSONL file the index of its line.
    """

    finding: Finding
    file: str
    exchange: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be checked. `line` counts from 1."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file. `skipped` when it is YAML or JSON that has nothing to do with a model."""

    file: str
    requests: int = 0
    tool_uses: int = 0
    findings: tuple[Located, ...] = ()
    unreadable: Unreadable | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """All files of one `check`.

    Attributes:
        files: files that were read as recordings, request bodies or logs; neither skipped nor unreadable
            ones.
        requests: requests to the model in them.
        tool_uses: the calls of client tools in them, in histories and in replies; each counts once in a file,
            by its id (one without an id, each time it is new in a conversation).
        findings: in the order of files and requests; a fault that stays in the history is reported at the
            first request that has it.
    """

    files: int
    requests: int
    tool_uses: int
    findings: tuple[Located, ...]
    unreadable: tuple[Unreadable, ...]

    @classmethod
    def of(cls, results: Iterable[FileResult]) -> Report:
        """Add up the results of files."""
        told = [result for result in results if not result.skipped]
        read = [result for result in told if result.unreadable is None]
        return cls(
            files=len(read),
            requests=sum(result.requests for result in read),
            tool_uses=sum(result.tool_uses for result in read),
            findings=tuple(located for result in read for located in result.findings),
            unreadable=tuple(result.unreadable for result in told if result.unreadable is not None),
        )
