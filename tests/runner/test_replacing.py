"""What lies where a cassette belongs, and whether it is replaced."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.projects import ScriptedModel, asks, names, place, says, weather
from toolreplay.errors import CassetteError, UsageError
from toolreplay.runner.cast import Cast
from toolreplay.runner.modes import session_side
from toolreplay.runner.replacing import refuse_replacing
from toolreplay.runner.run import Outcome
from toolreplay.scenario.paths import slug
from toolreplay.wire.http import HttpRequest, HttpResponse

REPLIES: Final = (asks("Oslo"), says("Rain."))
SET: Final = "set cassettes in pyproject.toml to a folder of its own"
MOVE: Final = "move it away, a cassette is to be written there"
NONE: Final = f"c.yaml: is no recording, and a cassette would replace it; move it, or {SET}"


@dataclass(frozen=True)
class Case:
    id: str
    data: bytes
    refused: str | None = None


CASES: Final = (
    Case("ours", b"version: 1\ntoolreplay: {format: 1}\ninteractions: []\n"),
    Case("vcrpy's", b"interactions:\n- request: {}\nversion: 1\n"),
    Case("another format's", b'{"log": {"entries": []}}'),
    Case("empty", b""),
    Case("half a merge", b"version: 1\n<<<<<<< ours\ninteractions:\n- a\n=======\n"),
    Case("cut off", b"version: 1\ninteractions:\n- request: {body: '"),
    Case(
        "a scenario",
        b"version: 1\nname: x\nmodel: m\nconversation: [{user: Hi}]\n",
        f"c.yaml: is a scenario, and a cassette would replace it; {SET}",
    ),
    Case("a configuration", b"services: {}\n", NONE),
    Case("a text", b"remember the milk", NONE),
    Case("bytes", b"\x00\x01\xff", NONE),
    Case("a word in a text", b"text: |\n  interactions:\n", NONE),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_may_be_replaced(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes(case.data)
    told = None
    try:
        refuse_replacing(path, "c.yaml")
    except UsageError as error:
        told = str(error)
    assert told == case.refused


def test_nothing_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "leads nowhere").symlink_to(tmp_path / "gone")
    for name in ("gone", "gone/c.yaml", "file/c.yaml", "leads nowhere"):
        refuse_replacing(tmp_path / name, name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX's")
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("folder", f"cannot be read: Is a directory; {MOVE}"),
        ("pipe", f"cannot be read: it is a socket, pipe or device, not a file; {MOVE}"),
        ("links", "cannot be read: Too many levels of symbolic links; mend the path or its permissions"),
    ],
)
def test_what_is_no_file_is_left_alone_and_no_model_is_asked(kind: str, reason: str, tmp_path: Path) -> None:
    here, model = place(tmp_path), ScriptedModel(*REPLIES)
    scenario = here.scenario(weather())
    path = here.cassette(scenario)
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    run = here.record(scenario, model)
    what = f"cassettes/weather.yaml: {reason}"
    assert [(one.outcome, one.message) for one in run.failures] == [(Outcome.ERROR, what)]
    assert (model.asked, names(path.parent)) == ([], ["weather.yaml"])


@pytest.mark.parametrize("first", ["the loop's", "the other's"])
def test_the_cassette_of_another_scenario_is_not_replaced(first: str, tmp_path: Path) -> None:
    here, loop = place(tmp_path), "tests.loops.good:reverses_results"
    one = here.scenario(weather())
    other = here.scenario(weather(name="other"), path=f"scenarios/weather.{slug(loop)}.yaml")
    order = [(one, loop), (other, None)]
    (good, with_loop), (late, late_loop) = order if first == "the loop's" else reversed(order)
    assert here.record(good, ScriptedModel(*REPLIES), with_loop).outcome is Outcome.PASS
    before = here.cassette(other).read_bytes()
    model = ScriptedModel(*REPLIES)
    run = here.record(late, model, late_loop)
    what = f"cassettes/{here.cassette(other).name}: is the cassette of {good.id} too; rename one of the scenario files"
    assert [(failure.outcome, failure.message) for failure in run.failures] == [(Outcome.ERROR, what)]
    assert (model.asked, here.cassette(other).read_bytes()) == ([], before)


def test_a_copy_of_a_scenario_and_its_cassette_is_its_own(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather())
    here.record(scenario, ScriptedModel(*REPLIES))
    copy = here.scenario(weather(), path="scenarios/copy.yaml")
    here.write("cassettes/copy.yaml", here.cassette(scenario).read_text())
    assert here.record(copy, ScriptedModel(*REPLIES)).outcome is Outcome.PASS
    renamed = here.scenario(weather(name="renamed"))
    assert here.record(renamed, ScriptedModel(*REPLIES)).outcome is Outcome.PASS


def test_a_session_that_may_record_looks_first(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather())
    here.write("cassettes/weather.yaml", "services: {}\n")
    for mode in ("once", "new_episodes", "all", "rewrite"):
        with pytest.raises(UsageError, match="^cassettes/weather.yaml: is no recording, "):
            session_side(scenario, here.project, Cast(scenario), mode)
    with pytest.raises(CassetteError, match="holds no recorded exchanges"):
        session_side(scenario, here.project, Cast(scenario), "none")


def test_a_file_that_came_while_the_model_was_asked_is_not_replaced(tmp_path: Path) -> None:
    here, model = place(tmp_path), ScriptedModel(*REPLIES)
    scenario = here.scenario(weather())

    def answer(request: HttpRequest) -> HttpResponse:
        here.write("cassettes/weather.yaml", "services: {}\n")
        return model(request)

    run = here.record(scenario, answer)
    assert (run.outcome, here.cassette(scenario).read_text()) == (Outcome.ERROR, "services: {}\n")
