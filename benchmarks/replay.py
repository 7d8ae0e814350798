"""Replay with every check on, against the bare loop on the SDK."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from toolreplay.cassette.exchange import Cassette, Exchange
from toolreplay.cassette.playback import Match, Playback
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.loops import REFERENCE, Target
from toolreplay.runner.play import play_with
from toolreplay.runner.router import INTERCEPTOR
from toolreplay.runner.run import Outcome
from toolreplay.runner.sides import CassetteSide

from .conversation import floor, run, scenario
from .timing import ratio

LENGTHS = ((10, Match.EXACT, 60), (50, Match.EXACT, 20), (200, Match.EXACT, 5), (200, Match.CONVERSATION, 5))


def rows() -> Iterator[str]:
    """A line for each length."""
    with dummy_credentials(), INTERCEPTOR.hold():
        for turns, match, rounds in LENGTHS:
            exchanges: list[Exchange] = []
            floor(turns, exchanges)()
            played = scenario(turns)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "cassette.yaml"
                write_cassette(path, Cassette(tuple(exchanges)))
                exchanges[:] = read_cassette(path).exchanges

            def replay(exchanges: list[Exchange] = exchanges, played: object = played, match: Match = match) -> None:
                side = CassetteSide(Playback(exchanges, match), "benchmark")
                result = play_with(played, Target(REFERENCE, run), side)  # type: ignore[arg-type]
                assert result.outcome is Outcome.PASS, result.failures

            mine, bare, times = ratio(replay, floor(turns), rounds)
            figures = f"{mine * 1000:7.1f} ms, floor {bare * 1000:7.1f} ms, {times:.2f}x"
            yield f"replay {turns:>3} turns, {match}: {figures} (must 1.6, aim 1.25)"
