"""What `check` found: in a file or part of a log, and in all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from toolreplay.contract.finding import Finding, Severity


class Kind(NamedTuple):
    """What findings are counted by."""

    code: str
    name: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Located:
    """A finding and the request it is about.

    Attributes:
        exchange: the request's index in the file as it stands, from 0, unrelated interactions counted; in a
            JSONL file the index of its line.
        line: the line of the file, from 1, at which the request begins; 1 where the loader does not know.
    """

    finding: Finding
    file: str
    exchange: int
    line: int = 1


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or a line of a log, that could not be checked. `line` counts from 1."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file, or the next part of a long log; a file's parts come one after the other.

    Attributes:
        files: 1 in the first part that holds something to check, else 0: added up, the files that were read.
        requests: requests to the model.
        tool_uses: the calls of client tools, in histories and in replies; each id counts once in a part.
        unchecked: requests of a tool loop without any tool block, which the recording turned into text.
        redacted: requests whose body the recorder took out.
        passed: lines of a log, or entries of a list, that hold no request to the model, beside others that do.
        findings: in the order of requests, or only the first of each kind if that was asked for.
        counts: how many findings there are of each kind, also of those that were not kept.
        unreadable: what could not be read; of a log's lines the first ones.
        damaged: requests of a recording that could be read, but for their own bodies.
        known: findings that a baseline holds; they are in no other number.
        skipped: whether it is YAML or JSON that has nothing to do with a model.
        size: bytes of the file that were read for it, for showing progress.
    """

    file: str
    files: int = 0
    requests: int = 0
    tool_uses: int = 0
    unchecked: int = 0
    redacted: int = 0
    passed: int = 0
    findings: tuple[Located, ...] = ()
    counts: Mapping[Kind, int] = field(default_factory=dict)
    unreadable: tuple[Unreadable, ...] = ()
    damaged: tuple[Unreadable, ...] = ()
    known: int = 0
    skipped: bool = False
    size: int = 0


@dataclass(slots=True)
class Totals:
    """The sums of all results.

    Attributes:
        gone: findings of the baseline that were not found any more.
    """

    files: int = 0
    requests: int = 0
    tool_uses: int = 0
    unchecked: int = 0
    redacted: int = 0
    passed: int = 0
    unreadable: int = 0
    damaged: list[Unreadable] = field(default_factory=list)
    known: int = 0
    gone: int = 0
    counts: Counter[Kind] = field(default_factory=Counter)

    def add(self, result: FileResult) -> None:
        """Add one result."""
        self.files += result.files
        self.requests += result.requests
        self.tool_uses += result.tool_uses
        self.unchecked += result.unchecked
        self.redacted += result.redacted
        self.passed += result.passed
        self.unreadable += len(result.unreadable)
        self.damaged += result.damaged
        self.known += result.known
        self.counts.update(result.counts)

    @property
    def errors(self) -> int:
        """Error findings."""
        return self.of(Severity.ERROR)

    def of(self, severity: Severity) -> int:
        """Findings of a severity."""
        return sum(number for kind, number in self.counts.items() if kind.severity is severity)


@dataclass(frozen=True, slots=True)
class Report:
    """All files of one `check`, everything kept.

    Attributes:
        files: files that were read as recordings, request bodies or logs; neither skipped nor unreadable
            ones.
        requests: requests to the model in them.
        tool_uses: the calls of client tools in them, in histories and in replies; each counts once in a file
            (in a long log, in each of its parts), by its id (one without an id, each time it is new in a
            conversation).
        findings: in the order of files and requests; a fault that stays in the history is reported at the
            first request that has it.
        unchecked, redacted, passed, damaged: what was not checked, see `FileResult`.
    """

    files: int
    requests: int
    tool_uses: int
    findings: tuple[Located, ...]
    unreadable: tuple[Unreadable, ...]
    unchecked: int = 0
    redacted: int = 0
    passed: int = 0
    damaged: tuple[Unreadable, ...] = ()

    @classmethod
    def of(cls, results: Iterable[FileResult]) -> Report:
        """Add up the results of files."""
        totals = Totals()
        findings: list[Located] = []
        unreadable: list[Unreadable] = []
        for result in results:
            totals.add(result)
            findings += result.findings
            unreadable += result.unreadable
        return cls(
            totals.files,
            totals.requests,
            totals.tool_uses,
            tuple(findings),
            tuple(unreadable),
            totals.unchecked,
            totals.redacted,
            totals.passed,
            tuple(totals.damaged),
        )


def kind_of(finding: Finding) -> Kind:
    """What a finding is counted by."""
    return Kind(finding.code, finding.name, finding.severity)


def moved(result: FileResult, lines: int) -> FileResult:
    """The result of a log's part that begins `lines` lines after the beginning of the log."""
    if not lines:
        return result
    return replace(
        result,
        findings=tuple(
            replace(found, exchange=found.exchange + lines, line=found.line + lines) for found in result.findings
        ),
        unreadable=tuple(replace(entry, line=entry.line + lines) for entry in result.unreadable),
    )
