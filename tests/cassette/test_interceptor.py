from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import pytest

from toolreplay.cassette.interceptor import Interceptor
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

URL: Final = "https://api.anthropic.com/v1/messages"
BODY: Final = json.dumps({"text": "Grüße " * 20}, ensure_ascii=False).encode()


@dataclass
class Recorder:
    """A listener that answers what it is told to, and keeps what it sees."""

    response: HttpResponse | None = None
    asked: list[HttpRequest] = field(default_factory=list)
    observed: list[HttpResponse] = field(default_factory=list)

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        self.asked.append(request)
        return self.response

    def watches(self, request: HttpRequest) -> bool:
        return True

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        assert request is self.asked[-1]
        self.observed.append(response)


class Unwatched(Recorder):
    """A listener that lets everything out and does not ask what came of it, as for a tool's own traffic."""

    def watches(self, request: HttpRequest) -> bool:
        return False


def _by_httpx(url: str) -> bytes:
    with httpx.Client() as client:
        return client.post(url, content=b"{}").content


def _by_async_httpx(url: str) -> bytes:
    async def send() -> bytes:
        async with httpx.AsyncClient() as client:
            return (await client.post(url, content=b"{}")).content

    return asyncio.run(send())


def _by_aiohttp(url: str) -> bytes:
    aiohttp = pytest.importorskip("aiohttp")

    async def send() -> bytes:
        async with aiohttp.ClientSession() as session, session.post(url, data=b"{}") as response:
            return bytes(await response.read())

    return asyncio.run(send())


def _by_urllib3(url: str) -> bytes:
    urllib3 = pytest.importorskip("urllib3")
    with urllib3.PoolManager() as pool:
        return bytes(pool.request("POST", url, body=b"{}").data)


_clients = pytest.mark.parametrize(
    "send",
    [_by_httpx, _by_async_httpx, _by_aiohttp, _by_urllib3],
    ids=lambda send: send.__name__.removeprefix("_by_"),
)


def _deflate(data: bytes) -> bytes:
    return zlib.compress(data)


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", _deflate), ("identity", bytes)])
@_clients
def test_a_response_that_was_let_out_is_seen_decompressed(
    send: Callable[[str], bytes], encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    listener = Recorder()
    headers = {"content-type": "application/json", "content-encoding": encoding}
    with serving(lambda _: HttpResponse(200, headers, pack(BODY))) as url, Interceptor(listener).hold():
        assert send(url) == BODY  # the client gets what it would have got without us
    (response,) = listener.observed
    assert (response.status, response.json) == (200, json.loads(BODY))
    assert response.headers["content-type"] == "application/json"
    assert "content-encoding" not in response.headers


def test_a_response_that_cannot_be_decompressed_is_seen_as_it_came() -> None:
    listener = Recorder()
    headers = {"content-encoding": "zstd"}
    data = b"\x28\xb5\x2f\xfd rest"
    with serving(lambda _: HttpResponse(200, headers, data)) as url, Interceptor(listener).hold():
        connection = http.client.HTTPConnection(url.removeprefix("http://"))
        connection.request("POST", "/", b"{}")
        assert connection.getresponse().read() == data
        connection.close()
    (response,) = listener.observed
    assert (response.body, response.headers["content-encoding"]) == (data, "zstd")


@dataclass(frozen=True)
class Answer:
    id: str
    response: HttpResponse


ANSWERS: Final = (
    Answer("empty", HttpResponse(204)),
    Answer("a status without a phrase", HttpResponse(529, {"content-type": "application/json"}, b"{}")),
    Answer("bytes that are no text", HttpResponse(200, {"content-type": "x/y"}, bytes(range(256)))),
    Answer("large", HttpResponse(200, {"content-type": "text/plain"}, b"x" * 3_000_000)),
)


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case.id)
@_clients
def test_an_answer_arrives_as_it_was_given(send: Callable[[str], bytes], case: Answer) -> None:
    listener = Recorder(case.response)
    with Interceptor(listener).hold():
        assert send(URL) == case.response.body
    (request,) = listener.asked
    assert (request.method, request.url, request.body) == ("POST", URL, b"{}")
    assert listener.observed == []


def test_an_answered_stream_can_be_read_as_a_stream() -> None:
    events = b'event: ping\ndata: {"type": "ping"}\n\n' * 3
    with (
        Interceptor(Recorder(HttpResponse(200, {"content-type": "text/event-stream"}, events))).hold(),
        httpx.Client() as client,
        client.stream("POST", URL, json={"stream": True}) as response,
    ):
        assert list(response.iter_lines()).count('data: {"type": "ping"}') == 3


def _pieces() -> Iterator[bytes]:
    yield b'{"a":'
    yield b" 1}"


async def _async_pieces() -> AsyncIterator[bytes]:
    for piece in _pieces():
        yield piece


async def _send_async(content: Any) -> None:
    async with httpx.AsyncClient() as client:
        await client.post(URL, content=content)


@pytest.mark.parametrize(
    "send",
    [
        lambda: httpx.post(URL, content=_pieces()),
        lambda: asyncio.run(_send_async(_async_pieces())),
        lambda: httpx.post(URL, json={"a": 1}),
        lambda: pytest.importorskip("urllib3").request("POST", URL, body='{"a": 1}'),
    ],
    ids=["pieces", "async pieces", "json", "text"],
)
def test_a_request_is_seen_whole(send: Callable[[], object]) -> None:
    listener = Recorder(HttpResponse(200))
    with Interceptor(listener).hold():
        send()
    assert [request.json for request in listener.asked] == [{"a": 1}]


def test_headers_that_may_be_kept_are_seen_in_lower_case_and_no_others() -> None:
    listener = Recorder(HttpResponse(200))
    sent = [
        ("Anthropic-Beta", "a"),
        ("anthropic-beta", "b"),
        ("X-API-Key", "k"),
        ("Authorization", "Bearer k"),
    ]
    with Interceptor(listener).hold():
        httpx.post(URL, headers=sent)
        _by_urllib3(URL)
    assert [request.headers for request in listener.asked] == [{"anthropic-beta": "a, b"}, {}]


def test_an_exception_of_a_client_does_not_leave_the_patches_in_place() -> None:
    before = http.client.HTTPSConnection
    with pytest.raises(ZeroDivisionError), Interceptor(Recorder()).hold():
        raise ZeroDivisionError
    assert http.client.HTTPSConnection is before


def test_many_threads_may_hold_and_let_go() -> None:
    before = http.client.HTTPSConnection, httpx.HTTPTransport.handle_request
    interceptor = Interceptor(Recorder(HttpResponse(200, {}, b"ours")))

    def ask(_: int) -> bytes:
        with interceptor.hold():
            return _by_httpx(URL)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(24))) == [b"ours"] * 24
    assert (http.client.HTTPSConnection, httpx.HTTPTransport.handle_request) == before


def test_two_interceptors_may_be_nested() -> None:
    outer, inner = Recorder(HttpResponse(200, {}, b"outer")), Recorder(HttpResponse(200, {}, b"inner"))
    with Interceptor(outer).hold():
        with Interceptor(inner).hold():
            assert _by_httpx(URL) == b"inner"
        assert _by_httpx(URL) == b"outer"


@pytest.mark.parametrize("watched", [True, False])
def test_a_redirect_that_aiohttp_follows_is_one_request_with_the_last_answer(watched: bool) -> None:
    aiohttp = pytest.importorskip("aiohttp")
    listener = Recorder() if watched else Unwatched()

    def answer(request: HttpRequest) -> HttpResponse:
        if "/v1/" in request.url:
            return HttpResponse(308, {"location": "/elsewhere"}, b"it is elsewhere")
        return (
            HttpResponse(308, {"location": "/there"}) if "/elsewhere" in request.url else HttpResponse(200, {}, b"it")
        )

    async def send(url: str) -> tuple[int, bytes, int]:
        async with aiohttp.ClientSession() as session, session.post(url, data=b"{}") as response:
            return response.status, bytes(await response.read()), len(response.history)

    with serving(answer) as url, Interceptor(listener).hold():
        got = asyncio.run(send(f"{url}/v1/messages"))
    assert got == (200, b"it", 2)
    assert [request.url for request in listener.asked] == [f"{url}/v1/messages"]
    assert [(response.status, response.body) for response in listener.observed] == ([(200, b"it")] if watched else [])
