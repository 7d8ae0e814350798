from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import httpx
import pytest
from tests.cassette.test_interceptor import Recorder

from toolreplay.cassette.interceptor import Interceptor
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpResponse


def _by_client(url: str) -> httpx.Response:
    with httpx.Client() as client:
        return client.post(url)


def _by_async_client(url: str) -> httpx.Response:
    async def send() -> httpx.Response:
        async with httpx.AsyncClient() as client:
            return await client.post(url)

    return asyncio.run(send())


# Each letter is a byte, as in HTTP: the second is UTF-8.
VALUES: Final = ("caf\xe9", "caf\xc3\xa9", "\xff", "plain")


@pytest.mark.parametrize("value", VALUES, ids=ascii)
@pytest.mark.parametrize("send", [_by_client, _by_async_client])
def test_a_header_is_replayed_byte_by_byte(send: Callable[[str], httpx.Response], value: str) -> None:
    recorder = Recorder()
    with serving(lambda _: HttpResponse(200, {"request-id": value}, b"{}")) as url, Interceptor(recorder).hold():
        live = send(url)
        (recorder.response,) = recorder.observed
        replayed = send(url)
    assert recorder.response.headers["request-id"] == value
    assert (value.encode("latin-1"), live.headers["request-id"]) == (
        dict(replayed.headers.raw)[b"request-id"],
        replayed.headers["request-id"],
    )


def test_a_header_that_is_no_utf_8_can_be_written_if_aiohttp_read_it() -> None:
    aiohttp = pytest.importorskip("aiohttp")
    recorder = Recorder()

    async def send(url: str) -> None:
        async with aiohttp.ClientSession() as session, session.post(url, data=b"{}") as response:
            await response.read()

    with serving(lambda _: HttpResponse(200, {"request-id": "caf\xe9"}, b"{}")) as url, Interceptor(recorder).hold():
        asyncio.run(send(url))
    assert [one.headers["request-id"] for one in recorder.observed] == ["caf\xe9"]


def test_a_header_that_another_tool_read_as_utf_8_is_replayed_so() -> None:
    recorder = Recorder(HttpResponse(200, {"request-id": "\u2713"}, b"{}"))
    with Interceptor(recorder).hold():
        assert _by_client("https://api.anthropic.com/v1/messages").headers["request-id"] == "\u2713"
