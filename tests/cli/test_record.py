from __future__ import annotations

import re
from typing import Final

import pytest

from tests.cli.command import Command
from tests.projects import Place, ScriptedModel, asks, names, says, weather
from toolreplay.serve.http import serving

REPLIES: Final = (asks("Oslo"), says("Rain."))
_TIME: Final = re.compile(r"\d+\.\d\d s")


def test_without_a_key_and_a_server_it_is_a_usage_error(here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    done = toolreplay("record")
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "toolreplay: recording needs a key: set ANTHROPIC_API_KEY, or name a server with --base-url\n",
    )
    assert not (here.root / "cassettes").exists()


def test_what_is_recorded_plays(here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url)
    assert (done.code, done.err) == (0, "")
    assert [_TIME.sub("0.00 s", line) for line in done.lines] == [
        (
            "PASS  scenarios/weather.yaml::weather  (2 turns, 1 call, 2 requests checked, 0.00 s)  "
            "-> cassettes/weather.yaml"
        )
    ]
    assert toolreplay("run").code == 0


def test_a_failing_run_writes_nothing_and_says_why(here: Place, toolreplay: Command) -> None:
    here.scenario(weather(conversation=[{"user": "Hi", "expect": {"final_text": "Snow."}}]))
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url)
    assert (done.code, done.lines[0].endswith("nothing written")) == (1, True)
    assert 'expected "Snow.", got "Rain."' in done.lines[1]
    assert not (here.root / "cassettes").exists()


def test_only_what_is_stale_or_missing_is_recorded(here: Place, toolreplay: Command) -> None:
    kinds = ("fresh", "missing", "stale")
    for kind in kinds:
        here.scenario(weather(name=kind), path=f"scenarios/{kind}.yaml")
    here.scenario(weather(name="scripted", script=list(REPLIES)), path="scenarios/scripted.yaml")
    model = ScriptedModel(*REPLIES)
    with serving(model) as url:
        toolreplay("record", "--base-url", url, "scenarios/fresh.yaml", "scenarios/stale.yaml")
        here.scenario(weather(name="stale", system="New."), path="scenarios/stale.yaml")
        model.asked.clear()
        done = toolreplay("record", "--base-url", url, "--stale")
        assert (done.code, [line.partition("::")[2].partition("  ")[0] for line in done.lines]) == (
            0,
            ["missing", "stale"],
        )
        assert len(model.asked) == 4
        again = toolreplay("record", "--base-url", url, "--stale")
    assert (again.code, again.out) == (0, "every recording is up to date\n")
    assert toolreplay("run").code == 0


def test_nothing_to_record_is_an_error(here: Place, toolreplay: Command) -> None:
    assert toolreplay("record", "--base-url", "http://127.0.0.1:1").code == 3
    assert toolreplay("record", "--base-url", "http://127.0.0.1:1", "--stale").code == 3


def test_a_broken_file_is_shown_and_the_others_are_recorded(here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    here.write("scenarios/broken.yaml", "version: 2")
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url)
    assert done.code == 3
    assert "scenarios/broken.yaml:1: version: " in done.out
    assert names(here.root / "cassettes") == ["weather.yaml"]


def test_a_server_that_is_not_there_is_told(here: Place, toolreplay: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write("impatient_loop.py", _IMPATIENT)
    here.scenario(weather(loop="impatient_loop:run"))
    done = toolreplay("record", "--base-url", "http://127.0.0.1:1")
    assert (done.code, "nothing written" in done.out) == (1, True)
    assert "APIConnectionError" in done.out


_IMPATIENT: Final = """
def run(client, model, messages):
    client.with_options(max_retries=0).messages.create(model=model, max_tokens=9, messages=messages)
"""


def test_another_loop_records_a_cassette_of_its_own(here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url, "--loop", "tests.loops.good:reverses_results")
    assert (done.code, names(here.root / "cassettes")) == (
        0,
        ["weather.tests-loops-good-reverses_results.yaml"],
    )
    assert toolreplay("run", "--loop", "tests.loops.good:reverses_results").code == 0
    assert toolreplay("run").code == 3  # the scenario's own loop has no cassette


def test_cassettes_may_lie_outside_the_project(
    here: Place, tmp_path_factory: pytest.TempPathFactory, toolreplay: Command
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    here.write("pyproject.toml", f"[tool.toolreplay]\ncassettes = '{outside}'\n")
    here.scenario(weather())
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url)
    assert (done.code, names(outside)) == (0, ["weather.yaml"])
    assert done.lines[0].endswith(f"-> {outside}/weather.yaml")
