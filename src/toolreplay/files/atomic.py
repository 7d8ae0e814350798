"""Writing files so that nothing is ever half written or lost."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Replace the file whole, or leave it as it was: a temporary file beside it, synced, then renamed into place.

    Folders are made as needed, and a link stays a link. Whatever stops the write (a full disk, a kill) leaves the old
    file untouched. A long text may come in pieces.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private; a cassette is an ordinary file of the repository.
        temporary.chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
