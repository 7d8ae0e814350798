"""Opening files that somebody else wrote: no pipe or device blocks, no file that changes is half read."""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path
from typing import BinaryIO, Final

_FLAGS: Final = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
_CHUNK: Final = 2**20
_PATIENCE: Final = 1_000  # ms for the other side to open a pipe: in a shell both are started at once


class ChangedError(OSError):
    """The file was written to while it was read."""


def is_there(path: Path) -> bool:
    """Whether a path leads to something. Path.exists() calls a circle of links nothing, and raises on the rest.

    Raises:
        OSError: it cannot be told: a folder on the way may not be looked into, links lead round, a name is too long.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def open_plain(path: Path, *, pipes: bool = False) -> BinaryIO:
    """Open a regular file for reading.

    Args:
        pipes: take a named pipe too, such as the shell's `<(command)`; it is waited for a writer for a second, and
            a pipe that nobody writes to then is empty.

    Raises:
        OSError: the file cannot be opened, or is a socket, a device, a folder, or a pipe that was not asked
            for.
    """
    # Not blocking, since opening a pipe waits for a writer; what a path is, is only sure once it is open.
    handle = os.open(path, _FLAGS)
    mode = os.fstat(handle).st_mode
    named_pipe = pipes and stat.S_ISFIFO(mode)
    if not named_pipe and not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "it is a socket, pipe or device, not a file", str(path))
    if named_pipe:
        _wait_for_writer(handle)
        os.set_blocking(handle, True)
    return os.fdopen(handle, "rb", buffering=_CHUNK)


def is_pipe(file: BinaryIO) -> bool:
    """Whether an open file is a pipe, named or not."""
    try:
        return stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
    except (OSError, AttributeError):
        return False  # a stream without a file


def _wait_for_writer(handle: int) -> None:
    """Wait until there is something to read, or a writer came and went; a slow one is waited for when reading."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.poll(_PATIENCE)


def read_all(file: BinaryIO, limit: int, before: bytes = b"") -> bytes | None:
    """The bytes of an open file, after `before` that was read already; None when they are more than `limit`.

    Raises:
        ChangedError: its size or time of change is not what it was when reading began.
    """
    start = _state(file)
    if start is not None and start[0] > limit:
        return None  # not read first: a sparse file takes no place on disk, and all of it in memory
    data = before + file.read(max(0, limit + 1 - len(before)))
    if _state(file) != start:
        raise ChangedError(errno.EAGAIN, "it changed while it was read")
    return None if len(data) > limit else data


def _state(file: BinaryIO) -> tuple[int, int] | None:
    try:
        found = os.fstat(file.fileno())
    except (OSError, AttributeError):
        return None  # a stream without a file: bytes in memory, a decompressor
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
