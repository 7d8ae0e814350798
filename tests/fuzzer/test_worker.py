"""The limits of the child process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.loops.planted import planted
from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.document import plain_document
from toolreplay.fuzzer.ground import plain_ground
from toolreplay.fuzzer.playing import Player
from toolreplay.fuzzer.worker import Worker, peak_memory
from toolreplay.runner.loops import Target

resource = pytest.importorskip("resource")


@pytest.mark.parametrize(("platform", "unit"), [("linux", 1024), ("freebsd14", 1024), ("darwin", 1)])
def test_the_unit_of_the_system(platform: str, unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    told = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert told * unit <= peak_memory() < 2 * told * unit


def test_a_child_that_is_killed_is_said_to_be() -> None:
    def killed(client: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with Worker(Player(Target("loop", killed), deadline=30)) as worker:
        (fault,) = worker.play(Case(plain_document(plain_ground()))).faults
    assert fault.message == "the loop's process was ended by a signal (killed, as where memory is out)"


LEFT = """
import os, sys
from tests.fuzzer.test_worker import started
print(started(), flush=True)
os.kill(os.getpid(), 9)
"""


def started() -> int:
    """A worker that has played and waits; gives the process id of its child."""
    worker = Worker(Player(Target("loop", planted()), deadline=30))  # it imports the SDK
    worker.play(Case(plain_document(plain_ground())))
    return int(worker._child.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks here")
def test_a_child_ends_with_its_parent() -> None:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", LEFT]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, timeout=90, check=False)
    child = int(done.stdout)
    for _ in range(100):
        if not _lives(child):
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child outlived its parent")


def _lives(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    if not status.parent.parent.is_dir():
        pytest.skip("there is no /proc to look a process up in")
    try:
        return status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
