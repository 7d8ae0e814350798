"""Checking files: each request is linked to its conversation, and what is new in it is judged.

The recorded answer's status does not matter: a request that the API refused is judged like one it took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from ..cassette.reading import NotARecording, UnreadableError, read_bytes
from ..contract.conversations import Conversations, Verdict
from ..contract.finding import Finding, Profile
from ..contract.fold import check_request
from ..wire.model import Block, ToolUse, Wire
from .files import Target, find
from .result import FileResult, Located, Report, Unreadable
from .sources import read_exchanges

# A request that goes on with a thread whose beginning is not in the file is judged by what it shows by
# itself.
_LOCAL_FAMILIES = ("TR20", "TR30")
_NEEDS_HISTORY = frozenset({"TR205", "TR206"})


def check_paths(
    paths: Sequence[Path],
    *,
    profile: Profile | None = None,
    wire: Wire | None = None,
    jobs: int = 1,
    on_file: Callable[[str], None] | None = None,
) -> Report:
    """Check files, and folders with all recordings below them.

    Args:
        paths: a file that is named itself must be a recording, a request body or a log, else it is
            unreadable; in a folder other YAML and JSON is passed over.
        profile: whose contract is held; None for the one of each request's wire.
        wire: the wire of request bodies whose shape does not tell.
        jobs: processes to share the files among.
        on_file: called with the name of each file that is done.
    """
    targets = list(find(paths))
    judge = partial(_check_target, profile=profile, wire=wire)
    if jobs > 1 and len(targets) > 1:
        with ProcessPoolExecutor(min(jobs, len(targets))) as pool:
            return Report.of(_told(pool.map(judge, targets, chunksize=8), on_file))
    return Report.of(_told(map(judge, targets), on_file))


def check_file(path: Path, *, profile: Profile | None = None, wire: Wire | None = None) -> FileResult:
    """Check one file that was named itself."""
    return _check_target(Target(path, named=True), profile=profile, wire=wire)


def check_text(
    data: bytes, name: str, *, profile: Profile | None = None, wire: Wire | None = None
) -> FileResult:
    """Check bytes, such as those of standard input, under a name; a name in `.jsonl` makes them a log."""
    return _check(lambda: data, name, named=True, profile=profile, wire=wire)


def _check_target(target: Target, *, profile: Profile | None, wire: Wire | None) -> FileResult:
    return _check(
        lambda: read_bytes(target.path), str(target.path), named=target.named, profile=profile, wire=wire
    )


def _check(
    read: Callable[[], bytes], name: str, *, named: bool, profile: Profile | None, wire: Wire | None
) -> FileResult:
    try:
        exchanges = read_exchanges(read(), name, named=named, wire=wire)
    except NotARecording as error:
        if named:
            return FileResult(name, unreadable=Unreadable(error.file, error.line, error.reason))
        return FileResult(name, skipped=True)
    except UnreadableError as error:
        return FileResult(name, unreadable=Unreadable(error.file, error.line, error.reason))
    conversations = Conversations(profile)
    calls = _Calls()
    findings = []
    for exchange in exchanges:
        verdict = conversations.judge(exchange.request)
        findings += [Located(finding, name, exchange.index) for finding in _fresh(verdict, profile)]
        calls.count(block for message in verdict.new_messages for block in message.blocks)
        if exchange.reply is not None:
            calls.count(exchange.reply.blocks)
            conversations.served(verdict, exchange.reply)
    return FileResult(name, len(exchanges), calls.total, tuple(findings))


def _fresh(verdict: Verdict, profile: Profile | None) -> Iterator[Finding]:
    if verdict.history_known:
        yield from verdict.fresh
        return
    for finding in dict.fromkeys(check_request(verdict.request, profile)):
        if finding.code.startswith(_LOCAL_FAMILIES) and finding.code not in _NEEDS_HISTORY:
            yield finding


def _told(results: Iterable[FileResult], on_file: Callable[[str], None] | None) -> Iterator[FileResult]:
    for result in results:
        if on_file is not None:
            on_file(result.file)
        yield result


class _Calls:
    """Counts the calls of client tools in a file, each id once."""

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
