"""Which clients are alive in this process: what to look at when a session saw no request."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

_MOST: Final = 5
_CLIENTS: Final = {
    "anthropic": ("Anthropic", "AsyncAnthropic", "AnthropicBedrock", "AsyncAnthropicBedrock", "AnthropicVertex"),
    "httpx": ("Client", "AsyncClient"),
    "httpx2": ("Client", "AsyncClient"),
    "aiohttp": ("ClientSession",),
    "requests": ("Session",),
    "botocore": ("BedrockRuntime",),
}


def clients_alive() -> str:
    """The clients and what carries their requests, in words: `Anthropic (https://..., over MockTransport)`."""
    found = dict.fromkeys(_clients())
    shown = list(found)[:_MOST]
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"clients alive: {', '.join(shown)}{more}" if shown else "no client that is known is alive"


def _clients() -> Iterator[str]:
    for item in gc.get_objects():
        kind = type(item)
        home = str(kind.__module__).partition(".")[0]
        if kind.__name__ in _CLIENTS.get(home, ()):
            with suppress(Exception):  # a client half built or half gone says nothing
                yield _described(item)


def _described(client: Any) -> str:
    inner = getattr(client, "_client", client)  # the SDK's clients hold one of httpx
    transport = getattr(inner, "_transport", None) or getattr(client, "_connector", None)
    over = f"over {type(transport).__name__}" if transport is not None else ""
    url = str(getattr(client, "base_url", "") or "")
    said = ", ".join(part for part in (url, over) if part)
    return f"{type(client).__name__} ({said})" if said else type(client).__name__
