"""vcrpy's patches over consecutive scenarios: installing them costs as much as two turns of a loop."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

IS_SCENARIO = pytest.StashKey[bool]()
"""Set in the stash of items that play scenarios; the marker does not tell them from tests that users mark."""

_NAME = "toolreplay-patches"


class Patches:
    """Keeps the patches in place from one scenario to the next, and away from every other test."""

    def __init__(self) -> None:
        self._held: ExitStack | None = None

    @classmethod
    def of(cls, config: pytest.Config) -> Patches:
        """Those of a pytest run; there are none until the first scenario file is collected."""
        found = config.pluginmanager.get_plugin(_NAME)
        if not isinstance(found, cls):
            found = cls()
            config.pluginmanager.register(found, _NAME)
        return found

    def hold(self) -> None:
        """Put the patches in place for the item that runs, unless the one before it left them there."""
        if self._held is not None:
            return
        from toolreplay.runner.router import INTERCEPTOR

        self._held = ExitStack()
        self._held.enter_context(INTERCEPTOR.hold())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        """Let go of the patches after an item, unless a scenario follows.

        None follows an interrupt, nor `-x` and its like, which stand in the session and not in `nextitem`.
        """
        follows = False
        try:
            result = yield
            stops = item.session.shouldstop or item.session.shouldfail
            follows = not stops and nextitem is not None and nextitem.stash.get(IS_SCENARIO, False)
        finally:
            if not follows:
                self._let_go()
        return result

    def _let_go(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            held.close()
