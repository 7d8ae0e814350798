"""Before a search: the plainest conversation, so that what is imported and built once is not paid for in each child."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Final

from toolreplay.loop import run
from toolreplay.runner.loops import REFERENCE, Target
from toolreplay.wire.model import Wire

from .case import Case
from .document import plain_document
from .faults import THE_PROCESS, Fault
from .ground import plain_ground
from .playing import Player
from .worker import Worker

_BRINGING: Final = threading.Lock()
_BROUGHT: Final[set[Wire]] = set()
_SECONDS: Final = 30.0  # in which a loop imports and builds what it needs once


def warm_up(player: Player, plain: Case) -> Fault | None:
    """Play the plainest conversation, with much time, in a child and then, where that went well, in this process.

    Returns:
        A fault that leaves nothing to fuzz: the loop does not end there, or ends its process.
    """
    patient = replace(player, deadline=_SECONDS)
    here = threading.current_thread() is threading.main_thread()  # in another nobody could interrupt the loop
    bring_in_sdk(plain.wire)
    with Worker(patient) as worker:
        played = worker.play(plain)
    fatal = next((one for one in played.faults if played.hung or one.where == THE_PROCESS), None)
    if fatal is None and here:
        with _unheard():
            patient.here(plain)
    return fatal


def bring_in_sdk(wire: Wire) -> None:
    """Play our own loop once, so that children are born with the SDK of the wire, and need not import it each.

    One that is born while another thread imports it would wait for that thread for ever.
    """
    with _BRINGING, _unheard():
        if wire not in _BROUGHT:
            Player(Target(REFERENCE, run), deadline=_SECONDS).here(Case(plain_document(plain_ground(wire))))
            _BROUGHT.add(wire)


@contextmanager
def _unheard() -> Iterator[None]:
    """Have nothing printed: the children print nothing either."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield
