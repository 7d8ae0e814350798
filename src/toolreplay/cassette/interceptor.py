"""vcrpy's patches of every HTTP stack, installed once and asked through one seam.

vcrpy patches aiohttp, botocore, urllib3, requests and (with the stub in `httpx_stub`) httpx2 and httpx. It asks a
Cassette object two questions: can you play a response for this request, and which. `_Seam` is such an object. It
holds no recording; it hands the request to whoever listens, and what the listener says is served. Patching costs
about as much as two turns of a loop, so the patches stay in place while anybody holds them (`hold`), and are not put
in place for each session anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, Final

from vcr.cassette import Cassette
from vcr.patch import CassettePatcherBuilder
from vcr.record_mode import RecordMode
from vcr.request import Request as VcrRequest

from toolreplay.wire.http import HttpRequest, HttpResponse

from .decoded import decoded_response
from .forking import lock_over_forks
from .format import REQUEST_HEADERS
from .httpx_stub import Listener, httpx_patches

# By it a request of botocore's is told from one of another client; it holds a count of attempts.
_READ: Final = (*REQUEST_HEADERS, "amz-sdk-request")
_asked: ContextVar[HttpRequest | None] = ContextVar("toolreplay_asked", default=None)


class _Seam(Cassette):  # type: ignore[misc]  # vcrpy has no type information
    """A Cassette without a file. vcrpy asks, the listener answers."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(
            path="toolreplay",
            record_mode=RecordMode.ALL,
            skip_patchers=("httpx", "httpx2"),
            custom_patches=tuple(httpx_patches(listener)),
        )
        self._listener = listener

    def can_play_response_for(self, request: VcrRequest) -> bool:
        # vcrpy hands the same object to play_response and append: the answer and the parsed request travel on it.
        request.toolreplay_request = _request(request)
        request.toolreplay_answer = self._listener.answer(request.toolreplay_request)
        _asked.set(request.toolreplay_request)
        return request.toolreplay_answer is not None

    def play_response(self, request: VcrRequest) -> dict[str, Any]:
        if request.toolreplay_answer.reset:
            raise ConnectionResetError("the connection was reset")
        return _vcr_response(request.toolreplay_answer)

    def append(self, request: VcrRequest, response: Mapping[str, Any]) -> None:
        question = getattr(request, "toolreplay_request", None)
        headers = [(name, _text(value)) for name, values in response["headers"].items() for value in values]
        if question is None:
            # aiohttp follows redirects below vcrpy, which makes a request of each place (vcrpy 9.4.2, aiohttp_stubs).
            # The client asked once, and what it got is the answer of the last.
            if response["status"]["code"] in _FOLLOWED and any(name.lower() == "location" for name, _ in headers):
                return
            question = _asked.get()
        if question is not None and self._listener.watches(question):
            seen = decoded_response(response["status"]["code"], headers, response["body"].get("string") or b"")
            self._listener.observe(question, seen)


class Interceptor:
    """Puts the patches in place while at least one holder wants them. Thread safe."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._lock = lock_over_forks()
        self._holders = 0
        self._patches: list[AbstractContextManager[Any]] = []
        self._probe: object = None

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the patches in place for the length of the block."""
        with self._lock:
            # A vcr cassette that was opened before us and closed while we held has put the originals back.
            if self._holders and self._probe is not _probe():
                self._remove()
            if not self._patches:
                self._install()
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._remove()

    def _install(self) -> None:
        for patcher in CassettePatcherBuilder(_Seam(self._listener)).build():
            patcher.__enter__()
            self._patches.append(patcher)
        self._probe = _probe()

    def _remove(self) -> None:
        """Put back what stood before us, save where a cassette of the user's own has taken our place since."""
        while self._patches:
            patcher = self._patches.pop()
            if _still_ours(patcher):
                patcher.__exit__(None, None, None)


def _still_ours(patcher: Any) -> bool:
    if not hasattr(patcher, "temp_original"):  # vcrpy's clean-up of connection pools, no patch
        return True
    return patcher.getter().__dict__.get(patcher.attribute) is patcher.new


def _probe() -> object:
    import http.client

    return http.client.HTTPSConnection


def _request(request: VcrRequest) -> HttpRequest:
    body = request.body
    if body is None:
        body = b""
    elif isinstance(body, str):
        body = body.encode()
    elif isinstance(body, dict | list):  # aiohttp's `json=`
        body = json.dumps(body).encode()
    elif not isinstance(body, bytes):
        body = b"".join(body) if hasattr(body, "__iter__") else str(body).encode()
    # Only what may be kept is read at all: a credential that is not read cannot reach a file.
    headers = {name: _text(request.headers[name]) for name in _READ if name in request.headers}
    return HttpRequest(request.method, request.uri, headers, body)


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _vcr_response(response: HttpResponse) -> dict[str, Any]:
    return {
        "status": {
            "code": response.status,
            "message": HTTPStatus(response.status).phrase if response.status in _KNOWN else "",
        },
        "headers": {name: [value] for name, value in response.headers.items()},
        "body": {"string": response.body},
    }


_KNOWN = frozenset(HTTPStatus)
_FOLLOWED: Final = frozenset({301, 302, 303, 307, 308})
