"""Answers of a live server that a replay could not give again."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import anthropic
import pytest

import toolreplay as library
from tests.projects import MODEL, ScriptedModel, asks, outline, place, says, weather
from toolreplay.cassette.store import read_cassette
from toolreplay.errors import RunFailed
from toolreplay.loop import arun, run
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.record import record_scenario
from toolreplay.runner.run import Outcome
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

Loop = Callable[..., object]
REPLIES: Final = (asks("Oslo"), says("Rain."))
MESSAGE: Final[dict[str, Any]] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "model": MODEL,
    "content": [{"type": "text", "text": "Rain."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
WHOLE: Final = json.dumps(MESSAGE)


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DUMMIES:
        monkeypatch.delenv(name, raising=False)


class Gateway:
    """Leads every request to another path, where the model answers."""

    def __init__(self, status: int) -> None:
        self.model = ScriptedModel(*REPLIES)
        self._status = status

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = urlsplit(request.url).path
        if path.startswith("/gateway/"):
            return self.model(request)
        return HttpResponse(self._status, {"location": f"/gateway{path}?key=of-the-user"})


def with_the_sdk(client: anthropic.Anthropic, model: str, messages: Any, tools: Any, functions: Any) -> object:
    return run(client, model=model, messages=messages, tools=tools, functions=functions)


async def over_aiohttp(messages: Any, tools: Any, async_functions: Any) -> object:
    async with anthropic.AsyncAnthropic(http_client=anthropic.DefaultAioHttpClient(), max_retries=0) as client:
        return await arun(client, model=MODEL, messages=messages, tools=tools, async_functions=async_functions)


async def by_aiohttp_alone(client: anthropic.AsyncAnthropic, messages: Any, tools: Any, async_functions: Any) -> object:
    aiohttp = pytest.importorskip("aiohttp")

    class Messages:
        async def create(self, **fields: Any) -> object:
            url = f"{client.base_url}".rstrip("/") + "/v1/messages"
            async with aiohttp.ClientSession() as session, session.post(url, json=fields) as response:
                return anthropic.types.Message.model_validate(json.loads(await response.read()))

    class Client:
        messages = Messages()

    made: Any = Client()
    return await arun(made, model=MODEL, messages=messages, tools=tools, async_functions=async_functions)


@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("loop", [with_the_sdk, over_aiohttp, by_aiohttp_alone], ids=lambda loop: loop.__name__)
def test_what_was_redirected_is_recorded_as_if_the_model_itself_had_been_asked(
    loop: Loop, status: int, tmp_path: Path
) -> None:
    if loop is not with_the_sdk:
        pytest.importorskip("aiohttp")
    here = place(tmp_path)
    scenario = here.scenario(weather())
    assert here.record(scenario, Gateway(status), loop).outcome is Outcome.PASS
    played = here.play(scenario, loop)
    assert (outline(played), played.outcome, played.requests) == ([], Outcome.PASS, 2)
    (path,) = (tmp_path / "cassettes").iterdir()
    assert [(one.url, one.response.status) for one in read_cassette(path).exchanges] == [
        ("https://api.anthropic.com/v1/messages", 200)
    ] * 2
    assert "of-the-user" not in path.read_text()


def takes_anything(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    with pytest.raises(anthropic.APIStatusError):
        client.with_options(max_retries=0).messages.create(model=model, max_tokens=9, messages=messages)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_whose_answer_is_not_seen_is_an_error(status: int, tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(tools=[]))
    with serving(Gateway(status)) as url:
        recorded, path = record_scenario(scenario, here.project, base_url=url, loop=takes_anything)
    shown = f"{url}/gateway/v1/messages"
    what = f"the server answered {status}, which leads to {shown}, and what was answered there cannot be seen"
    assert (outline(recorded), path) == ([(str(Outcome.ERROR), what)], None)


def takes_whatever(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    client.messages.with_raw_response.create(model=model, max_tokens=9, messages=messages)


def takes_a_stream(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    client.messages.with_raw_response.create(model=model, max_tokens=9, messages=messages, stream=True)


@dataclass(frozen=True)
class Case:
    id: str
    content_type: str
    body: bytes
    loop: Loop = takes_whatever
    what: str = ""
    status: int = 200


UNREAD: Final = "the answer ({}) is no reply of a model that toolreplay can read"
JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"
CASES: Final = (
    Case("a reply", JSON, WHOLE.encode()),
    Case("a reply of no type", "", WHOLE.encode()),
    Case("UTF-16", JSON, WHOLE.encode("utf-16"), what=UNREAD.format("200, application/json")),
    Case("a byte order mark", JSON, codecs.BOM_UTF8 + WHOLE.encode(), what=UNREAD.format("200, application/json")),
    Case("a page", "text/html", b"<html>Log in</html>", what=UNREAD.format("200, text/html")),
    Case("nothing", JSON, b"", what=UNREAD.format("200, application/json")),
    Case("no type", "", b"OK", what=UNREAD.format("201, of no content type"), status=201),
    Case("a list", JSON, b"[1]", what=UNREAD.format("200, application/json")),
    Case(
        "no stream",
        JSON,
        WHOLE.encode(),
        takes_a_stream,
        "a stream was asked for, and the answer (200, application/json) is none",
    ),
    Case("a page for a stream", "text/html", b"<html>", takes_a_stream, UNREAD.format("200, text/html")),
    Case("a stream that ended at once", EVENTS, b"", takes_a_stream),
    Case("a stream that was cut", EVENTS, b"event: ping\ndata: {", takes_a_stream),
    Case(
        "a stream nobody asked for",
        EVENTS,
        b'data: {"type": "message_start", "message": ' + WHOLE.encode() + b"}\n\n",
        what="no stream was asked for, and the answer (200, text/event-stream) is one",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_answer_that_is_not_understood_is_an_error(case: Case, tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(tools=[]))
    headers = {"content-type": case.content_type} if case.content_type else {}
    recorded = here.record(scenario, lambda _: HttpResponse(case.status, headers, case.body), case.loop)
    found = [one.message for one in recorded.failures if one.outcome is Outcome.ERROR]
    assert found == ([case.what] if case.what else [])


def test_it_is_said_once_and_what_came_can_be_kept(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(tools=[]))

    def twice(client: anthropic.Anthropic, model: str, messages: Any) -> None:
        for _ in range(2):
            takes_whatever(client, model, messages)

    page = HttpResponse(200, {"content-type": "text/html"}, b"<html>Log in</html>")
    with serving(lambda _: page) as url:
        recorded, path = record_scenario(scenario, here.project, base_url=url, loop=twice, keep_failed=True)
    assert [one.where for one in recorded.failures if one.outcome is Outcome.ERROR] == ["request 1"]
    assert path is not None
    assert [one.response.body for one in read_cassette(path).exchanges] == [page.body] * 2


def test_a_session_that_records_is_an_error_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-the-user")
    here = place(tmp_path)
    here.scenario(weather(tools=[]))
    page = HttpResponse(200, {"content-type": "text/html"}, b"<html>Log in</html>")
    with serving(lambda _: page) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        with (
            pytest.raises(RunFailed, match=r"(?s)ERROR .*\(200, text/html\) is no reply of a model"),
            library.session("weather", record_mode="once", root=tmp_path) as s,
        ):
            takes_whatever(s.client, s.model, s.messages)
    assert not (tmp_path / "cassettes").exists()
