"""Known findings: a file that a project keeps, so that only new ones fail.

A finding is known by its file, code and path and a digest of its message, not by its line or the request's
index, so that a recording may grow. The file counts equal ones; one more than it says is new.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from toolreplay.errors import UsageError

from .result import FileResult, Located, kind_of

_VERSION: Final = 1
_DIGITS: Final = 16


class Fingerprint(NamedTuple):
    """What a finding is known by. `file` is relative to the folder of the baseline, with slashes."""

    file: str
    code: str
    path: str
    digest: str


class Baseline:
    """The findings that a baseline holds, as far as they have not turned up yet.

    Args:
        folder: the folder of the baseline file.
        known: how often each finding is known.
    """

    def __init__(self, folder: Path, known: Counter[Fingerprint] | None = None) -> None:
        self._folder = folder
        self._left = Counter(known)

    @property
    def gone(self) -> int:
        """Findings of the baseline that have not turned up."""
        return self._left.total()

    def take_out(self, results: Iterable[FileResult]) -> Iterator[FileResult]:
        """The results without the findings that are known; all findings must have been kept in them."""
        return map(self._new, results)

    def _new(self, result: FileResult) -> FileResult:
        new = []
        counts = Counter(result.counts)
        for located in result.findings:
            key = fingerprint(located, self._folder)
            if self._left[key] > 0:
                self._left[key] -= 1
                counts[kind_of(located.finding)] -= 1
            else:
                new.append(located)
        known = len(result.findings) - len(new)
        return replace(result, findings=tuple(new), counts=dict(+counts), known=known)


def fingerprint(located: Located, folder: Path) -> Fingerprint:
    """What a finding is known by in a baseline of a folder."""
    finding = located.finding
    digest = hashlib.sha256(finding.message.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    # Where the file really is: a folder may be reached through a link today and by its own name tomorrow.
    here = os.getcwd()  # noqa: PTH109  (joined for every finding)
    file = located.file if located.file == "-" else _real(os.path.join(here, located.file))  # noqa: PTH118
    return Fingerprint(relative(file, Path(_real(os.path.join(here, folder)))), finding.code, finding.path, digest)  # noqa: PTH118


@lru_cache(maxsize=1024)
def _real(absolute: str) -> str:
    try:
        return os.path.realpath(absolute)
    except ValueError:  # a name that no file can have, such as that of a stream
        return absolute


def relative(file: str, folder: Path) -> str:
    """A file's path relative to a folder, with slashes; `-` (standard input) as it is."""
    if file == "-":
        return file
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive
        return Path(file).as_posix()


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        UsageError: the file cannot be read or is no baseline.
    """
    again = "write it again with --write-baseline"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; {again}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path}: is no JSON; {again}") from None
    version = data.get("version") if isinstance(data, dict) else data
    if version != _VERSION:
        raise UsageError(f"{path}: baseline version {version!r} is not known; {again}")
    try:
        return Baseline(path.parent, Counter(dict(map(_entry, data["findings"]))))
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"{path}: an entry is not what a baseline holds; {again}") from None


def baseline_text(findings: Counter[Fingerprint]) -> Iterator[str]:
    """A baseline file: JSON with a finding a line, sorted, so that a pull request shows what changed."""
    yield f'{{\n  "version": {_VERSION},\n  "findings": ['
    for number, (key, count) in enumerate(sorted(findings.items())):
        entry = {**key._asdict(), "count": count}
        yield f"{',' if number else ''}\n    {json.dumps(entry)}"
    yield "\n  ]\n}\n" if findings else "]\n}\n"


def gather(results: Iterable[FileResult], folder: Path, into: Counter[Fingerprint]) -> Iterator[FileResult]:
    """The results as they are; their findings are counted on the way, for a baseline of a folder."""
    for result in results:
        into.update(fingerprint(located, folder) for located in result.findings)
        yield result


def _entry(fields: dict[str, object]) -> tuple[Fingerprint, int]:
    texts = [fields[name] for name in Fingerprint._fields]
    count = fields["count"]
    if not isinstance(count, int) or not all(isinstance(text, str) for text in texts):
        raise ValueError(fields)
    return Fingerprint(*map(str, texts)), count
