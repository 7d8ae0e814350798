from __future__ import annotations

import multiprocessing
import sys
import threading
import time
import warnings

import pytest

from toolreplay.cassette.forking import lock_over_forks


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks here")
def test_no_child_is_born_with_the_lock_held() -> None:
    lock, held = lock_over_forks(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            time.sleep(0.2)

    def take() -> None:
        sys.exit(0 if lock.acquire(timeout=1) else 1)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = multiprocessing.get_context("fork").Process(target=take)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads, which is what this is about
        child.start()
    child.join()
    thread.join()
    assert child.exitcode == 0
    assert lock.acquire(blocking=False)
    lock.release()
