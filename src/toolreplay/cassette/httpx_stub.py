"""Our own stub for httpx and httpx2, put in place through vcrpy's `custom_patches`.

vcrpy's stub for this family would do, but for three things: it reads a stream to its end before handing it on, also
for requests that are none of ours; it replays a stream in one piece; and copying the headers of a request one by one
costs a fifth of a replayed turn. In-process transports (ASGI, WSGI, mocks) stay as they are: what they carry is not
on its way to a model.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Final, Protocol

from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.pieces import STREAMS, pieces

from .decoded import decoded_response
from .format import REQUEST_HEADERS

_LIBRARIES: Final = ("httpx", "httpx2")
_KEPT: Final = {name.encode(): name for name in REQUEST_HEADERS}


class Listener(Protocol):
    """Who answers the requests of this process."""

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """The response to serve; None lets the request out to where it was going."""

    def watches(self, request: HttpRequest) -> bool:
        """Whether the response to a request that was let out is to be observed."""

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """Called with the response to a request that was let out and is watched."""


def httpx_patches(listener: Listener) -> Iterator[tuple[type, str, Any]]:
    """The patches of every installed library of the family: class, method, replacement."""
    for name in _LIBRARIES:
        try:
            library = import_module(name)
        except ImportError:
            continue
        yield library.HTTPTransport, "handle_request", _sync_stub(library, listener)
        yield library.AsyncHTTPTransport, "handle_async_request", _async_stub(library, listener)


def _sync_stub(library: ModuleType, listener: Listener) -> Any:
    original = _original(library.HTTPTransport.handle_request)
    stream = _stream_class(library)

    def handle_request(transport: Any, request: Any) -> Any:
        question = _question(request, request.read())
        answer = listener.answer(question)
        if answer is not None:
            return _response(library, stream, answer)
        response = original(transport, request)
        if listener.watches(question):
            parts: list[bytes] = []
            with _until_cut(library, response):
                parts.extend(response.stream)  # what came before a cut is in
            body = b"".join(parts)
            response.stream.close()
            response.stream = stream([body])
            listener.observe(question, decoded_response(response.status_code, _texts(response.headers.raw), body))
        return response

    return _marked(handle_request, original)


def _async_stub(library: ModuleType, listener: Listener) -> Any:
    original = _original(library.AsyncHTTPTransport.handle_async_request)
    stream = _stream_class(library)

    async def handle_async_request(transport: Any, request: Any) -> Any:
        question = _question(request, await request.aread())
        answer = listener.answer(question)
        if answer is not None:
            return _response(library, stream, answer)
        response = await original(transport, request)
        if listener.watches(question):
            parts: list[bytes] = []
            with _until_cut(library, response):
                async for part in response.stream:
                    parts.append(part)  # noqa: PERF401  (what came before a cut is in)
            body = b"".join(parts)
            await response.stream.aclose()
            response.stream = stream([body])
            listener.observe(question, decoded_response(response.status_code, _texts(response.headers.raw), body))
        return response

    return _marked(handle_async_request, original)


@contextmanager
def _until_cut(library: ModuleType, response: Any) -> Iterator[None]:
    """Let a stream of events end where its connection broke, for the loop as for the recording.

    Any other response that breaks off is no answer at all, and is asked for again.
    """
    try:
        yield
    except library.TransportError:
        if response.headers.get("content-type", "").partition(";")[0].strip() not in STREAMS:
            raise


def _marked(stub: Any, original: Any) -> Any:
    stub.toolreplay_original = original
    return stub


def _original(method: Any) -> Any:
    """What stood there before us: a vcr cassette of the user's own may have put a stub of ours back after its time."""
    return getattr(method, "toolreplay_original", method)


def _question(request: Any, body: bytes) -> HttpRequest:
    # Only headers that may be kept are read at all: a credential that is not read cannot reach a file.
    headers: dict[str, str] = {}
    for raw, value in request.headers.raw:
        name = _KEPT.get(raw.lower())
        if name is not None:
            text = value.decode("latin-1")
            headers[name] = f"{headers[name]}, {text}" if name in headers else text
    return HttpRequest(request.method, str(request.url), headers, body)


def _response(library: ModuleType, stream: Any, answer: HttpResponse) -> Any:
    if answer.reset:
        raise library.ReadError("the connection was reset")
    # A stream and not content: content would close the response, and a real one is open when it arrives.
    headers = [(_bytes(name), _bytes(value)) for name, value in answer.headers.items()]
    return library.Response(answer.status, headers=headers, stream=stream(pieces(answer)))


def _texts(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[str, str]]:
    """Headers as text that is the same bytes again, which the library's own guess at an encoding is not."""
    for name, value in headers:
        yield name.decode("latin-1"), value.decode("latin-1")


def _bytes(text: str) -> bytes:
    """What stood on the wire; given as text, the library would take ASCII only."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:  # another tool read it as UTF-8
        return text.encode("utf-8", "replace")


def _stream_class(library: ModuleType) -> Any:
    class Pieces(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, parts: list[bytes]) -> None:
            self._parts = parts

        def __iter__(self) -> Iterator[bytes]:
            yield from self._parts

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for part in self._parts:
                yield part

    return Pieces
