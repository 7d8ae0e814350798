"""Writing files so that nothing is ever half written or lost."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_NAME: Final = 40  # characters of the name that a left-over temporary file shows; a name has 255 bytes


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Replace the file whole, or leave it as it was: a temporary file beside it, synced, then renamed into place.

    Folders are made as needed, and a link stays a link. Whatever stops the write (a full disk, a kill) leaves the old
    file untouched. A long text may come in pieces.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name[:_NAME]}.{secrets.token_hex(8)}.tmp")
    # Not tempfile's, which makes files private: the umask could only be asked by setting it, for all threads.
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except BaseException:  # Ctrl-C too must leave no half of a file behind; it goes on its way
        temporary.unlink(missing_ok=True)
        raise
