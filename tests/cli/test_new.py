from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.command import Command, as_process
from tests.projects import Place, ScriptedModel, asks, names, says, weather
from tests.transcript.build import Json, assistant, body, exchange, loop, recording, reply, user

THERE = "is there already; name another file, or replace it with --force"


def _given(here: Place, *exchanges: Json, path: str = "old/weather.json") -> str:
    here.write(path, recording(*exchanges).decode())
    return path


def _files(here: Place) -> list[str]:
    return sorted(path.relative_to(here.root).as_posix() for path in here.root.rglob("*.yaml"))


@pytest.mark.parametrize("wire", [[], ["--wire", "messages"], ["--wire", "converse"]], ids=" ".join)
def test_an_empty_scenario_passes_as_it_stands(wire: list[str], here: Place, toolreplay: Command) -> None:
    done = toolreplay("new", "scenarios/two_cities.yaml", *wire)
    assert (done.code, done.err, done.out) == (
        0,
        "",
        "scenarios/two_cities.yaml: written; play it with: toolreplay run scenarios/two_cities.yaml\n",
    )
    run = toolreplay("run")
    assert (run.code, run.lines[-1]) == (0, "1 scenario: 1 PASS; 2 requests checked, 2 tool calls")
    assert run.lines[0].startswith("PASS  scenarios/two_cities.yaml::two cities  ")


def test_a_drafted_scenario_passes_as_it_stands(here: Place, toolreplay: Command) -> None:
    given = _given(here, *loop())
    done = toolreplay("new", "scenarios/a/weather.yaml", "--from", given)
    assert (done.code, done.err, done.lines) == (
        0,
        "",
        ["scenarios/a/weather.yaml: written; 1 prompt, 2 calls, 2 exchanges", "cassettes/a/weather.yaml: written"],
    )
    text = (here.root / "scenarios/a/weather.yaml").read_text()
    assert text.splitlines()[:4] == [
        "# yaml-language-server: $schema=../../schema/scenario.json",
        "# Drafted from weather.json, conversation 1.",
        "version: 1",
        "name: weather",
    ]
    head = yaml.safe_load((here.root / "cassettes/a/weather.yaml").read_text())["toolreplay"]
    assert (head["recorded_from"], head["scenario"]) == (
        "api.anthropic.com, copied from old/weather.json",
        "scenarios/a/weather.yaml::weather",
    )
    run = toolreplay("run")
    assert (run.code, run.lines[-1]) == (0, "1 scenario: 1 PASS; 2 requests checked, 2 tool calls")


def test_a_change_of_the_scenario_makes_the_copy_stale(here: Place, toolreplay: Command) -> None:
    toolreplay("new", "scenarios/weather.yaml", "--from", _given(here, *loop()))
    file = here.root / "scenarios" / "weather.yaml"
    file.write_text(file.read_text().replace("user: Weather?", "user: Rain?"))
    run = toolreplay("run")
    assert (run.code, run.lines[1].strip()) == (
        4,
        "scenarios/weather.yaml:3: prompts changed since cassettes/weather.yaml was recorded",
    )


def test_what_is_left_out_is_told(here: Place, toolreplay: Command) -> None:
    alone = exchange(body(user("Hello.")), reply(assistant({"type": "text", "text": "Hello."}), 9))
    refused = exchange(body(user("Weather?")), {"type": "error", "error": {"type": "api_error"}}, status=500)
    given = _given(here, refused, *loop(), alone)
    assert toolreplay("new", "scenarios/weather.yaml", "--from", given).lines == [
        "scenarios/weather.yaml: written; 1 prompt, 2 calls, 2 exchanges of 3",
        "cassettes/weather.yaml: written",
        "      exchange 0: was answered 500 api_error",
        "      left out: 1 other conversation; take one with --conversation",
    ]
    other = toolreplay("new", "scenarios/other.yaml", "--from", given, "--conversation", "2")
    assert other.lines[0] == "scenarios/other.yaml: written; 1 prompt, 0 calls, 1 exchange"
    assert toolreplay("run").code == 0


@dataclass(frozen=True)
class Refused:
    id: str
    words: list[str]
    code: int
    err: str


GIVEN = ["--from", "old/weather.json"]
REFUSED = (
    Refused("the scenario is there", ["scenarios/there.yaml"], 2, f"toolreplay: scenarios/there.yaml: {THERE}\n"),
    Refused(
        "the cassette is there",
        ["scenarios/kept.yaml", *GIVEN],
        2,
        "toolreplay: cassettes/kept.yaml: is there already; name another scenario, or replace the file with --force\n",
    ),
    Refused(
        "no YAML",
        ["scenarios/a.json"],
        2,
        "toolreplay: scenarios/a.json: a scenario file ends in .yaml or .yml; name it so\n",
    ),
    Refused(
        "a conversation of nothing",
        ["scenarios/a.yaml", "--conversation", "1"],
        2,
        "toolreplay: --conversation chooses from a recording; name one with --from\n",
    ),
    Refused(
        "no such conversation",
        ["scenarios/a.yaml", *GIVEN, "--conversation", "3"],
        3,
        "old/weather.json: holds no conversation 3 to draft a scenario from; it has: 1 (messages, 2 turns)\n",
    ),
    Refused(
        "no such recording",
        ["scenarios/a.yaml", "--from", "old/gone.json"],
        3,
        "old/gone.json:1: cannot be read: No such file or directory\n",
    ),
    Refused(
        "the cassette of another file",
        ["scenarios/there.yml", *GIVEN],
        2,
        "toolreplay: scenarios/there.yml:3: its cassette 'there.yaml' is that of 'there.yaml' too; "
        "rename one of the files\n",
    ),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_nothing_is_written_that_cannot_be(case: Refused, here: Place, toolreplay: Command) -> None:
    _given(here, *loop())
    here.write("scenarios/there.yaml", "version: 1\nname: there\nmodel: m\nconversation: [{user: hello}]\n")
    here.write("cassettes/kept.yaml", "kept\n")
    before = _files(here)
    done = toolreplay("new", *case.words)
    assert (done.code, done.out, done.err) == (case.code, "", case.err)
    assert _files(here) == before
    assert (here.root / "cassettes/kept.yaml").read_text() == "kept\n"


def test_force_replaces_both_files(here: Place, toolreplay: Command) -> None:
    given = _given(here, *loop())
    here.write("scenarios/weather.yaml", "old\n")
    here.write("cassettes/weather.yaml", "old\n")
    assert toolreplay("new", "scenarios/weather.yaml", "--from", given, "--force").code == 0
    assert toolreplay("run").code == 0


def test_a_recording_that_holds_a_secret_is_refused(here: Place, toolreplay: Command) -> None:
    key = "sk-ant-" + "api03-abcdefgh12345678"
    done = toolreplay("new", "scenarios/weather.yaml", "--from", _given(here, *loop(system=f"The key is {key}.")))
    assert (done.code, done.out) == (3, "")
    where = here.root / "cassettes" / "weather.yaml"
    assert done.err.startswith(f"{where}: interaction 0, request body system holds an Anthropic API key; ")
    assert key not in done.err
    assert _files(here) == []


def test_what_the_project_calls_a_secret_is_refused(here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", "[tool.toolreplay]\nsecrets = ['member [0-9]+']\n")
    done = toolreplay("new", "scenarios/weather.yaml", "--from", _given(here, *loop(system="For member 4711.")))
    assert (done.code, done.out, _files(here)) == (3, "", [])
    assert "request body system holds what matches 'member [0-9]+'; " in done.err


@pytest.mark.parametrize("blocked", ["scenarios/notdir", "cassettes"])
@pytest.mark.parametrize("there", [False, True], ids=["anew", "with --force"])
def test_neither_file_is_written_if_one_cannot_be(blocked: str, there: bool, here: Place, toolreplay: Command) -> None:
    given = _given(here, *loop())
    scenario = "scenarios/notdir/a.yaml" if blocked.endswith("notdir") else "scenarios/a.yaml"
    other = "cassettes/notdir/a.yaml" if blocked.endswith("notdir") else scenario
    here.write(blocked, "a file")
    if there:
        here.write(other, "old\n")
    done = toolreplay("new", scenario, "--from", given, "--force")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.endswith("; nothing was written\n")
    assert _files(here) == ([other] if there else [])
    assert not there or (here.root / other).read_text() == "old\n"


def test_a_recording_that_lies_where_the_cassette_belongs(here: Place, toolreplay: Command) -> None:
    path = _given(here, *loop(), path="cassettes/weather.yaml")
    before = (here.root / path).read_text()
    done = toolreplay("new", "scenarios/weather.yaml", "--from", path)
    assert (done.code, done.lines[1]) == (0, "cassettes/weather.yaml: is its cassette as it is")
    assert (here.root / path).read_text() == before
    assert toolreplay("run").code == 0


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["asked", "forced"])
def test_a_recording_that_holds_more_is_not_cut_down(force: list[str], here: Place, toolreplay: Command) -> None:
    stray = exchange(body(user("Hello.")), reply(assistant({"type": "text", "text": "Hello."}), 9))
    path = _given(here, *loop(), stray, path="cassettes/weather.yaml")
    before = (here.root / path).read_text()
    done = toolreplay("new", "scenarios/weather.yaml", "--from", path, *force)
    what = "is the recording itself, and holds more than the scenario plays"
    fix = "name another scenario, or move the recording"
    assert (done.code, done.err) == (2, f"toolreplay: cassettes/weather.yaml: {what}; {fix}\n")
    assert ((here.root / path).read_text(), _files(here)) == (before, [path])


def test_the_cassette_of_an_earlier_scenario_is_taken_over_when_forced(here: Place, toolreplay: Command) -> None:
    toolreplay("new", "scenarios/weather.yaml", "--from", _given(here, *loop()))
    path = "cassettes/weather.yaml"
    file = here.root / path
    file.write_text(file.read_text().replace("prompts: ", "prompts: 0"))
    (here.root / "scenarios/weather.yaml").unlink()
    refused = toolreplay("new", "scenarios/weather.yaml", "--from", path)
    what = "is the cassette of another scenario, or of an earlier state of this one"
    fix = "name another scenario, or replace the file with --force"
    assert (refused.code, refused.err) == (2, f"toolreplay: {path}: {what}; {fix}\n")
    assert toolreplay("new", "scenarios/weather.yaml", "--from", path, "--force").code == 0
    assert toolreplay("run").code == 0


def test_a_scenario_is_not_written_over_its_recording(here: Place, toolreplay: Command) -> None:
    path = _given(here, *loop(), path="scenarios/weather.yaml")
    before = (here.root / path).read_text()
    done = toolreplay("new", path, "--from", path, "--force")
    told = f"toolreplay: {path}: is the recording itself; name another file for the scenario\n"
    assert (done.code, done.err, (here.root / path).read_text()) == (2, told, before)


def test_a_cassette_of_ours_can_be_drafted_from(here: Place, toolreplay: Command) -> None:
    scenario = here.scenario(weather(), path="scenarios/first.yaml")
    assert here.record(scenario, ScriptedModel(asks("Oslo", "Atlantis"), says("Rain."))).requests == 2
    done = toolreplay("new", "scenarios/second.yaml", "--from", "cassettes/first.yaml")
    assert (done.code, names(here.root / "cassettes")) == (0, ["first.yaml", "second.yaml"])
    head = yaml.safe_load((here.root / "cassettes/second.yaml").read_text())["toolreplay"]
    assert (head["recorded_from"], head["loop"]) == (
        "simulator, copied from cassettes/first.yaml",
        "toolreplay.loop:run",
    )
    drafted: Any = yaml.safe_load((here.root / "scenarios/second.yaml").read_text())
    assert drafted["tools"][0]["stub"] == [
        {"when": {"city": "Oslo"}, "return": {"temp_c": 4, "sky": "rain"}},
        {"when": {"city": "Atlantis"}, "error": "no city of that name"},
    ]
    assert toolreplay("run").code == 0


def test_names_come_from_files(here: Place, toolreplay: Command, tmp_path: Path) -> None:
    given = _given(here, *loop())
    for file, name in (("no.yaml", "no"), ("[a]::b.yaml", "a b"), ("12.5.yaml", "12 5"), ("___.yaml", "scenario")):
        assert toolreplay("new", f"scenarios/{file}", "--from", given).code == 0
        assert yaml.safe_load((tmp_path / "scenarios" / file).read_text())["name"] == name
    assert json.loads((here.root / given).read_text())
    assert toolreplay("run").code == 0


def test_a_scenario_and_its_cassette_are_two_files(here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", "[tool.toolreplay]\ncassettes = 'scenarios'\n")
    given = _given(here, *loop())
    for force in ([], ["--force"]):
        done = toolreplay("new", "scenarios/a.yaml", "--from", given, *force)
        what = "would be the scenario and its cassette; set cassettes in pyproject.toml to a folder of its own"
        assert (done.code, done.out, done.err) == (2, "", f"toolreplay: scenarios/a.yaml: {what}\n")
    assert _files(here) == []


def test_another_scenario_is_not_replaced_by_a_cassette(here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", "[tool.toolreplay]\ncassettes = 'scenarios/below'\n")
    here.scenario(weather(script=[says()]), path="scenarios/below/a.yaml")
    before = (here.root / "scenarios/below/a.yaml").read_text()
    given = _given(here, *loop())
    done = toolreplay("new", "scenarios/a.yaml", "--from", given, "--force")
    what = "is a scenario; set cassettes in pyproject.toml to a folder of its own"
    assert (done.code, done.err) == (2, f"toolreplay: scenarios/below/a.yaml: {what}\n")
    assert ((here.root / "scenarios/below/a.yaml").read_text(), len(_files(here))) == (before, 1)


def test_a_path_with_dots_leads_to_the_same_files(here: Place, toolreplay: Command) -> None:
    given = _given(here, *loop())
    (here.root / "scenarios").mkdir()
    done = toolreplay("new", "scenarios/../scenarios/a.yaml", "--from", given)
    assert (done.code, _files(here)) == (0, ["cassettes/a.yaml", "scenarios/a.yaml"])
    assert [line.partition(":")[0] for line in done.lines] == ["scenarios/a.yaml", "cassettes/a.yaml"]
    here.write("inner/pyproject.toml", "[tool.toolreplay]\n")
    inner = here.root / "inner"
    assert as_process(inner, "new", "../b.yaml", "--from", f"../{given}").code == 0
    at = f"inner/cassettes/{here.root.resolve().as_posix().lstrip('/')}/b.yaml"
    assert _files(here) == ["b.yaml", "cassettes/a.yaml", at, "scenarios/a.yaml"]
    assert as_process(inner, "run", "../b.yaml").code == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["{long}.yaml"], 3, "{long}.yaml: cannot be written: File name too long; nothing was written"),
        (
            ["{loop}.yaml"],
            2,
            "toolreplay: {loop}.yaml: is there already; name another file, or replace it with --force",
        ),
        (["{loop}.yaml", "--force"], 3, "{loop}.yaml: cannot be written: Too many levels of symbolic links; {none}"),
        (["{loop}/a.yaml"], 3, "{loop}/a.yaml: cannot be written: Too many levels of symbolic links; {none}"),
        (["a.yaml", "--from", "{long}"], 3, "{long}:1: cannot be read: File name too long"),
        (["a.yaml", "--from", "{loop}"], 3, "{loop}:1: cannot be read: Too many levels of symbolic links"),
    ],
    ids=["long", "loop", "forced", "below", "from long", "from loop"],
)
def test_paths_that_can_be_no_file(words: list[str], code: int, told: str, here: Place, toolreplay: Command) -> None:
    for name in ("loop", "loop.yaml"):
        (here.root / name).symlink_to(here.root / name)
    names_of = {"long": "n" * 300, "loop": "loop", "none": "nothing was written"}
    done = toolreplay("new", *(word.format(**names_of) for word in words))
    assert (done.code, done.out, done.err) == (code, "", told.format(**names_of) + "\n")


def test_a_cassette_that_can_be_no_file(here: Place, toolreplay: Command) -> None:
    given = _given(here, *loop())
    (here.root / "cassettes").symlink_to(here.root / "cassettes")
    done = toolreplay("new", "scenarios/a.yaml", "--from", given)
    told = "cassettes/a.yaml: cannot be written: Too many levels of symbolic links; nothing was written\n"
    assert (done.code, done.out, done.err, _files(here)) == (3, "", told, [])
