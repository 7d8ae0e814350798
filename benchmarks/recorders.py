"""Size, load and replay of one conversation as recorders keep it: `python -m benchmarks.recorders`, about a minute.

Plain vcrpy and cassetter match on method, URI and body, as a tool loop needs: its requests differ in nothing else.
toolreplay replays with every check on. The same bytes were recorded by all, from a server on 127.0.0.1.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anthropic
import vcr
from vcr.cassette import Cassette as VcrCassette

from toolreplay import vcr_serializer
from toolreplay.cassette.playback import Match, Playback
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.loop import run
from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.loops import REFERENCE, Target
from toolreplay.runner.play import play_with
from toolreplay.runner.router import INTERCEPTOR
from toolreplay.runner.run import Outcome
from toolreplay.runner.sides import CassetteSide
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

from .conversation import MODEL, PAGE, TOOL, floor, reply_bytes, scenario

TURNS = (2, 10, 50, 200)
CAP = 15.0  # seconds for one replay; what was reached by then is printed
ROUNDS = 5  # the best counts: other work on the machine only adds
QUICK = 2.0  # seconds; a longer replay is not repeated
MATCH = ["method", "uri", "body"]


@dataclass(frozen=True)
class Recorder:
    """One way to keep a conversation. `record` is given a URL to ask, and writes; `replay` plays under the cap."""

    name: str
    record: Callable[[Path, str, int], object]
    load: Callable[[Path], object]
    replay: Callable[[Path, str, int], Replay] | None


@dataclass(frozen=True, order=True)
class Replay:
    """How long a replay took, and how many turns it came to until it ended or was stopped."""

    seconds: float
    turns: int


class _CapReached(BaseException):
    """Not an Exception: the loop would tell the model of one."""


def rows() -> Iterator[str]:
    """For each length the bare loop on the SDK, then a line for each recorder; the ratio is to the bare loop."""
    for turns in TURNS:
        bare = min(_seconds(floor(turns)) for _ in range(ROUNDS))
        yield f"{turns:>3} turns: {'the SDK alone':<23} {'':>13}{'':>18} replay {bare * 1000:8.1f} ms"
        for recorder in _recorders():
            yield f"{turns:>3} turns: {recorder.name:<23} {_row(recorder, turns, bare)}"
        if find_spec("cassetter") is None:
            yield f"{turns:>3} turns: {'cassetter':<23} not installed"


def _row(recorder: Recorder, turns: int, bare: float) -> str:
    with tempfile.TemporaryDirectory() as folder, serving(_Model(turns)) as url:
        path = Path(folder) / "cassette.yaml"
        recorder.record(path, url, turns)
        size = path.stat().st_size / 1000
        try:
            recorder.load(path)
            load = min(_seconds(lambda: recorder.load(path)) for _ in range(ROUNDS))
            replay = _replayed(recorder, path, url, turns, bare)
        except Exception as error:  # noqa: BLE001  (whatever keeps a recorder from it is its figure)
            return f"{size:9.1f} kB, fails: {type(error).__name__}: {str(error)[:90]!r}"
    return f"{size:9.1f} kB, load {load * 1000:8.1f} ms, replay {replay}"


def _replayed(recorder: Recorder, path: Path, url: str, turns: int, bare: float) -> str:
    if recorder.replay is None:
        return "as vcrpy"
    best = recorder.replay(path, url, turns)
    if best.turns < turns:
        return f"{best.turns} of {turns} turns in {best.seconds:.0f} s"
    for _ in range(ROUNDS - 1 if best.seconds < QUICK else 0):
        best = min(best, recorder.replay(path, url, turns))
    return f"{best.seconds * 1000:8.1f} ms, {best.seconds / bare:.1f}x"


class _Model:
    """Answers a conversation of so many turns."""

    def __init__(self, turns: int) -> None:
        self._turns = turns

    def __call__(self, request: HttpRequest) -> HttpResponse:
        turn = 1 + sum(message["role"] == "assistant" for message in request.json["messages"])
        return HttpResponse(200, {"content-type": "application/json"}, reply_bytes(turn, self._turns))


def _recorders() -> Iterator[Recorder]:
    yield Recorder("toolreplay", _record_ours, read_cassette, _replay_ours)
    yield Recorder("vcrpy", _record_vcr("yaml"), _load_vcr("yaml"), _replay_vcr)
    yield Recorder("vcrpy, this serializer", _record_vcr("toolreplay"), _load_vcr("toolreplay"), None)
    if find_spec("cassetter") is not None:
        yield Recorder("cassetter", _record_cassetter, _load_cassetter, _replay_cassetter)


def _talk(url: str, turns: int, cap: float = CAP) -> Replay:
    """The reference loop against a URL."""
    started, reached = time.process_time(), 0

    def read_page(number: int) -> str:  # noqa: ARG001
        nonlocal reached
        reached += 1
        if time.process_time() - started > cap:
            raise _CapReached
        return PAGE

    messages = [{"role": "user", "content": "Read the book."}]
    with anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client:
        started = time.process_time()
        try:
            run(
                client,
                model=MODEL,
                messages=messages,
                tools=[TOOL],
                functions={"read_page": read_page},
                max_turns=turns,
            )
        except _CapReached:
            return Replay(time.process_time() - started, reached)
    return Replay(time.process_time() - started, turns)


def _record_vcr(serializer: str) -> Callable[[Path, str, int], object]:
    def record(path: Path, url: str, turns: int) -> object:
        # What is matched on does not show in the file; on the method alone, recording itself is quick.
        with _recorder(serializer, match_on=["method"], record_mode="all").use_cassette(str(path)):
            return _talk(url, turns, cap=float("inf"))

    return record


def _recorder(serializer: str, **options: Any) -> Any:
    recorder = vcr.VCR(serializer=serializer, filter_headers=["x-api-key"], **options)
    vcr_serializer.register(recorder)
    return recorder


def _load_vcr(serializer: str) -> Callable[[Path], object]:
    def load(path: Path) -> object:
        recorder = _recorder(serializer)
        return VcrCassette.load(
            path=str(path), serializer=recorder.serializers[serializer], persister=recorder.persister
        )

    return load


def _replay_vcr(path: Path, url: str, turns: int) -> Replay:
    with _recorder("yaml", match_on=MATCH, record_mode="none").use_cassette(str(path)):
        return _talk(url, turns)


def _record_ours(path: Path, url: str, turns: int) -> object:
    plain = path.with_name("plain.yaml")
    _record_vcr("yaml")(plain, url, turns)
    write_cassette(path, read_cassette(plain))
    return None


def _replay_ours(path: Path, url: str, turns: int) -> Replay:  # noqa: ARG001
    side = CassetteSide(Playback(read_cassette(path).exchanges, Match.EXACT), "benchmark")
    played = scenario(turns)
    with dummy_credentials(), INTERCEPTOR.hold():
        started = time.process_time()
        result = play_with(played, Target(REFERENCE, run), side)
        seconds = time.process_time() - started
    assert result.outcome is Outcome.PASS, result.failures
    return Replay(seconds, turns)


def _cassetter(path: Path, mode: str, match_on: list[str]) -> AbstractContextManager[object]:
    from cassetter import use_cassette

    found: AbstractContextManager[object] = use_cassette(str(path), record_mode=mode, match_on=match_on)
    return found


def _record_cassetter(path: Path, url: str, turns: int) -> object:
    with _cassetter(path, "all", ["method"]):
        return _talk(url, turns, cap=float("inf"))


def _load_cassetter(path: Path) -> object:
    from cassetter import Cassette, RecordMode

    cassette = Cassette(str(path), record_mode=RecordMode.NONE)
    return cassette.load()


def _replay_cassetter(path: Path, url: str, turns: int) -> Replay:
    with _cassetter(path, "none", MATCH):
        return _talk(url, turns)


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
