from __future__ import annotations

import asyncio
import contextvars
import http.client
import json
import socket
import threading
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import anthropic
import httpx
import pytest
import vcr

from tests.loops import good
from tests.projects import MODEL, ScriptedModel, asks, outline, place, says, scripted, session_of, weather
from toolreplay.cli import main
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.router import GUARD, INTERCEPTOR, ROUTER
from toolreplay.runner.run import Outcome, Run
from toolreplay.runner.session import Session
from toolreplay.runner.sides import LiveSide
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

URL: Final = "https://api.anthropic.com/v1/messages"
ASK: Final[dict[str, Any]] = {
    "model": MODEL,
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Hello"}],
}
NAMES: Final = ("first", "second")


def _client(url: str = "https://api.anthropic.com") -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="k", base_url=url, max_retries=0)


def _text(message: anthropic.types.Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def _replies(name: str) -> list[dict[str, Any]]:
    return [says(f"{name} {number}") for number in range(5)]


def test_two_sessions_in_two_threads_get_their_own_replies() -> None:
    turn = threading.Barrier(2, timeout=5)

    def ask(name: str) -> list[str]:
        with session_of(scripted(name, *_replies(name))), _client() as client:
            texts = []
            for _ in range(5):
                turn.wait()  # both have a session open, and both are about to ask
                texts.append(_text(client.messages.create(**ASK)))
            return texts

    with ThreadPoolExecutor(2) as pool:
        got = list(pool.map(ask, NAMES))
    assert got == [[f"{name} {number}" for number in range(5)] for name in NAMES]


def test_two_sessions_in_two_tasks_get_their_own_replies() -> None:
    async def ask(name: str, turn: list[asyncio.Event]) -> list[str]:
        mine, theirs = turn
        with session_of(scripted(name, *_replies(name))):
            async with anthropic.AsyncAnthropic(api_key="k", max_retries=0) as client:
                texts = []
                for _ in range(5):
                    await mine.wait()
                    mine.clear()
                    pending = asyncio.create_task(client.messages.create(**ASK))  # a task of a task
                    theirs.set()
                    texts.append(_text(await pending))
                theirs.set()
                return texts

    async def both() -> list[list[str]]:
        one, other = asyncio.Event(), asyncio.Event()
        one.set()
        return list(await asyncio.gather(ask("first", [one, other]), ask("second", [other, one])))

    assert asyncio.run(both()) == [[f"{name} {number}" for number in range(5)] for name in NAMES]


def test_two_scenarios_may_be_played_in_two_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DUMMIES:
        monkeypatch.delenv(name, raising=False)
    scenario = place(tmp_path).scenario(weather(script=[asks("Oslo"), says()]))
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: place(tmp_path).play(scenario), range(12)))
    assert [(run.outcome, run.turns, outline(run)) for run in runs] == [(Outcome.PASS, 2, [])] * 12


def _in_a_bare_thread(call: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.Context().run, call).result()


def test_a_thread_without_context_falls_back_on_the_only_session() -> None:
    with session_of(scripted("only", says("mine"))) as session, _client() as client:
        reply = _in_a_bare_thread(lambda: _text(client.messages.create(**ASK)))
    assert (reply, len(session.exchanges), session.troubles) == ("mine", 1, [])


def test_a_thread_without_context_is_refused_where_several_sessions_are_open() -> None:
    with ExitStack() as stack:
        client = stack.enter_context(_client())
        second = stack.enter_context(session_of(scripted("b", says())))
        first = stack.enter_context(session_of(scripted("a", says())))
        with pytest.raises(anthropic.BadRequestError) as caught:
            _in_a_bare_thread(lambda: client.messages.create(**ASK))
    message = (
        "toolreplay: a request came from a thread that belongs to no session, and several are open (a, b); "
        "start the thread with contextvars.copy_context().run"
    )
    assert caught.value.response.json()["error"] == {"type": "invalid_request_error", "message": message}
    assert [(session.troubles, session.exchanges) for session in (first, second)] == [([message], [])] * 2


def test_both_runs_are_an_error_when_a_request_belongs_to_neither(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenarios = [here.scenario(weather(name=name, script=[says()]), path=f"scenarios/{name}.yaml") for name in NAMES]
    open_now = threading.Barrier(2, timeout=5)

    def loop(client: anthropic.Anthropic, model: str, messages: Any) -> None:
        client.messages.create(model=model, max_tokens=9, messages=messages)
        open_now.wait()
        if _first_to_come(came):
            _in_a_bare_thread(lambda: _failing(client))
        open_now.wait()

    came: list[object] = []
    with ThreadPoolExecutor(2) as pool:
        runs: list[Run] = list(pool.map(lambda scenario: here.play(scenario, loop), scenarios))
    assert [run.outcome for run in runs] == [Outcome.ERROR] * 2
    names = "scenarios/first.yaml::first, scenarios/second.yaml::second"
    assert all(f"several are open ({names})" in run.failures[0].message for run in runs)


def _first_to_come(came: list[object]) -> bool:
    came.append(None)
    return len(came) == 1


def _failing(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(**ASK)


def test_requests_outside_any_session_pass_through_untouched() -> None:
    model = ScriptedModel(says("from the server"))
    with serving(model) as url, INTERCEPTOR.hold(), _client(url) as client:
        assert _text(client.messages.create(**ASK)) == "from the server"
    assert [request.json for request in model.asked] == [ASK]


def test_the_patches_are_installed_once_and_taken_away_with_the_last_holder() -> None:
    def patched() -> tuple[object, ...]:
        return http.client.HTTPSConnection, httpx.HTTPTransport.handle_request

    before = patched()
    with INTERCEPTOR.hold():
        first = patched()
        with INTERCEPTOR.hold(), session_of(scripted("s", says())):
            assert patched() == first
        assert patched() == first
    assert patched() == before
    assert all(one is not other for one, other in zip(first, before, strict=True))


def _cassette(folder: Path, text: str) -> str:
    file = folder / "user.yaml"
    recorder = vcr.VCR(match_on=["method"])
    with serving(ScriptedModel(says(text))) as url, recorder.use_cassette(str(file)), _client(url) as client:
        client.messages.create(**ASK)
    return str(file)


def _use(file: str) -> Any:
    return vcr.VCR(match_on=["method"], record_mode="none").use_cassette(file)


def test_a_cassette_of_the_user_around_a_session(tmp_path: Path) -> None:
    file = _cassette(tmp_path, "the user's")
    with _use(file), _client() as client:
        with session_of(scripted("s", says("ours"))):
            assert _text(client.messages.create(**ASK)) == "ours"
        assert _text(client.messages.create(**ASK)) == "the user's"


def test_a_cassette_of_the_user_inside_a_session(tmp_path: Path) -> None:
    file = _cassette(tmp_path, "the user's")
    with session_of(scripted("s", says("ours"))), _client() as client:
        with _use(file):
            assert _text(client.messages.create(**ASK)) == "the user's"
        assert _text(client.messages.create(**ASK)) == "ours"


def test_a_cassette_of_the_user_before_and_after_a_session(tmp_path: Path) -> None:
    file = _cassette(tmp_path, "the user's")
    with _client() as client:
        for _ in range(2):
            with _use(file):
                assert _text(client.messages.create(**ASK)) == "the user's"
            with session_of(scripted("s", says("ours"))):
                assert _text(client.messages.create(**ASK)) == "ours"


def test_a_cassette_that_ends_while_the_patches_are_held_does_not_take_them_away(tmp_path: Path) -> None:
    before = http.client.HTTPSConnection, httpx.HTTPTransport.handle_request
    cassette = _use(_cassette(tmp_path, "the user's"))
    cassette.__enter__()
    with INTERCEPTOR.hold():
        cassette.__exit__(None, None, None)
        with session_of(scripted("s", says("ours"))), _client() as client:
            assert _text(client.messages.create(**ASK)) == "ours"
    assert (http.client.HTTPSConnection, httpx.HTTPTransport.handle_request) == before


def test_a_cassette_that_began_while_the_patches_were_held_outlives_them(tmp_path: Path) -> None:
    file = _cassette(tmp_path, "the user's")
    with _client() as client:
        with ExitStack() as held:
            held.enter_context(INTERCEPTOR.hold())
            cassette = _use(file)
            cassette.__enter__()
        assert _text(client.messages.create(**ASK)) == "the user's"
        cassette.__exit__(None, None, None)
        with session_of(scripted("s", says("ours"))):
            assert _text(client.messages.create(**ASK)) == "ours"
    with serving(ScriptedModel(says("from the server"))) as url, _client(url) as client:
        assert _text(client.messages.create(**ASK)) == "from the server"
        session = Session("live", LiveSide())
        with INTERCEPTOR.hold(), ROUTER.opened(session):
            client.messages.create(**ASK)
    assert len(session.exchanges) == 1  # seen once, although patches of an earlier time were put back


def _by_httpx(url: str, body: bytes) -> bytes:
    with httpx.Client() as client:
        return client.post(url, content=body).content


def _by_httpx_async(url: str, body: bytes) -> bytes:
    async def send() -> bytes:
        async with httpx.AsyncClient() as client:
            return (await client.post(url, content=body)).content

    return asyncio.run(send())


def _by_httpx2(url: str, body: bytes) -> bytes:
    httpx2 = pytest.importorskip("httpx2")
    with httpx2.Client() as client:
        return bytes(client.post(url, content=body).content)


def _by_aiohttp(url: str, body: bytes) -> bytes:
    aiohttp = pytest.importorskip("aiohttp")

    async def send() -> bytes:
        async with aiohttp.ClientSession() as session, session.post(url, data=body) as response:
            return bytes(await response.read())

    return asyncio.run(send())


def _by_requests(url: str, body: bytes) -> bytes:
    requests = pytest.importorskip("requests")
    return bytes(requests.post(url, data=body, timeout=5).content)


def _by_urllib3(url: str, body: bytes) -> bytes:
    urllib3 = pytest.importorskip("urllib3")
    with urllib3.PoolManager() as pool:
        return bytes(pool.request("POST", url, body=body).data)


def _by_urllib(url: str, body: bytes) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, body)) as response:
        return bytes(response.read())


def _by_http_client(url: str, body: bytes) -> bytes:
    parts = httpx.URL(url)
    made = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = made(parts.host, parts.port)
    connection.request("POST", parts.path, body)
    content = connection.getresponse().read()
    connection.close()
    return content


CLIENTS: Final = (
    _by_httpx,
    _by_httpx_async,
    _by_httpx2,
    _by_aiohttp,
    _by_requests,
    _by_urllib3,
    _by_urllib,
    _by_http_client,
)
_every_client = pytest.mark.parametrize("send", CLIENTS, ids=lambda send: send.__name__.removeprefix("_by_"))


@_every_client
def test_every_http_client_is_seen(send: Callable[[str, bytes], bytes]) -> None:
    with session_of(scripted("s", says("one"), says("two"))) as session:
        texts = [json.loads(send(URL, json.dumps(ASK).encode()))["content"][0]["text"] for _ in range(2)]
    assert texts == ["one", "two"]
    assert [(one.request.method, one.request.url, one.request.json) for one in session.exchanges] == [
        ("POST", URL, ASK),
        ("POST", URL, ASK),
    ]


@_every_client
def test_a_request_to_loopback_passes_through_every_client(send: Callable[[str, bytes], bytes]) -> None:
    model = ScriptedModel(says("from the server"))
    with serving(model) as url, session_of(scripted("s", says())) as session:
        content = send(f"{url}/tool", json.dumps(ASK).encode())
    assert json.loads(content)["content"][0]["text"] == "from the server"
    assert (len(model.asked), session.exchanges, session.troubles) == (1, [], [])


def test_boto3_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    boto3 = pytest.importorskip("boto3")
    for name, value in DUMMIES.items():
        monkeypatch.setenv(name, value)
    with session_of(scripted("s", says())) as session:
        client = boto3.client("bedrock-runtime")
        client.converse(modelId="anthropic.m", messages=[{"role": "user", "content": [{"text": "Hello"}]}])
        client.close()
    (exchange,) = session.exchanges
    assert exchange.request.url == "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.m/converse"
    assert exchange.request.json == {"messages": [{"role": "user", "content": [{"text": "Hello"}]}]}


def _get(url: str) -> int:
    with httpx.Client() as client:
        return client.get(url).status_code


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://weather.example/today?key=secret", "https://weather.example/today"),
        ("http://127.0.0.1.evil.example/", "http://127.0.0.1.evil.example/"),
        ("http://localhost.evil.example/", "http://localhost.evil.example/"),
        ("http://127.0.0.1@evil.example/", "http://evil.example/"),
        ("https://api.anthropic.com/v1/models", "https://api.anthropic.com/v1/models"),
    ],
)
def test_what_is_no_call_of_a_model_does_not_leave_the_machine(url: str, named: str, tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(script=[says()]))

    def loop(client: anthropic.Anthropic, model: str, messages: Any) -> None:
        assert _get(url) == 403
        client.messages.create(model=model, max_tokens=9, messages=messages)

    run = here.play(scenario, loop)
    assert run.outcome is Outcome.ERROR
    (failure,) = run.failures
    assert failure.message == f"GET {named} is no call of a model, and nothing goes out in replay"
    assert "secret" not in failure.message


def test_a_loop_may_talk_to_a_server_of_its_own_on_loopback(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(script=[asks("Oslo"), says()]))
    with serving(ScriptedModel(says("a tool's answer"))) as url:

        def loop(messages: Any, **offered: Any) -> None:
            assert _by_httpx(f"{url}/search", json.dumps(ASK).encode())

        def both(client: Any, model: Any, max_tokens: Any, messages: Any, tools: Any, functions: Any) -> object:
            loop(messages)
            return good.reverses_results(client, model, max_tokens, messages, tools, functions)

        run = here.play(scenario, both)
    assert (run.outcome, outline(run)) == (Outcome.PASS, [])


def test_a_response_is_taken_in_although_another_session_began_meanwhile() -> None:
    side, model = LiveSide(), ScriptedModel(says("slow"))
    came, go_on = threading.Event(), threading.Event()

    def answer(request: HttpRequest) -> HttpResponse:
        came.set()
        go_on.wait(5)
        return model(request)

    with ExitStack() as stack:
        client = stack.enter_context(_client(stack.enter_context(serving(answer))))
        stack.enter_context(INTERCEPTOR.hold())
        stack.enter_context(ROUTER.opened(Session("first", side)))
        pool = stack.enter_context(ThreadPoolExecutor(1))
        asked = pool.submit(contextvars.Context().run, lambda: client.messages.create(**ASK))
        came.wait(5)
        stack.enter_context(ROUTER.opened(Session("second", LiveSide())))
        go_on.set()
        assert _text(asked.result()) == "slow"
    assert len(side.exchanges) == 1


def test_a_thread_that_outlives_its_session_sends_nothing_where_the_router_is_closed() -> None:
    model = ScriptedModel(says("from the server"))
    with (
        serving(model) as url,
        INTERCEPTOR.hold(),
        GUARD.hold(),
        ROUTER.closed(["Tracing.example"]),
        _client() as away,
        _client(url) as near,
    ):
        with ROUTER.opened(Session("ended", LiveSide())):
            pass
        with pytest.raises(anthropic.BadRequestError, match="when its session had ended; end the thread"):
            _in_a_bare_thread(lambda: away.messages.create(**ASK))
        with pytest.raises(socket.gaierror, match="192.0.2.1 was opened when its session had ended"):
            _in_a_bare_thread(lambda: socket.create_connection(("192.0.2.1", 80), timeout=1))
        assert ROUTER.refuses("tracing.example") is None
        assert _in_a_bare_thread(lambda: _text(near.messages.create(**ASK))) == "from the server"
    assert ROUTER.refuses("192.0.2.1") is None


def asks_about_late_threads(messages: Any) -> None:
    assert [ROUTER.keeps_in(host) for host in ("api.anthropic.com", "tracing.example", "localhost")] == [
        True,
        False,
        False,
    ]
    with anthropic.Anthropic() as client:
        client.messages.create(model=MODEL, max_tokens=9, messages=messages)


def test_the_command_line_is_closed_between_its_scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = place(tmp_path, "allow_hosts = ['tracing.example']\n")
    here.scenario(weather(script=[says()], loop=f"{__name__}:asks_about_late_threads"))
    monkeypatch.chdir(tmp_path)
    assert main(["run"]) == 0
    assert not ROUTER.keeps_in("api.anthropic.com")
