"""What the plugin costs a project that does not use it: `pytest --collect-only`, with it and without."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROUNDS = 15


def rows() -> Iterator[str]:
    """The difference of the medians, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_one.py").write_text("def test_one():\n    pass\n")
        pairs = [(_seconds(folder), _seconds(folder, "-p", "no:toolreplay")) for _ in range(ROUNDS)]
    added = statistics.median(a - b for a, b in pairs) * 1000
    bare = statistics.median(b for _, b in pairs) * 1000
    yield f"idle plugin: {added:+.1f} ms on pytest --collect-only of {bare:.0f} ms (must 30, aim 10)"


def _seconds(folder: str, *options: str) -> float:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options, folder]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    return time.perf_counter() - started
