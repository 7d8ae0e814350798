"""Judging the requests of one file, or of a part of a log, one after the other.

The recorded answer's status does not matter: a request that the API refused is judged like one it took.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from toolreplay.cassette.leaks import Leaks
from toolreplay.cassette.secrets import Secret
from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.conversations import Verdict
from toolreplay.contract.entry import check_leak
from toolreplay.contract.finding import Finding, Profile
from toolreplay.contract.fold import check_request
from toolreplay.contract.leak import Leak
from toolreplay.wire.model import Block, Request, ToolUse, Wire

from .entries import Entry, Left
from .following import Following
from .result import FileResult, Kind, Located, Unreadable, kind_of
from .selection import Selection

_REMEMBERED: Final = 16 * 2**20
_MOST_UNREADABLE: Final = 100
"""Unreadable lines of a part of a log that are told one by one."""

_SECRETS: Final = ("TR901", "TR902")
"""The rules about credentials."""

_BODY: Final = "request body "
_LONGEST_REASON: Final = 120


@dataclass(frozen=True, slots=True)
class Options:
    """How to check.

    Attributes:
        profile: whose contract is held; None for the one of each request's wire.
        wire: the wire of request bodies whose shape does not tell.
        selection: whose findings are wanted.
        keep: findings of each kind that are kept of a part; None for all. All are counted.
        named: what of a file that the user named: whether it must be a recording, a request body or a log.
        secrets: what is a credential too, by its look: the user's own.
    """

    profile: Profile | None = None
    wire: Wire | None = None
    selection: Selection = field(default_factory=Selection)
    keep: int | None = None
    named: bool = True
    secrets: tuple[re.Pattern[str], ...] = ()


class Judging:
    """The requests of one file so far.

    Args:
        log: whether there may be any number of them, so that only the latest conversations are remembered.
        lines: finds the lines of the file's entries, for a file whose loader does not tell them; it is asked
            only when there is something to tell.
    """

    def __init__(self, file: str, options: Options, *, log: bool, lines: Callable[[], Sequence[int]] = tuple) -> None:
        self._file = file
        self._lines = cache(lines)
        self._options = options
        self._following = Following(options.profile, _REMEMBERED if log else None)
        self._begin()

    def _begin(self) -> None:
        self._requests = 0
        self._unchecked = self._redacted = self._passed = 0
        self._calls = _Calls()
        # What may be secret is not looked for where nobody wants to be told.
        wanted = any(map(self._options.selection.wants, _SECRETS))
        self.leaks = Leaks(self._options.secrets) if wanted else None
        self._told: set[tuple[str, int]] = set()
        self._findings: list[Located] = []
        self._counts: Counter[Kind] = Counter()
        self._unreadable: list[Unreadable] = []
        self._damaged: list[Unreadable] = []
        self._more_unreadable = 0
        self.known = False

    def take(self, exchange: Entry, size: int = 0) -> None:
        """Judge a request that takes up `size` bytes of a log."""
        if exchange.left is Left.OTHER:
            self.pass_over()
            return
        self.known = True
        self._note_secrets(exchange)
        if exchange.left is Left.REDACTED:
            self._redacted += 1
            return
        if exchange.left is Left.DAMAGED:
            self._damaged.append(Unreadable(self._file, self._line(exchange), exchange.fault))
            return
        if exchange.fault:
            self.refuse(self._line(exchange), exchange.fault)
            return
        if exchange.request is None:
            self._calls.count(exchange.reply.blocks if exchange.reply is not None else ())
            return
        try:
            self._judge(exchange, exchange.request, size)
        except Exception as error:  # noqa: BLE001  (a fault of ours must not end the check of all other files)
            # Nothing that is half known may be gone on with.
            self._following.forget()
            self.refuse(self._line(exchange), why_failed(error))

    def pass_over(self) -> None:
        """Count a line or an entry that holds no request to the model."""
        self._passed += 1

    def refuse(self, line: int, reason: str) -> None:
        """Note a line, from 1, that cannot be read."""
        if len(self._unreadable) < _MOST_UNREADABLE:
            self._unreadable.append(Unreadable(self._file, line, reason))
        elif self._more_unreadable == 0:
            self._unreadable.append(Unreadable(self._file, line, ""))
            self._more_unreadable = 1
        else:
            self._more_unreadable += 1

    def result(self, size: int) -> FileResult:
        """What was found since the last result, from `size` bytes of the file; the next part begins anew."""
        if self._more_unreadable:
            first = self._unreadable.pop()
            reason = f"from here on {self._more_unreadable} lines cannot be read"
            self._unreadable.append(Unreadable(self._file, first.line, reason))
        result = FileResult(
            file=self._file,
            files=int(self.known),
            requests=self._requests,
            tool_uses=self._calls.total,
            unchecked=self._unchecked,
            redacted=self._redacted,
            passed=self._passed,
            findings=tuple(self._findings),
            counts=dict(self._counts),
            unreadable=tuple(self._unreadable),
            damaged=tuple(self._damaged),
            size=size,
        )
        self._following.forget()
        self._begin()
        return result

    def _judge(self, exchange: Entry, request: Request, size: int) -> None:
        followed = self._following.judge(request, size)
        verdict = followed.verdict
        self._requests += 1
        self._unchecked += followed.flattened
        for finding in _fresh(verdict, self._options.profile):
            self._note(finding, exchange)
        self._calls.count(block for message in verdict.new_messages for block in message.blocks)
        if exchange.reply is not None:
            self._calls.count(exchange.reply.blocks)
            for finding in self._following.served(followed, exchange.reply):
                self._note(finding, exchange)

    def _note_secrets(self, exchange: Entry) -> None:
        """Each credential once: a history repeats it in every request."""
        for secret in exchange.secrets:
            for finding in check_leak(_leak(secret)):
                if (finding.code, secret.mark) not in self._told:
                    self._told.add((finding.code, secret.mark))
                    self._note(finding, exchange)

    def _line(self, exchange: Entry) -> int:
        if exchange.line > 1:
            return exchange.line
        lines = self._lines()
        return lines[exchange.index] if exchange.index < len(lines) else exchange.line

    def _note(self, finding: Finding, exchange: Entry) -> None:
        if not self._options.selection.wants(finding.code):
            return
        kind = kind_of(finding)
        self._counts[kind] += 1
        if self._options.keep is None or self._counts[kind] <= self._options.keep:
            self._findings.append(Located(finding, self._file, exchange.index, self._line(exchange)))


def why_failed(error: Exception) -> str:
    """The reason for which something was not checked that made our own code raise."""
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    told = " ".join(f"{type(error).__name__}: {error}".split())
    return f"cannot be checked: {told[:_LONGEST_REASON]}; this is a fault of toolreplay, please report it"


def _leak(secret: Secret) -> Leak:
    """What the rules judge. A credential in JSON that came alone has the place as its path, and stands in a request."""
    place = secret.place
    if place.startswith(("request URL", "request header", "response header")):
        return Leak(secret.kind, place, in_body=False)
    if place.startswith("response"):
        return Leak(secret.kind, place, in_body=True)
    path = place.removeprefix(_BODY).partition(" ")[0].rstrip(",")
    return Leak(secret.kind, place if place.startswith(_BODY.rstrip()) else f"{_BODY}{place}", in_body=True, path=path)


def _fresh(verdict: Verdict, profile: Profile | None) -> Iterator[Finding]:
    if verdict.history_known:
        yield from verdict.fresh
        return
    # It goes on with a thread whose beginning is not in the file: it is judged by what it shows by itself.
    for finding in dict.fromkeys(check_request(verdict.request, profile)):
        if finding.code in _judged_alone():
            yield finding


@cache
def _judged_alone() -> frozenset[str]:
    return frozenset(code for code, rule in all_rules().items() if rule.alone)


class _Calls:
    """Counts the calls of client tools, each id once."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._nameless = 0

    @property
    def total(self) -> int:
        return len(self._ids) + self._nameless

    def count(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            if isinstance(block, ToolUse):
                if block.id is None:
                    self._nameless += 1
                else:
                    self._ids.add(block.id)
