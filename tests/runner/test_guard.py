"""In replay nothing leaves the machine, whatever library sends it."""

from __future__ import annotations

import asyncio
import errno
import http.client
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import anthropic
import httpx
import pytest

from tests.loops import good
from tests.projects import ScriptedModel, asks, outline, place, says, scripted, weather
from toolreplay.runner.cast import Cast
from toolreplay.runner.guard import Guard, is_local
from toolreplay.runner.router import GUARD, INTERCEPTOR, ROUTER
from toolreplay.runner.run import Outcome
from toolreplay.runner.script import ScriptSide
from toolreplay.runner.session import Session
from toolreplay.runner.sides import LiveSide
from toolreplay.serve.http import serving

AWAY: Final = "192.0.2.1"  # TEST-NET-1: an address that is nobody's
HOST: Final = "database.example"
_NAMES: Final = ("connect", "connect_ex", "sendto", "sendmsg")
_RESOLVERS: Final = ("getaddrinfo", "gethostbyname", "gethostbyname_ex")


def _functions() -> list[object]:
    """What the guard patches, as it stands now."""
    return [
        *(getattr(socket.socket, name) for name in _NAMES),
        *(getattr(socket, name) for name in _RESOLVERS),
    ]


@pytest.fixture(autouse=True)
def _removed_afterwards() -> Iterator[None]:
    before, own = _functions(), set(vars(socket.socket))
    yield
    assert (_functions(), set(vars(socket.socket))) == (before, own)


def _raw() -> None:
    with socket.socket() as raw:
        raw.settimeout(1)
        raw.connect((AWAY, 80))


def _raw_by_number() -> None:
    with socket.socket() as raw:
        raw.settimeout(1)
        if raw.connect_ex((AWAY, 80)) == errno.ECONNREFUSED:
            raise ConnectionRefusedError


def _datagram() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as raw:
        raw.sendto(b"x", (AWAY, 53))


def _datagram_with_flags() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as raw:
        raw.sendto(b"x", 0, (AWAY, 53))


def _message() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as raw:
        raw.sendmsg([b"x"], [], 0, (AWAY, 53))


def _in_a_thread_of_its_own() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_raw).result()


def _opened_by_asyncio() -> None:
    asyncio.run(asyncio.wait_for(asyncio.open_connection(AWAY, 80), 2))


def _named_to_asyncio() -> None:
    asyncio.run(asyncio.wait_for(asyncio.open_connection(HOST, 80), 2))


def _through_a_transport_of_its_own() -> None:
    """A client that the interceptor does not see: its transport is another class, with a connection below."""

    library: Any = import_module(anthropic.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])

    class Transport(library.BaseTransport):  # type: ignore[misc]
        def handle_request(self, request: Any) -> Any:
            with closing(socket.create_connection((request.url.host, 443), timeout=1)):
                raise AssertionError("it went out")

    with anthropic.Anthropic(
        api_key="k", max_retries=1, http_client=anthropic.DefaultHttpxClient(transport=Transport())
    ) as client:
        client.models.list()


@dataclass(frozen=True)
class Case:
    send: Callable[[], object]
    host: str = AWAY
    error: type[BaseException] = ConnectionRefusedError

    @property
    def id(self) -> str:
        return self.send.__name__.strip("_")


def _look_up(name: str) -> Case:
    def send() -> object:
        return getattr(socket, name)(*((HOST, 80) if name == "getaddrinfo" else (HOST,)))

    send.__name__ = name
    return Case(send, HOST, socket.gaierror)


OUTWARD: Final = (
    Case(_raw),
    Case(_raw_by_number),
    Case(_datagram),
    Case(_datagram_with_flags),
    Case(_message),
    Case(_in_a_thread_of_its_own),
    Case(_opened_by_asyncio),
    Case(_named_to_asyncio, HOST, socket.gaierror),
    Case(_through_a_transport_of_its_own, "api.anthropic.com", anthropic.APIConnectionError),
    *map(_look_up, _RESOLVERS),
)


@pytest.mark.parametrize("case", OUTWARD, ids=lambda case: case.id)
def test_nothing_goes_out_and_the_run_says_what_wanted_to(case: Case, tmp_path: Path) -> None:
    here = place(tmp_path)

    def loop(client: Any, model: Any, max_tokens: Any, messages: Any, tools: Any, functions: Any) -> object:
        with pytest.raises(case.error):
            case.send()
        return good.reverses_results(client, model, max_tokens, messages, tools, functions)

    run = here.play(here.scenario(weather(script=[asks("Oslo"), says()])), loop)
    message = (
        f"a connection to {case.host} was opened, and nothing goes out in replay; "
        f"if it must, write allow_hosts = ['{case.host}'] under [tool.toolreplay]"
    )
    assert (run.outcome, [failure.message for failure in run.failures]) == (Outcome.ERROR, [message])


@pytest.mark.parametrize("url", [f"http://{HOST}/rows", f"http://{AWAY}/rows"])
@pytest.mark.parametrize("library", ["urllib", "http.client"])
def test_requests_that_are_no_call_of_a_model(library: str, url: str, tmp_path: Path) -> None:
    def send() -> None:
        if library == "urllib":
            urllib.request.urlopen(url, timeout=1)
        connection = http.client.HTTPConnection(httpx.URL(url).host, timeout=1)
        with closing(connection):
            connection.request("GET", "/rows")
            assert connection.getresponse().status == 403
            raise ConnectionRefusedError

    def loop(client: Any, model: Any, max_tokens: Any, messages: Any, tools: Any, functions: Any) -> object:
        with pytest.raises(OSError, match=r"403|^$"):
            send()
        return good.reverses_results(client, model, max_tokens, messages, tools, functions)

    here = place(tmp_path)
    run = here.play(here.scenario(weather(script=[asks("Oslo"), says()])), loop)
    assert outline(run) == [("ERROR", f"GET {url} is no call of a model, and nothing goes out in replay")]


def _server() -> tuple[socket.socket, Any]:
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()


def _session(**options: Any) -> Session:
    scenario = scripted("s", says())
    return Session("s", ScriptSide(scenario, Cast(scenario)), **options)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1.2.3", socket.gethostname(), ""])
def test_this_machine_may_be_reached(host: str) -> None:
    session = _session()
    with GUARD.hold(), ROUTER.opened(session):
        try:
            socket.create_connection((host or None, 1), timeout=1).close()
        except OSError as error:  # nobody listens, there is no IPv6, or no such name: but the guard did not refuse
            assert "toolreplay" not in str(error)  # noqa: PT017
    assert session.troubles == []


def test_a_server_on_loopback_answers() -> None:
    session, (server, address) = _session(), _server()
    with server, GUARD.hold(), ROUTER.opened(session):
        with socket.create_connection(address, timeout=1):
            pass

        async def talk() -> None:
            _, writer = await asyncio.open_connection("localhost", address[1])
            writer.close()
            await writer.wait_closed()

        asyncio.run(talk())
    assert session.troubles == []


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no unix sockets here")
def test_sockets_of_the_file_system_are_none_of_ours(tmp_path: Path) -> None:
    session, path = _session(), str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server, GUARD.hold(), ROUTER.opened(session):
        server.bind(path)
        server.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
    assert session.troubles == []


@pytest.fixture
def resolving(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A resolver that knows every name, and no network behind it; gives what was connected to."""
    reached: list[str] = []

    def getaddrinfo(host: str, port: int, *_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("198.51.100.7", port))]

    def connect(own: socket.socket, address: Any) -> None:
        reached.append(address[0])
        raise TimeoutError("there is no network here")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(socket, "gethostbyname", lambda _: "198.51.100.8")
    monkeypatch.setattr(socket, "gethostbyname_ex", lambda _: (HOST, [], ["198.51.100.9"]))
    monkeypatch.setattr(socket.socket, "connect", connect)
    return reached


@pytest.mark.parametrize("allowed", [HOST, HOST.upper()])
def test_a_host_that_is_allowed_may_be_reached_and_no_other(allowed: str, resolving: list[str]) -> None:
    session = _session(hosts=[allowed])
    with GUARD.hold(), ROUTER.opened(session):
        with pytest.raises(TimeoutError):
            socket.create_connection((HOST, 80), timeout=1)
        for address in (socket.gethostbyname(HOST), socket.gethostbyname_ex(HOST)[2][0]):
            with socket.socket() as raw, pytest.raises(TimeoutError):
                raw.connect((address, 80))
        assert session.troubles == []
        with pytest.raises(socket.gaierror):
            socket.create_connection((f"other.{HOST}", 80), timeout=1)
    assert (resolving, len(session.troubles)) == (["198.51.100.7", "198.51.100.8", "198.51.100.9"], 1)


def test_the_configuration_allows_hosts_for_connections_and_requests(tmp_path: Path, resolving: list[str]) -> None:
    here = place(tmp_path, f"allow_hosts = ['{HOST}']\n")

    def loop(client: Any, model: Any, max_tokens: Any, messages: Any, tools: Any, functions: Any) -> object:
        with pytest.raises(OSError, match="there is no network here"):
            urllib.request.urlopen(f"http://{HOST}/rows", timeout=1)
        with pytest.raises(OSError, match="there is no network here"):
            socket.create_connection((HOST, 5432), timeout=1)
        return good.reverses_results(client, model, max_tokens, messages, tools, functions)

    run = here.play(here.scenario(weather(script=[asks("Oslo"), says()])), loop)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    assert resolving == ["198.51.100.7", "198.51.100.7"]


def test_recording_is_not_hindered(resolving: list[str]) -> None:
    session = Session("live", LiveSide())
    with INTERCEPTOR.hold(), GUARD.hold(), ROUTER.opened(session), pytest.raises(TimeoutError):
        socket.create_connection((HOST, 80), timeout=1)
    assert (resolving, session.troubles) == (["198.51.100.7"], [])


def test_without_a_session_nothing_is_refused(resolving: list[str]) -> None:
    with GUARD.hold(), pytest.raises(TimeoutError):
        socket.create_connection((HOST, 80), timeout=1)
    assert resolving == ["198.51.100.7"]


def test_sessions_in_threads_are_told_apart() -> None:
    both_open = threading.Barrier(3, timeout=5)

    def play(session: Session, sends: bool) -> None:
        with GUARD.hold(), ROUTER.opened(session):
            both_open.wait()
            if sends:
                with pytest.raises(ConnectionRefusedError):
                    _raw()
            both_open.wait()

    sessions = [_session() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(play, sessions, [False, True, False]))
    assert [len(session.troubles) for session in sessions] == [0, 1, 0]


def test_it_goes_when_the_last_holder_goes_and_after_an_exception() -> None:
    before = _functions()
    with pytest.raises(ZeroDivisionError), GUARD.hold():
        with GUARD.hold():
            held = _functions()
        assert _functions() == held
        _ = 1 / 0
    assert (held != before, _functions()) == (True, before)


def test_what_somebody_else_patched_meanwhile_stays_and_calls_pass_through_us(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    guard = Guard(lambda host: f"no {host}")
    with monkeypatch.context() as patched:
        with guard.hold():
            ours: Any = socket.socket.connect

            def theirs(own: socket.socket, address: Any) -> Any:
                called.append(address)
                return ours(own, address)

            patched.setattr(socket.socket, "connect", theirs)
            with socket.socket() as raw, pytest.raises(ConnectionRefusedError, match=f"no {AWAY}"):
                raw.connect((AWAY, 80))
        assert socket.socket.connect is theirs
        server, address = _server()
        with server, socket.create_connection(address, timeout=1):
            pass
        assert called == [(AWAY, 80), address]
    # Who leaves later puts ours back: it lets everything pass, and is gone with the next holder.
    assert socket.socket.connect is ours
    with socket.socket() as raw, pytest.raises(OSError, match="(?!toolreplay)"):
        raw.connect(("127.0.0.1", 1))
    with guard.hold():
        pass


def test_what_was_patched_before_and_put_back_meanwhile_does_not_leave_a_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    session = _session()
    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", lambda *_, **__: [])
        holding = GUARD.hold()
        holding.__enter__()
    with GUARD.hold(), ROUTER.opened(session), pytest.raises(socket.gaierror):
        socket.getaddrinfo(HOST, 80)
    holding.__exit__(None, None, None)
    assert len(session.troubles) == 1


def test_beside_a_tool_that_puts_its_own_class_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pytest-socket does."""

    class Forbidding(socket.socket):
        pass

    session = _session()
    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", Forbidding)
        holding = GUARD.hold()
        holding.__enter__()
    with ROUTER.opened(session), socket.socket() as raw, pytest.raises(ConnectionRefusedError):
        raw.connect((AWAY, 80))
    holding.__exit__(None, None, None)
    assert not any(hasattr(vars(Forbidding).get(name), "toolreplay_original") for name in _NAMES)


def test_a_server_that_a_tool_starts_may_be_asked(tmp_path: Path) -> None:
    here = place(tmp_path)
    with serving(ScriptedModel(says("a tool's answer"))) as url:

        def loop(client: Any, model: Any, max_tokens: Any, messages: Any, tools: Any, functions: Any) -> object:
            httpx.post(f"{url}/search", json={"messages": []}).raise_for_status()
            return good.reverses_results(client, model, max_tokens, messages, tools, functions)

        run = here.play(here.scenario(weather(script=[asks("Oslo"), says()])), loop)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("LOCALHOST.", True),
        ("api.localhost", True),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("::ffff:127.0.0.1", True),
        ("::ffff:192.0.2.1", False),
        ("::1%lo", True),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("2001:db8::1", False),
        ("", True),
    ],
)
def test_what_is_local(host: str, local: bool) -> None:
    assert is_local(host) is local
