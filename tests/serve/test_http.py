from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse


def test_a_question_arrives_as_it_was_sent_and_the_answer_as_it_was_given() -> None:
    asked: list[HttpRequest] = []

    def answer(request: HttpRequest) -> HttpResponse:
        asked.append(request)
        return HttpResponse(418, {"Content-Type": "x/y", "x-one": "1"}, b"\x00\xff")

    with serving(answer) as url, httpx.Client() as client:
        response = client.post(f"{url}/case-7/v1/messages?beta=true", content=b'{"a": 1}', headers={"X-Two": "2"})
    (request,) = asked
    assert (request.method, request.url, request.body) == (
        "POST",
        f"{url}/case-7/v1/messages?beta=true",
        b'{"a": 1}',
    )
    assert request.headers["x-two"] == "2"
    assert (
        response.status_code,
        response.content,
        response.headers["content-type"],
        response.headers["x-one"],
    ) == (
        418,
        b"\x00\xff",
        "x/y",
        "1",
    )


def test_it_listens_on_loopback_only_and_on_a_free_port() -> None:
    with serving(lambda _: HttpResponse(200)) as one, serving(lambda _: HttpResponse(200)) as other:
        assert one != other
        assert one.startswith("http://127.0.0.1:")


def test_questions_are_answered_side_by_side() -> None:
    both = threading.Barrier(2, timeout=5)

    def answer(request: HttpRequest) -> HttpResponse:
        both.wait()
        return HttpResponse(200, {}, request.body)

    with serving(answer) as url, httpx.Client() as client, ThreadPoolExecutor(2) as pool:
        got = list(pool.map(lambda text: client.post(url, content=text).content, [b"1", b"2"]))
    assert got == [b"1", b"2"]


def test_after_the_block_nobody_listens() -> None:
    with serving(lambda _: HttpResponse(200)) as url:
        pass
    with pytest.raises(httpx.ConnectError):
        httpx.post(url)


def test_an_answer_that_raises_is_a_500_and_the_server_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        if request.body == b"bad":
            raise ZeroDivisionError
        return HttpResponse(200)

    with serving(answer) as url:
        codes = [httpx.post(url, content=body).status_code for body in (b"bad", b"good")]
    assert codes == [500, 200]
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_only_post_is_a_question() -> None:
    with serving(lambda _: HttpResponse(200)) as url, httpx.Client() as client:
        assert client.get(url).status_code == 405
