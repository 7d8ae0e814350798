"""The parts that the work is cut into, so that memory is bounded and several processes can share a long log.

A log is judged in parts of PART bytes of its text, whether it is plain, gzipped or piped and however many
processes there are, so that all of them find the same. Each part begins anew: a fault that stays in a history
is told again, and a call that is repeated is counted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .files import Target, is_log

PART: Final = 32 * 2**20
_TASK_SIZE: Final = 2**20
_TASK_FILES: Final = 16
_PLAIN: Final = frozenset({b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff"})


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or the lines of a plain log that begin in a range of its bytes.

    Attributes:
        start: 0 for the first part.
        end: None for the last part, which goes to the end of the file, wherever that is by then.
        size: bytes, for showing progress.
    """

    path: Path
    named: bool
    size: int
    start: int = 0
    end: int | None = None


def parts(target: Target) -> Iterator[Part]:
    """The parts of a file."""
    if target.size <= PART or not is_log(target.path.name) or not _is_plain(target.path):
        yield Part(target.path, target.named, target.size)
        return
    for start in range(0, target.size, PART):
        end = start + PART
        if end < target.size:
            yield Part(target.path, target.named, PART, start, end)
        else:
            yield Part(target.path, target.named, target.size - start, start)


def tasks(targets: Iterable[Target]) -> Iterator[tuple[Part, ...]]:
    """The parts of all files, small files several at a time."""
    gathered: list[Part] = []
    for target in targets:
        for part in parts(target):
            gathered.append(part)
            if len(gathered) >= _TASK_FILES or sum(one.size for one in gathered) >= _TASK_SIZE:
                yield tuple(gathered)
                gathered = []
    if gathered:
        yield tuple(gathered)


def _is_plain(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) not in _PLAIN
    except OSError:
        return False
