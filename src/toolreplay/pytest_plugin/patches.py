"""vcrpy's patches over consecutive scenarios: installing them costs as much as two turns of a loop."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

IS_SCENARIO = pytest.StashKey[bool]()
"""Set in the stash of items that play scenarios; the marker does not tell them from tests that users mark."""

_HELD = pytest.StashKey[ExitStack]()


def hold(config: pytest.Config) -> None:
    """Put the patches in place for the item that runs, unless the one before it left them there."""
    if _HELD in config.stash:
        return
    from toolreplay.runner.router import INTERCEPTOR

    held = ExitStack()
    held.enter_context(INTERCEPTOR.hold())
    config.stash[_HELD] = held


@contextmanager
def between(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Run an item; let go of the patches after it unless a scenario follows.

    None follows an interrupt, nor `-x` and its like, which pytest notes in the session and not in `nextitem`.
    """
    handed_on = False
    try:
        yield
        stops = item.session.shouldstop or item.session.shouldfail
        handed_on = not stops and nextitem is not None and nextitem.stash.get(IS_SCENARIO, False)
    finally:
        if not handed_on:
            _let_go(item.config)


def _let_go(config: pytest.Config) -> None:
    held = config.stash.get(_HELD, None)
    if held is not None:
        del config.stash[_HELD]
        held.close()
