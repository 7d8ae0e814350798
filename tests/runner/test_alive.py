"""A run that saw no request says which clients are alive, and what carries their requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest

from tests.projects import place, says, weather
from toolreplay.runner.alive import clients_alive
from toolreplay.runner.clients import Clients
from toolreplay.runner.run import Outcome, Run

FIX: Final = "send through the client that is offered, or any HTTP client without a transport of its own"


@pytest.fixture(autouse=True)
def living(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """The clients of other tests are alive too; look at those of this test alone."""
    mine: list[object] = []
    monkeypatch.setattr("gc.get_objects", lambda: list(mine))
    yield mine
    mine.clear()


def _httpx() -> Any:
    """The library that this version of the SDK is built on."""
    return import_module(anthropic.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])


def _mocked(stack: ExitStack) -> list[object]:
    transport = _httpx().MockTransport(lambda _: None)
    http_client = anthropic.DefaultHttpxClient(transport=transport)
    client = anthropic.Anthropic(api_key="k", base_url="https://a.example", http_client=http_client)
    return [stack.enter_context(client)]


def _plain(stack: ExitStack) -> list[object]:
    return [stack.enter_context(_httpx().Client(base_url="https://b.example/v1"))]


def _closed(stack: ExitStack) -> list[object]:
    with anthropic.Anthropic(api_key="k") as client, _httpx().Client() as plain:
        return [client, plain]


def _many(stack: ExitStack) -> list[object]:
    return [stack.enter_context(_httpx().Client(base_url=f"https://{name}.example")) for name in "abcdefg"]


def _twice(stack: ExitStack) -> list[object]:
    return _plain(stack) + _plain(stack)


def _ours(stack: ExitStack) -> list[object]:
    return [Clients(None).get("Anthropic")]


class _Broken:
    """Says that it is a client, and nothing more."""


_Broken.__module__, _Broken.__name__ = "httpx.something", "Client"


def _told() -> str:
    """What is told; an address has a slash at its end or none, as the version of the library goes."""
    return clients_alive().replace("/, over", ", over")


@dataclass(frozen=True)
class Case:
    make: Callable[[ExitStack], list[object]]
    told: str

    @property
    def id(self) -> str:
        return self.make.__name__.strip("_")


def _over(name: str, kind: str = "Client") -> str:
    return f"{kind} (https://{name}.example, over HTTPTransport)"


CASES: Final = (
    Case(_mocked, "clients alive: Anthropic (https://a.example, over MockTransport)"),
    Case(_plain, "clients alive: Client (https://b.example/v1, over HTTPTransport)"),
    Case(_twice, "clients alive: Client (https://b.example/v1, over HTTPTransport)"),
    Case(_many, f"clients alive: {', '.join(map(_over, 'abcde'))} and 2 more"),
    Case(_closed, "no client that is known is alive"),
    Case(_ours, "no client that is known is alive"),
    Case(lambda _: [_Broken(), object(), 5], "clients alive: Client"),
    Case(lambda _: [], "no client that is known is alive"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_told(case: Case, living: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    with ExitStack() as stack:
        living += case.make(stack)
        assert _told() == case.told


def test_an_aiohttp_session(living: list[object]) -> None:
    aiohttp = pytest.importorskip("aiohttp")

    async def tell() -> tuple[str, str]:
        async with AsyncExitStack() as stack:
            living.append(await stack.enter_async_context(aiohttp.ClientSession()))
            alive = clients_alive()
        return alive, clients_alive()

    assert asyncio.run(tell()) == (
        "clients alive: ClientSession (over TCPConnector)",
        "no client that is known is alive",
    )


def test_a_client_of_boto3(living: list[object]) -> None:
    boto3 = pytest.importorskip("boto3")
    client = boto3.client("bedrock-runtime", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    living.append(client)
    assert clients_alive() == "clients alive: BedrockRuntime (https://bedrock-runtime.us-east-1.amazonaws.com)"
    client.close()


def test_the_run_tells_it(tmp_path: Path, living: list[object]) -> None:
    here = place(tmp_path)

    def loop(messages: Any) -> None:
        transport = _httpx().MockTransport(lambda _: _httpx().Response(404, json={"error": {"message": "none"}}))
        client = anthropic.Anthropic(api_key="k", http_client=anthropic.DefaultHttpxClient(transport=transport))
        living.append(client)
        with pytest.raises(anthropic.NotFoundError):
            client.messages.create(model="m", max_tokens=9, messages=messages)

    run: Run = here.play(here.scenario(weather(script=[says()])), loop)
    (failure,) = run.failures
    assert (run.outcome, failure.message) == (
        Outcome.ERROR,
        "the loop sent no request that toolreplay could see, so nothing was checked",
    )
    told = "clients alive: Anthropic (https://api.anthropic.com, over MockTransport)"
    assert failure.fix.replace("/, over", ", over") == f"{FIX}; {told}"
