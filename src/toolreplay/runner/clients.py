"""Clients for loops that do not build their own. In replay they need no key and reach no network."""

from __future__ import annotations

import os
import ssl
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


@contextmanager
def dummy_credentials() -> Iterator[None]:
    """Fill in missing credentials for the length of the block."""
    added = {name: value for name, value in DUMMIES.items() if not os.environ.get(name)}
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def anthropic_client(base_url: str | None = None) -> Anthropic:
    """A client of the Messages API. All clients share one TLS context, which costs 26 ms to make."""
    import anthropic

    return anthropic.Anthropic(base_url=base_url, http_client=anthropic.DefaultHttpxClient(verify=_tls_context()))


@cache
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()
