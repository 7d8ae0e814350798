"""Which clients are alive in this process: what to look at when a session saw no request."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from .clients import NOWHERE

_MOST: Final = 5
_SDK: Final = ("Anthropic", "AnthropicBedrock", "AnthropicVertex", "AnthropicFoundry")
_CLIENTS: Final = {
    "anthropic": (*_SDK, *(f"Async{name}" for name in _SDK)),
    "httpx": ("Client", "AsyncClient"),
    "httpx2": ("Client", "AsyncClient"),
    "aiohttp": ("ClientSession",),
    "requests": ("Session",),
    "botocore": ("BedrockRuntime",),
}


def clients_alive() -> str:
    """The clients and what carries their requests: `clients alive: Anthropic (https://..., over MockTransport)`.

    Closed ones are left out, and those that toolreplay made and the loop did not take.
    """
    found = sorted(set(_clients()))
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"clients alive: {', '.join(found[:_MOST])}{more}" if found else "no client that is known is alive"


def _clients() -> Iterator[str]:
    for item in gc.get_objects():
        kind = type(item)
        home = str(kind.__module__).partition(".")[0]
        if kind.__name__ in _CLIENTS.get(home, ()):
            with suppress(Exception):  # a client half built or half gone says nothing
                if not _is_closed(item) and NOWHERE not in _url(item):
                    yield _described(item)


def _is_closed(client: Any) -> bool:
    """Whether it is closed: a method of the SDK's clients, a property of httpx's and aiohttp's."""
    found = getattr(client, "is_closed", None) or getattr(client, "closed", False)
    return bool(found() if callable(found) else found)


def _url(client: Any) -> str:
    meta = getattr(client, "meta", None)  # botocore's
    return str(getattr(client, "base_url", "") or getattr(meta, "endpoint_url", "") or "")


def _described(client: Any) -> str:
    inner = getattr(client, "_client", client)  # the SDK's clients hold one of httpx
    carrier = getattr(inner, "_transport", None) or getattr(client, "_connector", None)
    over = f"over {type(carrier).__name__}" if carrier is not None else ""
    said = ", ".join(part for part in (_url(client), over) if part)
    return f"{type(client).__name__} ({said})" if said else type(client).__name__
