"""Clients for loops that do not build their own. In replay they need no key and reach no network."""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from anthropic import Anthropic

# What SDKs insist on before they send anything. Set only where the user has nothing, and only in replay.
DUMMIES: Final = {
    "ANTHROPIC_API_KEY": "replay-needs-no-key",
    "AWS_ACCESS_KEY_ID": "replay-needs-no-key",
    "AWS_SECRET_ACCESS_KEY": "replay-needs-no-key",
    "AWS_DEFAULT_REGION": "us-east-1",
}


class _Environment:
    """The variables that were filled in, for as long as any block wants them: sessions overlap in threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before: dict[str, str | None] = {}

    def fill(self) -> None:
        with self._lock:
            if not self._holders:
                missing = [name for name in DUMMIES if not os.environ.get(name)]
                self._before = {name: os.environ.get(name) for name in missing}
                os.environ.update({name: DUMMIES[name] for name in missing})
            self._holders += 1

    def restore(self) -> None:
        with self._lock:
            self._holders -= 1
            for name, value in self._before.items() if not self._holders else ():
                if os.environ.get(name) != DUMMIES[name]:
                    continue  # set by the loop meanwhile
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


_ENVIRONMENT: Final = _Environment()


@contextmanager
def dummy_credentials() -> Iterator[None]:
    """Fill in missing credentials for the length of the block; blocks may overlap."""
    _ENVIRONMENT.fill()
    try:
        yield
    finally:
        _ENVIRONMENT.restore()


def anthropic_client(base_url: str | None = None) -> Anthropic:
    """A client of the Messages API. All clients share one TLS context, which costs 26 ms to make."""
    import anthropic

    return anthropic.Anthropic(base_url=base_url, http_client=anthropic.DefaultHttpxClient(verify=_tls_context()))


@cache
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()
