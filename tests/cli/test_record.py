from __future__ import annotations

import os
import re
from typing import Final

import pytest
import yaml

from tests.cli.command import Command, Result, as_process
from tests.projects import Place, ScriptedModel, asks, names, says, weather
from toolreplay.serve.http import serving

OLD: Final = "version: 1\ninteractions: []\n"
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


FAILING: Final = [{"user": "What is the weather?", "expect": {"final_text": "Snow."}}]


def test_what_a_failed_run_recorded_can_be_kept_beside_the_cassette(here: Place, toolreplay: Command) -> None:
    here.scenario(weather(conversation=FAILING))
    old = here.write("cassettes/weather.yaml", OLD)
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url, "--keep-failed")
    assert (done.code, done.lines[0].partition("  -> ")[2]) == (1, "cassettes/weather.failed.yml")
    assert 'expected "Snow.", got "Rain."' in done.out
    assert (old.read_text(), names(here.root / "cassettes")) == (OLD, ["weather.failed.yml", "weather.yaml"])
    shown = toolreplay("show", "cassettes/weather.failed.yml")
    assert (shown.code, "Rain." in shown.out) == (0, True)


def test_keeping_what_failed_touches_nothing_where_all_is_well(here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    with serving(ScriptedModel(*REPLIES)) as url:
        assert toolreplay("record", "--base-url", url, "--keep-failed").code == 0
    assert names(here.root / "cassettes") == ["weather.yaml"]


def test_a_failed_run_that_was_answered_nothing_has_nothing_to_keep(here: Place, toolreplay: Command) -> None:
    here.write("impatient_loop.py", _IMPATIENT)
    here.scenario(weather(loop="impatient_loop:run"))
    done = toolreplay("record", "--base-url", "http://127.0.0.1:1", "--keep-failed")
    assert (done.code, done.lines[0].endswith("nothing written")) == (1, True)
    assert not (here.root / "cassettes").exists()


def test_a_failed_run_with_a_secret_is_not_kept_and_still_says_why_it_failed(
    here: Place, toolreplay: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXICON_TOKEN", "nobody-may-know-this")
    here.scenario(weather(conversation=FAILING))
    with serving(ScriptedModel(asks("Oslo"), says("It is nobody-may-know-this."))) as url:
        done = toolreplay("record", "--base-url", url, "--keep-failed")
    assert (done.code, done.lines[0].endswith("nothing written")) == (3, True)
    assert ("LEXICON_TOKEN" in done.out, 'expected "Snow."' in done.out) == (True, True)
    assert not (here.root / "cassettes").exists()


def _recorded_names(lines: list[str]) -> list[str]:
    return [line.partition("::")[2].partition("  ")[0] for line in lines if "  -> " in line]


def test_one_scenario_of_a_file_is_recorded_again_and_the_others_stay(here: Place, toolreplay: Command) -> None:
    file = here.write("scenarios/both.yaml", yaml.safe_dump_all([weather(name="first one"), weather(name="second")]))
    here.scenario(weather(), path="scenarios/other.yaml")
    with serving(ScriptedModel(*REPLIES)) as url:
        assert toolreplay("record", "--base-url", url).code == 0
        written = {path: path.read_bytes() for path in (here.root / "cassettes").iterdir()}
        for path, old in written.items():
            path.write_bytes(old.replace(b"recorded_at: '", b"recorded_at: '1999, "))
        done = toolreplay("record", "--base-url", url, f"{file}::second")
    assert (done.code, _recorded_names(done.lines)) == (0, ["second"])
    renewed = {path.name for path in written if b"1999" not in path.read_bytes()}
    assert renewed == {"both.second.yaml"}


def test_only_the_stale_document_of_a_file_is_recorded(here: Place, toolreplay: Command) -> None:
    def write(system: str) -> None:
        documents = [weather(name="first one"), weather(name="second", system=system)]
        here.write("scenarios/both.yaml", yaml.safe_dump_all(documents))

    write("Old.")
    with serving(ScriptedModel(*REPLIES)) as url:
        toolreplay("record", "--base-url", url)
        write("New.")
        done = toolreplay("record", "--base-url", url, "--stale", "scenarios/both.yaml")
    assert (done.code, _recorded_names(done.lines)) == (0, ["second"])
    assert toolreplay("run").code == 0


def test_a_recording_that_is_too_old_is_stale_and_recorded_again(here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", "[tool.toolreplay]\nmax_age = 30\n")
    cassette = here.cassette(here.scenario(weather()))
    with serving(ScriptedModel(*REPLIES)) as url:
        toolreplay("record", "--base-url", url)
        aged = re.sub(r"recorded_at: '?20\d\d", lambda found: found[0][:-4] + "2001", cassette.read_text())
        cassette.write_text(aged)
        old = toolreplay("run")
        assert (old.code, bool(re.search(r"was recorded \d+ days ago, and max_age is 30", old.out))) == (4, True)
        done = toolreplay("record", "--base-url", url, "--stale")
    assert (done.code, _recorded_names(done.lines)) == (0, ["weather"])
    assert toolreplay("run").code == 0


_CALENDAR: Final = """
from pathlib import Path


def today(city):
    return f"{city} on {Path(__file__).with_name('today.txt').read_text()}: rain"
"""
_PROMPTED: Final = """
from pathlib import Path

from toolreplay.loop import run as reference


def run(client, model, messages, tools, functions):
    today = Path(__file__).with_name("today.txt").read_text()
    return reference(
        client, model=model, messages=messages, tools=tools, functions=functions, system=f"Today is {today}."
    )
"""
_TODAY: Final = "2026-11-29"
_TOMORROW: Final = "2026-11-30T08:15:00Z"


@pytest.mark.parametrize("also", ["", "the system prompt"], ids=["a result", "a result and the system prompt"])
def test_a_recording_of_yesterday_plays_once_the_proposed_line_is_pasted(
    also: str, here: Place, toolreplay: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(here.root))
    # Names of their own: an imported module stays what it was.
    calendar, prompted = f"calendar_{here.root.name}", f"prompted_{here.root.name}"
    tool = {
        "name": "get_weather",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
        "stub": {"call": f"{calendar}:today"},
    }
    here.write(f"{calendar}.py", _CALENDAR)
    here.write(f"{prompted}.py", _PROMPTED)
    here.write("today.txt", _TODAY)
    here.scenario(weather(tools=[tool], **({"loop": f"{prompted}:run"} if also else {})))
    with serving(ScriptedModel(*REPLIES)) as url:
        assert toolreplay("record", "--base-url", url).code == 0
    assert toolreplay("run").code == 0
    here.write("today.txt", _TOMORROW)
    done = toolreplay("run")
    assert (done.code, _TODAY in done.out, _TOMORROW in done.out) == (1, True, True)
    (line,) = [line for line in done.lines if "volatile = " in line]
    asked, _, proposed = line.strip().partition(": volatile = ")
    assert asked == "fix: if that changes with every run, write under [tool.toolreplay] in pyproject.toml"
    here.write("pyproject.toml", f"[tool.toolreplay]\nvolatile = {proposed}\n")
    again = toolreplay("run")
    assert (again.code, again.lines[0].startswith("PASS ")) == (0, True)


@pytest.mark.parametrize(
    "settings", ["volatile = 5", "volatile = [{regex = '('}]", "max_age = 'old'", "allow_hosts = 5"]
)
def test_settings_that_cannot_be_read_are_a_usage_error_of_one_line(
    settings: str, here: Place, toolreplay: Command
) -> None:
    here.write("pyproject.toml", f"[tool.toolreplay]\n{settings}\n")
    done = toolreplay("run")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    name = settings.partition(" ")[0]
    assert done.err.startswith(f"toolreplay: {here.root / 'pyproject.toml'}: [tool.toolreplay] {name}")


def test_what_the_project_calls_a_secret_is_not_recorded(here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", "[tool.toolreplay]\nsecrets = ['ACME-\\d+']\n")
    scenario = here.scenario(weather(conversation=[{"user": "Ticket ACME-4711, please."}]))
    with serving(ScriptedModel(says())) as url:
        done = toolreplay("record", "--base-url", url)
    assert done.code == 3
    assert "interaction 0, request body messages[0].content holds what matches" in done.out
    assert "4711" not in done.out
    assert not here.cassette(scenario).exists()


SAME_FOLDER: Final = ("cassettes = 'scenarios'", "scenarios = '.'\ncassettes = '.'", "cassettes = './scenarios/'")


@pytest.mark.parametrize("settings", SAME_FOLDER)
def test_a_cassette_does_not_replace_the_scenario(settings: str, here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", f"[tool.toolreplay]\n{settings}\n")
    here.scenario(weather())
    before = (here.root / "scenarios/weather.yaml").read_text()
    model = ScriptedModel(*REPLIES)
    with serving(model) as url:
        for stale in ([], ["--stale"]):
            done = toolreplay("record", "--base-url", url, *stale, "scenarios")
            assert (done.code, done.out, model.asked) == (2, "", [])
            assert done.err == (
                "toolreplay: scenarios/weather.yaml: is a scenario, and a cassette would replace it; "
                "set cassettes in pyproject.toml to a folder of its own\n"
            )
    assert (here.root / "scenarios/weather.yaml").read_text() == before


def test_nothing_is_recorded_where_a_cassette_would_replace_what_is_none(here: Place, toolreplay: Command) -> None:
    here.scenario(weather(name="first"), path="scenarios/first.yaml")
    here.scenario(weather())
    other = here.write("cassettes/weather.yaml", "services: {}\n")
    with serving(ScriptedModel(*REPLIES)) as url:
        done = toolreplay("record", "--base-url", url)
    assert (done.code, done.out, names(other.parent)) == (2, "", ["weather.yaml"])
    assert done.err.startswith("toolreplay: cassettes/weather.yaml: is no recording, and a cassette would replace it; ")


def test_what_failed_is_kept_under_a_name_that_is_no_other_scenarios(here: Place, toolreplay: Command) -> None:
    here.scenario(weather(conversation=FAILING))
    other = here.cassette(here.scenario(weather(name="other"), path="scenarios/weather.failed.yaml"))
    with serving(ScriptedModel(*REPLIES)) as url:
        assert toolreplay("record", "--base-url", url, "scenarios/weather.failed.yaml").code == 0
        before = other.read_bytes()
        assert toolreplay("record", "--base-url", url, "--keep-failed", "scenarios/weather.yaml").code == 1
    assert (other.read_bytes(), names(other.parent)) == (before, ["weather.failed.yaml", "weather.failed.yml"])
    assert toolreplay("run", "scenarios/weather.failed.yaml").code == 0


def test_a_scenario_outside_the_project_is_recorded_and_played(here: Place, toolreplay: Command) -> None:
    here.write("inner/pyproject.toml", "[tool.toolreplay]\n")
    here.scenario(weather())
    outer = (here.root / "scenarios").resolve()
    at = "cassettes/" + outer.as_posix().lstrip("/") + "/weather.yaml"

    def inside(*words: str) -> Result:
        return as_process(here.root / "inner", *words)

    with serving(ScriptedModel(*REPLIES)) as url:
        done = inside("record", "../scenarios/weather.yaml", "--base-url", url)
    assert (done.code, done.lines[0].partition("  -> ")[2]) == (0, at)
    for way in ("../scenarios/weather.yaml", "../inner/../scenarios", str(outer)):
        assert inside("run", way).lines[0].startswith(f"PASS  {outer.as_posix()}/weather.yaml::weather  ")
    found = [path.relative_to(here.root / "inner").as_posix() for path in (here.root / "inner").rglob("*.yaml")]
    assert found == [at]


@pytest.mark.parametrize(
    "url", ["", "foo", "ftp://x", "file:///etc/passwd", "http://", "http://[::1", "http://x:y", "http://a b", "//host"]
)
def test_a_base_url_that_names_no_server_is_a_usage_error(url: str, here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    done = toolreplay("record", "--base-url", url)
    what = "is no address of a server; write http://HOST or https://HOST"
    assert (done.code, done.out, done.err) == (2, "", f"toolreplay: --base-url {url!r}: {what}\n")


def test_an_empty_loop_is_a_usage_error(here: Place, toolreplay: Command) -> None:
    here.scenario(weather())
    done = toolreplay("record", "--loop", "", "--base-url", "http://127.0.0.1:1")
    told = "toolreplay: --loop is empty; name a loop, package.module:function, or leave the option out\n"
    assert (done.code, done.out, done.err) == (2, "", told)


def test_a_cassette_that_may_not_be_read_is_not_replaced(here: Place, toolreplay: Command) -> None:
    cassette = here.cassette(here.scenario(weather()))
    here.write("cassettes/weather.yaml", OLD).chmod(0)
    if os.access(cassette, os.R_OK):
        pytest.skip("this user may read everything")
    done = toolreplay("record", "--base-url", "http://127.0.0.1:1", "--stale")
    assert (done.code, "cassettes/weather.yaml: cannot be read: Permission denied" in done.out) == (3, True)
    cassette.chmod(0o644)
    assert cassette.read_text() == OLD
