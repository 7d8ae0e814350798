"""Every client records from a real server and plays what it recorded with the server gone."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest
from pydantic import TypeAdapter

from tests.loops import good, sdk_runner
from tests.projects import MODEL, WEATHER, asks, outline, place, says, weather
from toolreplay.cassette.store import read_cassette
from toolreplay.loop import arun, run
from toolreplay.runner.clients import DUMMIES, pointed_at
from toolreplay.runner.origin import SIMULATOR
from toolreplay.runner.record import record_scenario
from toolreplay.runner.run import Outcome
from toolreplay.runner.script import scripted_response
from toolreplay.scenario.script import Reply
from toolreplay.serve.http import serving
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.sse import encode_event

Json = dict[str, Any]
Loop = Callable[..., object]
_SCRIPT: TypeAdapter[tuple[Reply, ...]] = TypeAdapter(tuple[Reply, ...])
# Texts, since the SDK's runner sends what a function returns.
TOOL: Final = {**WEATHER, "stub": [{"when": {"city": "Oslo"}, "return": "rain"}, WEATHER["stub"][-1]]}
TWO_CALLS: Final = (asks("Oslo", "Atlantis"), says("Rain in Oslo."))


class InOrder:
    """A model that gives its replies in order: a follow-up of a thread does not say how far it has come."""

    def __init__(self, *replies: Json) -> None:
        self.asked: list[Json] = []
        self._replies = _SCRIPT.validate_python(replies, strict=False)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        call = endpoint(request.method, request.url)
        assert call is not None
        number = len(self.asked)
        self.asked.append(request.json)
        response = scripted_response(self._replies[number], MODEL, f"reply {number}", call, request)
        return HttpResponse(response.status, {**response.headers, "server": SIMULATOR}, response.body)


def sync(client: anthropic.Anthropic, model: str, messages: Any, tools: Any, functions: Any) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions)


def sync_streamed(client: anthropic.Anthropic, model: str, messages: Any, tools: Any, functions: Any) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions, stream=True)


async def awaited(
    client: anthropic.AsyncAnthropic, model: str, messages: Any, tools: Any, async_functions: Any
) -> object:
    return await arun(client, model=model, messages=messages, tools=tools, async_functions=async_functions)


async def awaited_streamed(
    client: anthropic.AsyncAnthropic, model: str, messages: Any, tools: Any, async_functions: Any
) -> object:
    return await arun(client, model=model, messages=messages, tools=tools, async_functions=async_functions, stream=True)


async def _over_aiohttp(messages: Any, tools: Any, functions: Any, *, stream: bool) -> object:
    http_client = anthropic.DefaultAioHttpClient()
    async with anthropic.AsyncAnthropic(http_client=http_client, max_retries=0) as client:
        return await arun(client, model=MODEL, messages=messages, tools=tools, async_functions=functions, stream=stream)


async def over_aiohttp(messages: Any, tools: Any, async_functions: Any) -> object:
    return await _over_aiohttp(messages, tools, async_functions, stream=False)


async def over_aiohttp_streamed(messages: Any, tools: Any, async_functions: Any) -> object:
    return await _over_aiohttp(messages, tools, async_functions, stream=True)


def on_bedrock(client: anthropic.AnthropicBedrock, model: str, messages: Any, tools: Any, functions: Any) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions)


def on_bedrock_streamed(
    client: anthropic.AnthropicBedrock, model: str, messages: Any, tools: Any, functions: Any
) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions, stream=True)


def of_its_own_on_bedrock(model: str, messages: Any, tools: Any, functions: Any) -> object:
    with anthropic.AnthropicBedrock() as client:
        return run(client, model=model, messages=messages, tools=tools, functions=functions)


def with_boto3(client: Any, model: str, messages: Any, tools: Any, functions: Any) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions)


def with_boto3_streamed(client: Any, model: str, messages: Any, tools: Any, functions: Any) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions, stream=True)


@dataclass(frozen=True)
class Case:
    loop: Loop
    needs: str = ""
    wire: str = "messages"

    @property
    def id(self) -> str:
        return f"{self.loop.__module__.rpartition('.')[2]}.{self.loop.__name__}"


CLIENTS: Final = (
    Case(sync),
    Case(sync_streamed),
    Case(awaited),
    Case(awaited_streamed),
    Case(over_aiohttp, "aiohttp"),
    Case(over_aiohttp_streamed, "aiohttp"),
    Case(on_bedrock, "boto3"),
    Case(on_bedrock_streamed, "boto3"),
    Case(of_its_own_on_bedrock, "boto3"),
    Case(with_boto3, "boto3", "converse"),
    Case(with_boto3_streamed, "boto3", "converse"),
    Case(sdk_runner.whole),
    Case(sdk_runner.without_threads),
    Case(sdk_runner.streamed),
    Case(sdk_runner.awaited),
    Case(good.Agent.run),
    Case(good.runs_tools_in_threads),
)


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DUMMIES:
        monkeypatch.delenv(name, raising=False)


def _skip_without(case: Case) -> None:
    if case.needs and find_spec(case.needs) is None:
        pytest.skip(f"{case.needs} is not installed")
    if case.needs == "aiohttp" and not hasattr(anthropic, "DefaultAioHttpClient"):
        pytest.skip("this version of the SDK has no DefaultAioHttpClient")
    if case.loop is sdk_runner.without_threads and not _knows_threads():
        pytest.skip("this version of the SDK knows no threads")


def _knows_threads() -> bool:
    return tuple(map(int, anthropic.__version__.split(".")[:2])) >= (2, 3)


@pytest.mark.parametrize("case", CLIENTS, ids=lambda case: case.id)
def test_what_a_client_recorded_plays_with_the_server_gone(case: Case, tmp_path: Path) -> None:
    _skip_without(case)
    here, model = place(tmp_path), InOrder(*TWO_CALLS)
    scenario = here.scenario(weather(wire=case.wire, tools=[TOOL]))
    with serving(model) as url:
        recorded, path = record_scenario(scenario, here.project, base_url=url, loop=case.loop)
    assert (outline(recorded), recorded.outcome, len(model.asked)) == ([], Outcome.PASS, 2)
    assert path is not None
    played = here.play(scenario, case.loop)
    assert (outline(played), played.outcome, played.requests) == ([], Outcome.PASS, 2)
    assert [(call.input, call.result and call.result.status) for call in played.calls] == [
        ({"city": "Oslo"}, "success"),
        ({"city": "Atlantis"}, "error"),
    ]
    recorded_replies, played_replies = (
        [exchange.response.body for exchange in one.exchanges] for one in (recorded, played)
    )
    assert [json.loads(body) if body[:1] == b"{" else body for body in played_replies] == [
        json.loads(body) if body[:1] == b"{" else body for body in recorded_replies
    ]


@pytest.mark.skipif(not _knows_threads(), reason="this version of the SDK knows no threads")
def test_a_thread_is_recorded_as_it_was_sent(tmp_path: Path) -> None:
    here, model = place(tmp_path), InOrder(*TWO_CALLS)
    scenario = here.scenario(weather(tools=[TOOL]))
    with serving(model) as url:
        _, path = record_scenario(scenario, here.project, base_url=url, loop=sdk_runner.whole)
    assert path is not None
    bodies: list[Any] = [exchange.body for exchange in read_cassette(path).exchanges]
    assert bodies == model.asked
    assert [len(body["messages"]) for body in bodies] == [1, 1]


STREAMS: Final = (
    Case(sync_streamed),
    Case(awaited_streamed),
    Case(over_aiohttp_streamed, "aiohttp"),
    Case(with_boto3_streamed, "boto3", "converse"),
)


@pytest.mark.parametrize("cut_after", [400, 650])
@pytest.mark.parametrize("case", STREAMS, ids=lambda case: case.id)
def test_a_stream_that_ends_early_is_recorded_and_played_as_it_was(case: Case, cut_after: int, tmp_path: Path) -> None:
    """The reference loop asks again for a reply that was cut off."""
    _skip_without(case)
    here, model = place(tmp_path), InOrder({**TWO_CALLS[0], "cut_after": cut_after}, *TWO_CALLS)
    scenario = here.scenario(weather(wire=case.wire, tools=[TOOL]))
    with serving(model) as url:
        recorded, path = record_scenario(scenario, here.project, base_url=url, loop=case.loop)
    assert (recorded.outcome, len(model.asked), path is not None) == (Outcome.PASS, 3, True)
    assert path is not None
    first, *others = (exchange.response.body for exchange in read_cassette(path).exchanges)
    assert (len(first), [len(body) > cut_after for body in others]) == (cut_after, [True, True])
    played = here.play(scenario, case.loop)
    assert (outline(played), played.outcome) == (outline(recorded), Outcome.PASS)
    assert [exchange.response.body for exchange in played.exchanges] == [first, *others]


@contextmanager
def _breaking(content_type: str, *parts: bytes) -> Iterator[str]:
    """A server whose connection breaks in the middle of every answer, before the last chunk."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                _read_request(connection)
                connection.sendall(head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _read_request(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = (line.lower() for line in head.split(b"\r\n"))
    length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(65536)


_STARTED: Final[Json] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
EVENTS: Final = (
    encode_event("message_start", {"type": "message_start", "message": _STARTED}),
    encode_event(
        "content_block_start",
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ),
    encode_event(
        "content_block_delta",
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Ra"}},
    ),
)


def takes_what_comes(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    stream = client.messages.create(model=model, max_tokens=9, messages=messages, stream=True)
    assert [event.type for event in stream] == ["message_start", "content_block_start", "content_block_delta"]


async def awaits_what_comes(client: anthropic.AsyncAnthropic, model: str, messages: Any) -> None:
    stream = await client.messages.create(model=model, max_tokens=9, messages=messages, stream=True)
    assert [event.type async for event in stream] == ["message_start", "content_block_start", "content_block_delta"]


@pytest.mark.parametrize("loop", [takes_what_comes, awaits_what_comes])
def test_a_stream_whose_connection_breaks_is_recorded_and_played_as_far_as_it_came(loop: Loop, tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(tools=[]))
    with _breaking("text/event-stream; charset=utf-8", *EVENTS) as url:
        recorded, path = record_scenario(scenario, here.project, base_url=url, loop=loop)
    assert (recorded.outcome, path is not None) == (Outcome.PASS, True)
    assert path is not None
    (exchange,) = read_cassette(path).exchanges
    assert exchange.response.body == b"".join(EVENTS)
    played = here.play(scenario, loop)
    assert (outline(played), played.outcome) == (outline(recorded), Outcome.PASS)


def gives_up(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    with pytest.raises(anthropic.APIConnectionError):
        client.with_options(max_retries=0).messages.create(model=model, max_tokens=9, messages=messages)


def test_an_answer_that_is_no_stream_and_breaks_off_is_no_answer(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(tools=[]))
    with _breaking("application/json", b'{"type": "message", ') as url:
        recorded, path = record_scenario(scenario, here.project, base_url=url, loop=gives_up)
    assert (recorded.outcome, recorded.exchanges, path) == (Outcome.ERROR, (), None)


def test_every_address_that_the_sdk_takes_from_the_environment_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_VERTEX_BASE_URL", "http://of-the-user")
    monkeypatch.setenv("ANTHROPIC_FOUNDRY_RESOURCE", "of-the-user")
    package = Path(anthropic.__file__).parent
    texts = (path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    read = {name for text in texts for name in re.findall(r"\bANTHROPIC_(?:[A-Z]+_)*BASE_URL\b", text)}
    assert "ANTHROPIC_BEDROCK_BASE_URL" in read
    with pointed_at("http://127.0.0.1:1"):
        assert {name for name in read if os.environ.get(name) != "http://127.0.0.1:1"} == set()
        assert "ANTHROPIC_FOUNDRY_RESOURCE" not in os.environ
    assert (os.environ["ANTHROPIC_VERTEX_BASE_URL"], os.environ["ANTHROPIC_FOUNDRY_RESOURCE"]) == (
        "http://of-the-user",
        "of-the-user",
    )
    assert "ANTHROPIC_BEDROCK_BASE_URL" not in os.environ
