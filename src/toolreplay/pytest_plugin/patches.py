"""vcrpy's patches over consecutive scenarios: installing them costs as much as two turns of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from ..runner.router import INTERCEPTOR

_HELD = pytest.StashKey[ExitStack]()


@contextmanager
def around(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Hold the patches for a scenario; let go of them unless the next item is one too."""
    stash = item.session.config.stash
    if _HELD not in stash:
        stash[_HELD] = ExitStack()
        stash[_HELD].enter_context(INTERCEPTOR.hold())
    try:
        yield
    finally:
        if nextitem is None or nextitem.get_closest_marker("toolreplay") is None:
            stash[_HELD].close()
            del stash[_HELD]
