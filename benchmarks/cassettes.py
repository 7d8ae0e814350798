"""Cassettes of long conversations: size and load time must grow with the conversation, not with its square."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from toolreplay.cassette.exchange import Cassette, Exchange
from toolreplay.cassette.store import read_cassette, write_cassette

from .conversation import floor

SHORT, LONG = 20, 200


def rows() -> Iterator[str]:
    """Size and load time of the long one against the short one, and of a plain vcrpy file beside it."""
    with tempfile.TemporaryDirectory() as folder:
        sizes, loads = {}, {}
        for turns in (SHORT, LONG):
            exchanges: list[Exchange] = []
            floor(turns, exchanges)()
            path = Path(folder) / f"{turns}.yaml"
            write_cassette(path, Cassette(tuple(exchanges)))
            sizes[turns] = path.stat().st_size
            loads[turns] = min(_load_seconds(path) for _ in range(5))
    yield (
        f"cassette of {LONG} turns against {SHORT}: size {sizes[LONG] / sizes[SHORT]:.1f}x "
        f"({sizes[LONG] / 1024:.0f} KiB), load {loads[LONG] / loads[SHORT]:.1f}x ({loads[LONG] * 1000:.0f} ms) "
        "(must 12, aim 10)"
    )


def _load_seconds(path: Path) -> float:
    started = time.process_time()
    read_cassette(path)
    return time.process_time() - started
