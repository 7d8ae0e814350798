"""Clients for loops that do not build their own. In replay they need no key and reach no network."""

from __future__ import annotations

import os
import re
import ssl
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from toolreplay.errors import LoopError
from toolreplay.wire.model import Wire

# What SDKs insist on before they send anything. Set only where the user has nothing, and only in replay.
DUMMIES: Final = {
    "ANTHROPIC_API_KEY": "replay-needs-no-key",
    "AWS_ACCESS_KEY_ID": "replay-needs-no-key",
    "AWS_SECRET_ACCESS_KEY": "replay-needs-no-key",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
}
# Each client class of the Anthropic SDK has a variable of its own (2.14.0, lib/*/_client.py).
_BASE_URLS: Final = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_GOOGLE_CLOUD_BASE_URL",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_AWS_BASE_URL",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
)
# With these a client passes over such an address, or refuses to choose between the two.
_IN_THE_WAY: Final = ("ANTHROPIC_FOUNDRY_RESOURCE", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
# Where clients of a replay send: a host that cannot exist (RFC 2606), so that a thread that outlives its run cannot
# reach the API with the user's key. Matching looks at the end of the path only.
NOWHERE: Final = "https://replay.invalid"
BOTO3: Final = "boto3"
_RETRIED: Final = frozenset({429, 500, 502, 503, 504, 509})
_BOTOCORE_ATTEMPTS: Final = 5
_SDK_CLIENTS: Final = ("Anthropic", "AsyncAnthropic", "AnthropicBedrock", "AsyncAnthropicBedrock")


class NotServed(LoopError):
    """The loop cannot be played on this wire, or not without an extra that is not installed; the run is a SKIP."""


class _Environment:
    """The variables that were filled in, for as long as any block wants them: runs overlap in threads."""

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


@contextmanager
def pointed_at(base_url: str) -> Iterator[None]:
    """Have clients that a loop or a tool makes for itself send to a server too, for the length of the block."""
    before = {name: os.environ.get(name) for name in (*_BASE_URLS, *_IN_THE_WAY)}
    os.environ.update(dict.fromkeys(_BASE_URLS, base_url))
    for name in _IN_THE_WAY:
        os.environ.pop(name, None)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def end_of_life(model: str) -> str | None:
    """The day on which a model ends, `June 30th, 2026`, by the table of the SDK that is installed; None without one.

    It is looked up only where the SDK is loaded, as it is once anything was sent with it.
    """
    module = sys.modules.get("anthropic.resources.messages.messages")
    table = getattr(module, "DEPRECATED_MODELS", None)
    # On Bedrock the same model has a prefix and a version, us.anthropic.claude-...-v1:0; on Vertex AI an @.
    name = re.sub(r"-v\d+(:\d+)?$", "", model.rpartition("anthropic.")[2]).replace("@", "-")
    return str(table[name]) if isinstance(table, dict) and name in table else None


class Clients:
    """The clients of one run, each made when it is first asked for.

    Args:
        live: whether their requests leave the process; then they are closed at the end, connections and all.
    """

    def __init__(self, base_url: str | None, *, live: bool = False) -> None:
        self._base_url = base_url if live else base_url or NOWHERE
        self._live = live
        self._made: dict[str, Any] = {}

    def get(self, kind: str) -> Any:
        """The client of a kind: the name of an SDK's client class, or `boto3`."""
        if kind not in self._made:
            self._made[kind] = self._make(kind)
        return self._made[kind]

    def closers(self) -> tuple[Callable[[], Awaitable[None]], ...]:
        """Close what is this run's own; give what is to be awaited to close the asynchronous clients."""
        waiting = []
        for kind, client in self._made.items():
            if kind.startswith("Async"):
                waiting.append(client.close)
            elif self._live and kind != BOTO3:
                client.close()
        self._made.clear()
        return tuple(waiting)

    def _make(self, kind: str) -> Any:
        return _boto3(self._base_url) if kind == BOTO3 else _anthropic(kind, self._base_url, shared=not self._live)


def kind_of(annotation: object, wire: Wire, *, is_async: bool) -> str:
    """Which client a parameter `client` means: by its annotation, else the plain one of the wire.

    Raises:
        NotServed: the loop asks for a client that does not speak the scenario's wire.
    """
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    last = name.strip("'\" ").rpartition(".")[2]
    wanted = last if last in _SDK_CLIENTS else None
    if wire is not Wire.CONVERSE:
        return wanted or ("AsyncAnthropic" if is_async else "Anthropic")
    if wanted is not None or is_async:
        what = f"the client {wanted}" if wanted else "an async client"
        raise NotServed(
            f"the loop asks for {what}, and the scenario speaks Converse, which boto3 serves, synchronously"
        )
    return BOTO3


def _anthropic(kind: str, base_url: str | None, *, shared: bool) -> Any:
    """A client of the Anthropic SDK: an object of its own for each run, in replay over a shared HTTP client.

    Making an HTTP client costs as much as a quarter of a turn, and its TLS context 26 ms.
    """
    import anthropic

    if kind.endswith("Bedrock"):
        _need_boto3("AnthropicBedrock")
    if kind.startswith("Async"):  # bound to the run's event loop
        http_client: Any = anthropic.DefaultAsyncHttpxClient(verify=_tls_context())
    elif not shared:
        http_client = anthropic.DefaultHttpxClient(verify=_tls_context())
    else:
        if _shared_http_client().is_closed:  # by a loop that closes what it was given
            _shared_http_client.cache_clear()
        http_client = _shared_http_client()
    client = getattr(anthropic, kind)(base_url=base_url, http_client=http_client)
    if shared and hasattr(client, "_calculate_retry_timeout"):
        # After a lost connection it would wait half a second and more, and has no option not to (anthropic 2.14.0).
        vars(client)["_calculate_retry_timeout"] = _no_wait
    return client


def _no_wait(*_: object, **__: object) -> float:
    return 0.001


@cache
def _shared_http_client() -> Any:
    import anthropic

    return anthropic.DefaultHttpxClient(verify=_tls_context())


def _boto3(base_url: str | None) -> Any:
    _need_boto3("a Converse client")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return _shared_boto3(base_url, region, os.environ.get("AWS_ACCESS_KEY_ID"))


@cache
def _shared_boto3(base_url: str | None, region: str | None, _key: str | None) -> Any:
    """Loading the service's model costs more than a whole run, and boto3's clients are safe to share."""
    import boto3

    client = boto3.client("bedrock-runtime", region_name=region, endpoint_url=base_url)
    if base_url == NOWHERE:
        client.meta.events.register_first("needs-retry.bedrock-runtime", _retry_at_once)
    return client


def _retry_at_once(response: Any = None, caught_exception: object = None, attempts: int = 1, **_: object) -> int | None:
    """What botocore tries again, it tries at once: it takes the wait that the first handler names.

    Source: botocore's endpoint.py (`_needs_retry`) and data/_retry.json.
    """
    status = response[0].status_code if response is not None else None
    again = status in _RETRIED or isinstance(caught_exception, _connection_errors())
    return 0 if again and attempts < _BOTOCORE_ATTEMPTS else None


@cache
def _connection_errors() -> tuple[type[Exception], ...]:
    from botocore.exceptions import ConnectionError as LostConnection
    from botocore.exceptions import HTTPClientError

    return (LostConnection, HTTPClientError)


def _need_boto3(what: str) -> None:
    try:
        import boto3  # noqa: F401
    except ImportError:
        raise NotServed(f'{what} needs boto3; install it with: python -m pip install "toolreplay[bedrock]"') from None


@cache
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()
