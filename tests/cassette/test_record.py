from __future__ import annotations

import copy
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from tests.loops import faulty, good
from tests.projects import MODEL, WEATHER, Place, ScriptedModel, asks, names, outline, place, says, weather

from toolreplay.cassette.exchange import Cassette
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.run import Outcome
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

Json = dict[str, Any]
REPLIES: Final = (asks("Oslo", "Atlantis"), says("Rain."))
OLD: Final = "version: 1\ninteractions: []\n"
KEY: Final = "sk-ant-api03-a-secret-of-the-user"


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DUMMIES:
        monkeypatch.delenv(name, raising=False)


def _recorded(tmp_path: Path, **fields: object) -> tuple[Place, Any]:
    here = place(tmp_path)
    scenario = here.scenario(weather(**fields))
    run = here.record(scenario, ScriptedModel(*REPLIES))
    assert (outline(run), run.outcome) == ([], Outcome.PASS)
    return here, scenario


def test_what_is_recorded_plays_and_says_where_it_is_from(tmp_path: Path) -> None:
    here, scenario = _recorded(tmp_path)
    cassette = read_cassette(here.cassette(scenario))
    assert cassette.provenance is not None
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", cassette.provenance.recorded_at)
    assert (cassette.provenance.recorded_from, cassette.provenance.loop) == (
        "simulator",
        "toolreplay.loop:run",
    )
    assert cassette.provenance.sdk == f"anthropic {version('anthropic')}"
    assert cassette.provenance.scenario == "scenarios/weather.yaml::weather"
    assert list(cassette.provenance.digests) == ["tools", "system", "model", "parameters", "prompts", "stubs"]
    assert {exchange.url for exchange in cassette.exchanges} == {"https://api.anthropic.com/v1/messages"}
    run = here.play(scenario)
    assert (outline(run), run.outcome, run.turns, len(run.calls)) == ([], Outcome.PASS, 2, 2)


def test_a_server_that_is_no_simulator_is_named_by_its_host(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather())
    here.record(scenario, ScriptedModel(*REPLIES, headers={"server": "other"}))
    provenance = read_cassette(here.cassette(scenario)).provenance
    assert provenance is not None
    assert provenance.recorded_from == "127.0.0.1"


def _key(request: HttpRequest) -> str:
    """The key that was sent, in the header that this version of the SDK uses."""
    return request.headers.get("x-api-key") or request.headers["authorization"].removeprefix("Bearer ")


def test_no_key_is_kept_and_the_users_own_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    here, model = place(tmp_path), ScriptedModel(*REPLIES, headers={"set-cookie": "session=abc"})
    scenario = here.scenario(weather())
    here.record(scenario, model)
    assert [_key(request) for request in model.asked] == [KEY, KEY]
    text = here.cassette(scenario).read_text()
    assert [
        word for word in (KEY, "x-api-key", "cookie", "session=abc", "127.0.0.1", "user-agent") if word in text
    ] == []
    assert "authorization" not in text.lower()


def test_no_request_goes_out_with_a_key_that_we_made_up_unless_a_server_is_named(tmp_path: Path) -> None:
    here, model = place(tmp_path), ScriptedModel(*REPLIES)
    here.record(here.scenario(weather()), model)
    assert [_key(request) for request in model.asked] == ["replay-needs-no-key"] * 2


@dataclass(frozen=True)
class Failing:
    id: str
    fields: Json
    loop: Callable[..., object] | None = None


@pytest.mark.parametrize(
    "case",
    [
        Failing("an expectation", {"conversation": [{"user": "Hi", "expect": {"final_text": "Snow."}}]}),
        Failing("the contract", {}, faulty.loses_is_error),
        Failing("the loop raised", {}, faulty.raises_of_its_own),
        Failing("too many turns", {"max_turns": 1}),
        Failing("a stub is missing", {"tools": [{"name": "get_weather", "input_schema": {}}]}),
    ],
    ids=lambda case: case.id,
)
def test_a_run_that_does_not_pass_writes_nothing(case: Failing, tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather(**case.fields))
    old = here.write("cassettes/weather.yaml", OLD)
    run = here.record(scenario, ScriptedModel(*REPLIES), case.loop)
    assert run.outcome in (Outcome.FAIL, Outcome.ERROR)
    assert (old.read_text(), names(tmp_path / "cassettes")) == (OLD, ["weather.yaml"])


def test_an_answer_that_cannot_be_read_is_an_error_and_not_recorded(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather())
    packed = HttpResponse(200, {"content-type": "application/json", "content-encoding": "zstd"}, b"\x28\xb5\x2f\xfd!")
    run = here.record(scenario, lambda _: packed)
    assert run.outcome is Outcome.ERROR
    assert "is zstd, which cannot be read" in run.failures[0].message
    assert not here.cassette(scenario).exists()


def test_a_cassette_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    here = place(tmp_path)
    here.write("cassettes", "a file in the way")
    run = here.record(here.scenario(weather()), ScriptedModel(*REPLIES))
    assert run.outcome is Outcome.ERROR
    assert "cannot be written" in run.failures[0].message


class _Flaky:
    """Answers each request with the given errors before it answers it well."""

    def __init__(self, *statuses: int, headers: Json | None = None) -> None:
        self._model = ScriptedModel(*REPLIES)
        self._statuses = list(statuses)
        self._headers = headers or {}
        self.count = 0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.count += 1
        if self._statuses:
            error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            headers = {"content-type": "application/json", "retry-after-ms": "1", **self._headers}
            return HttpResponse(self._statuses.pop(0), headers, json.dumps(error).encode())
        return self._model(request)


def test_retries_are_collapsed(tmp_path: Path) -> None:
    here, model = place(tmp_path), _Flaky(529, 503)
    scenario = here.scenario(weather())
    run = here.record(scenario, model)
    assert (outline(run), run.outcome, model.count) == ([], Outcome.PASS, 4)
    assert [one.response.status for one in read_cassette(here.cassette(scenario)).exchanges] == [200, 200]
    played = here.play(scenario)
    assert (outline(played), played.outcome) == ([], Outcome.PASS)


@pytest.mark.parametrize("header", [{"retry-after": "30"}, {"retry-after-ms": "30000"}, {}], ids=str)
def test_a_recorded_retry_does_not_make_a_replay_sleep(header: Json, tmp_path: Path) -> None:
    here, scenario = _recorded(tmp_path)
    cassette = read_cassette(here.cassette(scenario))
    first = cassette.exchanges[0]
    error = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'
    headers = {"content-type": "application/json", **header}
    overloaded = Cassette((_with(first, HttpResponse(529, headers, error)), *cassette.exchanges), cassette.provenance)
    write_cassette(here.cassette(scenario), overloaded)
    started = time.perf_counter()
    run = here.play(scenario)
    assert (outline(run), run.outcome, run.requests) == ([], Outcome.PASS, 3)
    assert time.perf_counter() - started < 10


def _with(exchange: Any, response: HttpResponse) -> Any:
    changed = copy.copy(exchange)
    object.__setattr__(changed, "response", response)
    return changed


def test_a_missing_cassette_says_how_to_record_it(tmp_path: Path) -> None:
    here = place(tmp_path)
    run = here.play(here.scenario(weather()))
    assert run.outcome is Outcome.ERROR
    (failure,) = run.failures
    assert (failure.where, failure.message, failure.fix) == (
        "scenarios/weather.yaml:1",
        "it has no cassette cassettes/weather.yaml",
        "record it: toolreplay record scenarios/weather.yaml",
    )


def test_an_exchange_that_was_not_played_fails_the_run(tmp_path: Path) -> None:
    here, scenario = _recorded(tmp_path)
    cassette = read_cassette(here.cassette(scenario))
    write_cassette(here.cassette(scenario), Cassette((*cassette.exchanges, cassette.exchanges[0]), cassette.provenance))
    run = here.play(scenario)
    assert (outline(run), run.outcome) == (
        [("FAIL", "exchange 2 of cassettes/weather.yaml was not played")],
        Outcome.FAIL,
    )


STUB: Final = [{"return": "fog"}]
CHANGES: Final[dict[str, Json]] = {
    "tools": {"tools": [{**WEATHER, "description": "Weather."}]},
    "system": {"system": "Be brief."},
    "model": {"model": "claude-opus-5"},
    "parameters": {"max_tokens": 99},
    "prompts": {"conversation": [{"user": "Is it raining?"}]},
    "stubs": {"tools": [{**WEATHER, "stub": STUB}]},
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_part_that_changed_makes_the_recording_stale(part: str, tmp_path: Path) -> None:
    here, _ = _recorded(tmp_path)
    changed = here.scenario(weather(**CHANGES[part]))
    run = here.play(changed)
    assert run.outcome is Outcome.STALE
    (failure,) = run.failures
    assert (failure.message, failure.fix) == (
        f"{part} changed since cassettes/weather.yaml was recorded",
        "record again: toolreplay record scenarios/weather.yaml",
    )


def test_all_parts_that_changed_are_named(tmp_path: Path) -> None:
    here, _ = _recorded(tmp_path)
    run = here.play(here.scenario(weather(system="Be brief.", max_tokens=99)))
    assert run.failures[0].message == "system, parameters changed since cassettes/weather.yaml was recorded"


@pytest.mark.parametrize(
    "changes",
    [
        {"conversation": [{"user": "What is the weather?", "expect": {"turns": 2}}]},
        {"allow": [{"rule": "TR105", "reason": "why not"}]},
        {"max_turns": 9},
        {"tools": [{**WEATHER, "stub": [{**entry, "delay": 0.001} for entry in WEATHER["stub"]]}]},
    ],
    ids=["expectations", "allow", "max_turns", "delay"],
)
def test_what_only_judges_a_run_makes_nothing_stale(changes: Json, tmp_path: Path) -> None:
    here, _ = _recorded(tmp_path)
    run = here.play(here.scenario(weather(**changes)))
    assert (outline(run), run.outcome) == ([], Outcome.PASS)


def test_a_loop_that_changed_fails_and_is_not_called_stale(tmp_path: Path) -> None:
    here = place(tmp_path)
    here.write("changing_loop.py", "from tests.loops.good import reverses_results as loop\n")
    scenario = here.scenario(weather(loop="changing_loop:loop"))
    here.record(scenario, ScriptedModel(*REPLIES))
    cassette = read_cassette(here.cassette(scenario))
    first, second = cassette.exchanges
    body: Any = copy.deepcopy(second.body)
    body["messages"][2]["content"].reverse()
    write_cassette(here.cassette(scenario), Cassette((first, _with_body(second, body)), cassette.provenance))
    run = here.play(scenario)
    assert run.outcome is Outcome.FAIL
    assert run.failures[0].fix == "if the change is meant, record again: toolreplay record scenarios/weather.yaml"


def _with_body(exchange: Any, body: object) -> Any:
    changed = copy.copy(exchange)
    object.__setattr__(changed, "body", body)
    return changed


def test_a_loop_has_a_cassette_of_its_own(tmp_path: Path) -> None:
    here, scenario = _recorded(tmp_path)
    name = "tests.loops.good:reverses_results"
    run = here.record(scenario, ScriptedModel(*REPLIES), name)
    assert run.outcome is Outcome.PASS
    assert names(tmp_path / "cassettes") == [
        "weather.tests-loops-good-reverses_results.yaml",
        "weather.yaml",
    ]
    own = read_cassette(tmp_path / "cassettes" / "weather.tests-loops-good-reverses_results.yaml")
    assert own.provenance is not None
    assert own.provenance.loop == name
    for loop in (name, None):
        played = here.play(scenario, loop)
        assert (outline(played), played.outcome) == ([], Outcome.PASS)


@pytest.mark.parametrize("wire", ["messages", "converse"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_both_wires_whole_and_streamed(wire: str, stream: bool, tmp_path: Path) -> None:
    if wire == "converse":
        pytest.importorskip("boto3")
    here = place(tmp_path)
    scenario = here.scenario(weather(wire=wire, stream=stream))
    recorded = here.record(scenario, ScriptedModel(*REPLIES))
    assert (outline(recorded), recorded.outcome) == ([], Outcome.PASS)
    run = here.play(scenario)
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 2)
    assert [call.result and call.result.status for call in run.calls] == ["success", "error"]


def test_a_scenario_with_a_script_is_not_recorded(tmp_path: Path) -> None:
    here, model = place(tmp_path), ScriptedModel()
    run = here.record(here.scenario(weather(script=list(REPLIES))), model)
    assert (run.outcome, model.asked) == (Outcome.SKIP, [])


def test_several_documents_have_a_cassette_each(tmp_path: Path) -> None:
    here = place(tmp_path)
    here.scenario(weather(name="First one"), weather(name="the second"))
    from toolreplay.scenario.load import load_file

    for scenario in load_file(tmp_path / "scenarios" / "weather.yaml", tmp_path):
        assert here.record(scenario, ScriptedModel(*REPLIES)).outcome is Outcome.PASS
    assert names(tmp_path / "cassettes") == ["weather.first-one.yaml", "weather.the-second.yaml"]


@pytest.fixture
def slow_model() -> Iterator[tuple[str, threading.Event]]:
    """A model that tells when it was asked, and takes its time."""
    asked, model = threading.Event(), ScriptedModel(*REPLIES)

    def answer(request: HttpRequest) -> HttpResponse:
        asked.set()
        time.sleep(0.3)
        return model(request)

    with serving(answer) as url:
        yield url, asked


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_kill_9_while_recording_leaves_the_old_cassette_whole(
    tmp_path: Path, slow_model: tuple[str, threading.Event]
) -> None:
    url, asked = slow_model
    here, scenario = _recorded(tmp_path)
    old = here.cassette(scenario).read_bytes()
    command = [sys.executable, "-m", "toolreplay", "record", "--base-url", url]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        came = asked.wait(60)
        process.send_signal(signal.SIGKILL)
    assert (came, process.returncode) == (True, -signal.SIGKILL)
    assert here.cassette(scenario).read_bytes() == old
    run = here.play(scenario)
    assert (outline(run), run.outcome) == ([], Outcome.PASS)


def test_the_cassette_is_a_plain_yaml_file(tmp_path: Path) -> None:
    here, scenario = _recorded(tmp_path)
    data = yaml.safe_load(here.cassette(scenario).read_text())
    assert [one.get("toolreplay") for one in data["interactions"]] == [None, {"extends": 0}]
    assert data["interactions"][0]["request"]["body"]["model"] == MODEL
    assert data["interactions"][0]["request"]["uri"] == good.URL
