"""The limit on a loop's time, beside other timers of the process."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Final

import pytest

from toolreplay.runner.session import LoopStopped
from toolreplay.runner.watch import Watch

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")

LONG: Final = 60.0  # seconds that no test takes


class Rang(BaseException):
    """What an outer timer raises, as pytest-timeout's does."""


@pytest.fixture
def rings() -> Iterator[list[float]]:
    """When the timer of somebody else rang."""
    heard: list[float] = []

    def ring(_signal: int, _frame: FrameType | None) -> None:
        heard.append(time.monotonic())

    before = signal.signal(signal.SIGALRM, ring)
    yield heard
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _wait(seconds: float) -> None:
    """Wait as a loop does that nobody but a signal can wake."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.005)


def test_a_block_is_stopped() -> None:
    watch = Watch(0.02)
    with pytest.raises(LoopStopped, match=r"^the loop did not end within 0\.02 s$"), watch.keep():
        _wait(5)
    assert (watch.rang, watch.keeping) == (True, False)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_block_that_swallows_it_is_stopped_again() -> None:
    watch = Watch(0.02)
    with pytest.raises(LoopStopped), watch.keep():
        try:
            _wait(5)
        except LoopStopped:
            _wait(5)


@pytest.mark.parametrize("seconds", [None, LONG])
def test_an_outer_timer_goes_on_with_what_is_left_of_it(seconds: float | None, rings: list[float]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 30.0, 7.0)
    with Watch(seconds).keep():
        _wait(0.05)
    left, every = signal.getitimer(signal.ITIMER_REAL)
    assert (29.0 < left <= 29.95, every) == (True, 7.0)
    assert not rings


def test_an_outer_timer_that_is_due_rings_when_the_block_has_ended(rings: list[float]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    with Watch(LONG).keep():
        _wait(0.1)
        assert not rings
        ended = time.monotonic()
    _wait(0.05)
    (rang,) = rings
    assert 0 <= rang - ended < 0.05
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_an_outer_timer_raises_passes_by_a_loop_that_catches_everything() -> None:
    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Rang

    seen: list[BaseException] = []
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Rang):
            with Watch(LONG).keep():
                try:
                    _wait(0.1)
                except Rang as rang:
                    seen.append(rang)
            _wait(1)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not seen


def test_an_outer_watch_keeps_its_time_after_an_inner_one() -> None:
    outer, inner = Watch(0.1), Watch(0.02)
    started = time.monotonic()
    with pytest.raises(LoopStopped, match=r"0\.1 s"), outer.keep():
        with pytest.raises(LoopStopped, match=r"0\.02 s"), inner.keep():
            _wait(5)
        assert (outer.rang, inner.rang) == (False, True)
        _wait(5)
    assert (outer.rang, time.monotonic() - started < 2) == (True, True)


@pytest.mark.parametrize("patience", [LONG, 0.05])
def test_an_outer_watch_rings_in_its_time_within_an_inner_one(patience: float) -> None:
    outer, inner = Watch(0.05), Watch(patience)
    started = time.monotonic()
    with pytest.raises(LoopStopped, match=r"0\.05 s"), outer.keep(), inner.keep():
        _wait(5)
    assert (outer.rang, inner.rang, time.monotonic() - started < 2) == (True, False, True)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_outer_watch_that_is_due_when_an_inner_one_begins(rings: list[float]) -> None:
    outer = Watch(0.02)
    with pytest.raises(LoopStopped, match=r"0\.02 s"), outer.keep():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        try:
            _wait(0.05)
            with Watch(LONG).keep():
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
                _wait(5)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    _wait(0.02)
    assert len(rings) == 1  # the handler is the outer one again


def test_three_watches_and_a_timer_around_them(rings: list[float]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 30.0)
    first, second, third = Watch(0.04), Watch(LONG), Watch(LONG)
    with pytest.raises(LoopStopped, match=r"0\.04 s"), first.keep(), second.keep(), third.keep():
        _wait(5)
    assert [watch.rang for watch in (first, second, third)] == [True, False, False]
    assert 29.0 < signal.getitimer(signal.ITIMER_REAL)[0] < 30.0


def test_in_a_thread_there_is_no_limit_and_the_timer_of_the_main_one_is_left_alone(rings: list[float]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 30.0, 7.0)
    ended: list[bool] = []

    def keep() -> None:
        watch = Watch(0.01)
        with watch.keep():
            _wait(0.05)
        ended.append(watch.rang)

    thread = threading.Thread(target=keep)
    thread.start()
    thread.join()
    assert ended == [False]
    assert 29.0 < signal.getitimer(signal.ITIMER_REAL)[0] < 30.0
