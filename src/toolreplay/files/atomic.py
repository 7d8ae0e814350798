"""Writing files so that nothing is ever half written or lost."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_NAME: Final = 40  # characters of the name that a left-over temporary file shows; a name has 255 bytes
_HANDLES: Final = {"/dev/stdout": 1, "/dev/stderr": 2}
_HANDLE: Final = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Replace the file whole, or leave it as it was: a temporary file beside it, synced, then renamed into place.

    Folders are made as needed, and a link stays a link. Whatever stops the write (a full disk, a kill) leaves the old
    file untouched. A long text may come in pieces. What is no file (a pipe, a device, `/dev/stdout`) stays what it is,
    and the text is written into it.

    Raises:
        OSError: it cannot be written.
    """
    write_texts({path: text})


def write_texts(texts: Mapping[Path, str | Iterable[str]]) -> None:
    """Replace several files, each as `write_text` does, and none before all of them are written beside their places.

    What goes into pipes and devices goes there last, since it cannot be taken back.

    Raises:
        OSError: one cannot be written; its `filename` is that path, as it was given.
    """
    written: dict[Path, Path] = {}
    try:
        for path, text in sorted(texts.items(), key=lambda item: not _is_file(item[0])):
            with _named(path):
                if not _is_file(path):
                    _write_into(path, text)
                    continue
                target = _place(path)
                temporary = target.with_name(f".{target.name[:_NAME]}.{secrets.token_hex(8)}.tmp")
                written[temporary] = target
                _write(temporary, text, like=target)
        for temporary, target in written.items():
            temporary.replace(target)
    except BaseException:  # Ctrl-C too must leave no half of a file behind; it goes on its way
        for temporary in written:
            temporary.unlink(missing_ok=True)
        raise


def _handle(path: Path) -> int | None:
    named = _HANDLE.fullmatch(str(path))
    return int(named[1]) if named else _HANDLES.get(str(path))


def _is_file(path: Path) -> bool:
    """Whether a path is a file, or may become one; a folder too, which is refused later."""
    if _handle(path) is not None:
        return False
    try:
        mode = path.stat().st_mode  # and not the resolved path: that of a pipe that is open exists nowhere
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _write_into(path: Path, text: str | Iterable[str]) -> None:
    # The handle itself: opened by its name anew, a file would be written from its beginning, and no socket opens.
    handle = _handle(path)
    opened = os.open(path, os.O_WRONLY) if handle is None else os.dup(handle)
    with os.fdopen(opened, "w", encoding="utf-8", newline="\n") as file:
        file.writelines([text] if isinstance(text, str) else text)


def _place(path: Path) -> Path:
    with suppress(FileNotFoundError):
        path.stat()  # a circle of links, which resolve() tells with a RuntimeError, or not at all
    target = path.resolve()
    if target.is_dir():  # found out now, and not when others are in place already
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _write(temporary: Path, text: str | Iterable[str], *, like: Path) -> None:
    # Not tempfile's, which makes files private: the umask could only be asked by setting it, for all threads.
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.writelines([text] if isinstance(text, str) else text)
        file.flush()
        os.fsync(file.fileno())
    if like.exists():
        temporary.chmod(stat.S_IMODE(like.stat().st_mode))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise
