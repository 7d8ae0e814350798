"""Sessions that record, against a scripted server, and play what they recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest

import toolreplay as library
from tests.projects import WEATHER, Place, ScriptedModel, asks, names, place, says, weather
from toolreplay import pytest_plugin
from toolreplay.cassette.exchange import Cassette
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.errors import RunFailed, UsageError
from toolreplay.loop import arun, run
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.loops import OWN_LOOP
from toolreplay.runner.modes import RECORD_MODES
from toolreplay.runner.run import Outcome
from toolreplay.serve.http import serving
from toolreplay.testing.fixture import Toolreplay
from toolreplay.testing.session import ScenarioSession
from toolreplay.wire.http import HttpRequest, HttpResponse

REPLIES: Final = (asks("Oslo"), says("Rain."))
CASSETTE: Final = "cassettes/weather.yaml"


@pytest.fixture
def here(tmp_path: Path) -> Place:
    made = place(tmp_path)
    made.scenario(weather())
    return made


@dataclass
class Api:
    """What stands where the API does; the model behind it may be exchanged."""

    model: ScriptedModel

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.model(request)

    @property
    def asked(self) -> list[HttpRequest]:
        return self.model.asked


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A server that stands where the API does; no credentials but the key."""
    for name in DUMMIES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-the-user")
    answering = Api(ScriptedModel(*REPLIES))
    with serving(answering) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        yield answering


def _agent(s: ScenarioSession, **changed: Any) -> None:
    fields: dict[str, Any] = {"model": s.model, "messages": s.messages, "tools": s.tools, "functions": s.functions}
    run(s.client, **{**fields, **changed})


def _played(here: Place, mode: str, **changed: Any) -> Outcome | None:
    """What a test with a session of this mode comes to."""
    ended: list[Outcome] = []
    fixture = Toolreplay(here.root, lambda run, _: ended.append(run.outcome), record_mode=mode)
    try:
        with fixture.session("weather") as s:
            _agent(s, **changed)
    except RunFailed as failed:
        return next(iter(ended), getattr(failed.run, "outcome", None))
    return ended[0]


def _recorded_at(here: Place) -> str:
    """When the cassette was recorded, put back to long ago for the next look."""
    path = here.root / CASSETTE
    if not path.exists():
        return "missing"
    provenance = read_cassette(path).provenance
    assert provenance is not None
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"recorded_at: '{provenance.recorded_at}'", "recorded_at: 'long ago'"))
    return "as it was" if provenance.recorded_at == "long ago" else "new"


@dataclass(frozen=True)
class Case:
    """What a mode does with a cassette that is missing, fresh, stale, or has no reply to a request."""

    mode: str
    missing: tuple[Outcome | None, str]
    fresh: tuple[Outcome | None, str]
    stale: tuple[Outcome | None, str]
    miss: tuple[Outcome | None, str]


_NEW: Final = (Outcome.PASS, "new")
_KEPT: Final = (Outcome.PASS, "as it was")
_STALE: Final = (Outcome.STALE, "as it was")
_FAILED: Final = (Outcome.FAIL, "as it was")
CASES: Final = (
    Case("none", (Outcome.ERROR, "missing"), _KEPT, _STALE, _FAILED),
    Case("once", _NEW, _KEPT, _STALE, _FAILED),
    Case("new_episodes", _NEW, _KEPT, _NEW, _NEW),
    Case("all", _NEW, _NEW, _NEW, _NEW),
    Case("rewrite", _NEW, _NEW, _NEW, _NEW),
)
_OTHER: Final = {"messages": [{"role": "user", "content": "Is it raining?"}]}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.mode)
def test_what_a_mode_records(case: Case, here: Place, api: Api) -> None:
    assert (_played(here, case.mode), _recorded_at(here)) == case.missing
    if case.missing[1] == "missing":
        assert api.asked == []
        assert (_played(here, "once"), _recorded_at(here)) == _NEW
    assert (_played(here, case.mode), _recorded_at(here)) == case.fresh
    api.asked.clear()
    assert (_played(here, case.mode, **_OTHER), _recorded_at(here)) == case.miss
    assert bool(api.asked) is (case.miss == _NEW)
    _played(here, "all")
    _recorded_at(here)
    api.asked.clear()
    here.scenario(weather(system="New."))
    assert (_played(here, case.mode), _recorded_at(here)) == case.stale
    assert bool(api.asked) is (case.stale == _NEW)


def test_what_was_recorded_plays_without_the_server_and_for_any_agent(here: Place, api: Api) -> None:
    assert _played(here, "once") is Outcome.PASS
    api.asked.clear()
    for system in (None, "Be brief."):
        with library.session("weather", root=here.root) as s:
            _agent(s, system=system, functions={"get_weather": s.wrap(lambda city: "fog", "get_weather")})
    assert here.play(here.scenario(weather())).outcome is Outcome.PASS
    assert api.asked == []
    provenance = read_cassette(here.root / CASSETTE).provenance
    assert provenance is not None
    assert (provenance.loop, provenance.recorded_from) == (OWN_LOOP, "simulator")


@pytest.mark.parametrize(("settings", "drifts"), [("", 1), ("volatile = [{regex = '\\d+ degrees'}]\n", 0)])
def test_a_result_that_differs_in_volatile_values_has_not_drifted(
    settings: str, drifts: int, here: Place, api: Api
) -> None:
    here.write("pyproject.toml", f"[tool.toolreplay]\n{settings}")
    here.scenario(weather(tools=[{**WEATHER, "stub": {"return": "4 degrees"}}]))
    assert _played(here, "once") is Outcome.PASS
    with library.session("weather", root=here.root) as s:
        _agent(s, functions={"get_weather": s.wrap(lambda city: "5 degrees", "get_weather")})
    assert s.run is not None
    assert len(s.run.drift) == drifts


def test_new_episodes_asks_for_what_is_new_and_keeps_what_was_served(here: Place, api: Api) -> None:
    assert _played(here, "once") is Outcome.PASS
    before = read_cassette(here.root / CASSETTE).exchanges
    api.asked.clear()
    with library.session("weather", record_mode="new_episodes", root=here.root) as s:
        history = run(s.client, model=s.model, messages=s.messages, tools=s.tools, functions=s.functions)
        api.model = ScriptedModel(*REPLIES, says("Sun."))
        history.append({"role": "user", "content": "And in Rome?"})
        run(s.client, model=s.model, messages=history, tools=s.tools, functions=s.functions)
    after = read_cassette(here.root / CASSETTE).exchanges
    assert (len(api.asked), len(after), [one.body for one in after[:2]]) == (1, 3, [one.body for one in before])


def test_new_episodes_with_a_reply_that_nobody_asks_for_fails(here: Place, api: Api) -> None:
    assert _played(here, "once") is Outcome.PASS
    path = here.root / CASSETTE
    cassette = read_cassette(path)
    write_cassette(path, Cassette((*cassette.exchanges, cassette.exchanges[0]), cassette.provenance))
    before = path.read_bytes()
    with (
        pytest.raises(RunFailed, match="exchange 2 of cassettes/weather.yaml was not played"),
        library.session("weather", record_mode="new_episodes", root=here.root) as s,
    ):
        _agent(s)
    assert path.read_bytes() == before


@pytest.mark.parametrize("mode", ["once", "all", "new_episodes"])
def test_a_test_that_fails_writes_nothing(mode: str, here: Place, api: Api) -> None:
    with pytest.raises(ZeroDivisionError), library.session("weather", record_mode=mode, root=here.root) as s:
        _agent(s)
        _ = 1 / 0
    with (
        pytest.raises(RunFailed, match="TR610"),
        library.session("weather", record_mode=mode, root=here.root) as s,
    ):
        s.client.messages.create(model=s.model, max_tokens=s.max_tokens, messages=s.messages, tools=s.tools)
    assert not (here.root / "cassettes").exists()


def test_a_secret_is_an_error_and_not_written(here: Place, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXICON_TOKEN", "is-there-anybody")
    api.model = ScriptedModel(says("My word is-there-anybody is."))
    with (
        pytest.raises(RunFailed, match="(?s)ERROR .*LEXICON_TOKEN"),
        library.session("weather", record_mode="once", root=here.root) as s,
    ):
        _agent(s)
    assert not (here.root / "cassettes").exists()


def test_the_users_own_key_is_sent_and_no_other(here: Place, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _played(here, "once") is Outcome.PASS
    sent = [request.headers.get("x-api-key") or request.headers["authorization"] for request in api.asked]
    assert [key.removeprefix("Bearer ") for key in sent] == ["a-key-of-the-user"] * 2
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    api.asked.clear()
    with pytest.raises(Exception, match="(?i)api_key|authentication"):
        _played(here, "all")
    assert api.asked == []


@pytest.mark.parametrize("entered", ["async with", "with"])
def test_async_agents_record_and_leave_no_connection_open(entered: str, here: Place, api: Api) -> None:
    async def agent(s: ScenarioSession) -> None:
        fields: Any = {"tools": s.tools, "async_functions": s.async_functions}
        await arun(s.async_client, model=s.model, messages=s.messages, **fields)

    async def inside() -> None:
        async with library.session("weather", record_mode="once", root=here.root) as s:
            await agent(s)

    async def closing(s: ScenarioSession) -> None:
        async with s.async_client:
            await agent(s)

    if entered == "with":
        with library.session("weather", record_mode="once", root=here.root) as s:
            asyncio.run(closing(s))
    else:
        asyncio.run(inside())
    assert names(here.root / "cassettes") == ["weather.yaml"]
    assert _played(here, "none") is Outcome.PASS


@pytest.mark.parametrize("mode", RECORD_MODES)
def test_a_script_is_played_in_every_mode(mode: str, here: Place, api: Api) -> None:
    here.scenario(weather(script=list(REPLIES)))
    assert (_played(here, mode), api.asked, (here.root / "cassettes").exists()) == (Outcome.PASS, [], False)


def test_a_mode_that_is_none(here: Place) -> None:
    with pytest.raises(UsageError) as caught:
        library.session("weather", record_mode="sometimes", root=here.root)
    assert str(caught.value) == "record_mode is 'sometimes'; write one of none, once, new_episodes, all, rewrite"


def test_the_plugin_knows_the_same_modes() -> None:
    assert pytest_plugin.RECORD_MODES == RECORD_MODES


def test_the_fixture_plays_a_stale_recording_and_tells_where_it_is_asked_to(here: Place, api: Api) -> None:
    assert _played(here, "once") is Outcome.PASS
    here.scenario(weather(tools=[{**WEATHER, "description": "Weather."}]))
    told: list[str] = []
    fixture = Toolreplay(here.root, lambda *_: None, stale=told.append)
    with fixture.session("weather") as s:
        _agent(s)
    assert (s.run and s.run.outcome, told) == (
        Outcome.PASS,
        ["scenarios/weather.yaml:1: tools changed since cassettes/weather.yaml was recorded"],
    )


def test_the_fixtures_play_records_too(here: Place, api: Api) -> None:
    ended: list[tuple[Outcome, str]] = []
    fixture = Toolreplay(
        here.root,
        lambda run, written: ended.append((run.outcome, written.name if written else "")),
        record_mode="once",
    )
    assert [fixture.play("weather").outcome for _ in range(2)] == [Outcome.PASS] * 2
    assert ended == [(Outcome.PASS, "weather.yaml"), (Outcome.PASS, "")]


def test_a_recording_that_was_added_to_says_who_answered_what(here: Place, api: Api) -> None:
    assert _played(here, "once") is Outcome.PASS
    path = here.root / CASSETTE
    cassette = read_cassette(path)
    assert cassette.provenance is not None
    old = replace(cassette.provenance, recorded_from="api.anthropic.com", sdk="anthropic 0.73.0")
    write_cassette(path, Cassette(cassette.exchanges[:1], old))
    api.model = ScriptedModel(*REPLIES, headers={"server": "other"})
    assert _played(here, "new_episodes") is Outcome.PASS
    after = read_cassette(path).provenance
    assert after is not None
    assert (after.recorded_from, after.sdk) == (
        "api.anthropic.com, 127.0.0.1",
        f"anthropic 0.73.0, anthropic {version('anthropic')}",
    )
    assert _played(here, "none") is Outcome.PASS
