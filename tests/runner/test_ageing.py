"""Recordings that are too old, and models whose days are numbered."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from tests.projects import Place, ScriptedModel, asks, outline, place, says, weather
from toolreplay.cassette.exchange import Cassette
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.report.run_json import runs_json
from toolreplay.report.run_text import details
from toolreplay.runner.clients import end_of_life
from toolreplay.runner.run import Outcome
from toolreplay.scenario.model import Scenario

REPLIES: Final = (asks("Oslo"), says("Rain."))


def _recorded(here: Place, recorded_at: str) -> Scenario:
    scenario = here.scenario(weather())
    here.record(scenario, ScriptedModel(*REPLIES))
    cassette = read_cassette(here.cassette(scenario))
    assert cassette.provenance is not None
    aged = dataclasses.replace(cassette.provenance, recorded_at=recorded_at)
    write_cassette(here.cassette(scenario), Cassette(cassette.exchanges, aged))
    return scenario


def _ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Case:
    id: str
    recorded_at: str
    max_age: str = "max_age = 30\n"
    stale: str = ""


CASES: Final = (
    Case("young", _ago(days=29)),
    Case("not a day too old", _ago(days=30, hours=23)),
    Case("too old", _ago(days=31, hours=1), stale="was recorded 31 days ago, and max_age is 30"),
    Case("without a zone", _ago(days=40)[:19], stale="was recorded 40 days ago, and max_age is 30"),
    Case("of another zone", f"{_ago(days=40)[:19]}+02:00", stale="was recorded 40 days ago, and max_age is 30"),
    Case("old, and no limit", _ago(days=4000), max_age=""),
    Case("of the future", _ago(days=-3)),
    Case("of no day that can be read", "last summer"),
    Case("of no day", ""),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_recording_grows_old(case: Case, tmp_path: Path) -> None:
    here = place(tmp_path, case.max_age)
    run = here.play(_recorded(here, case.recorded_at))
    if not case.stale:
        assert (outline(run), run.outcome) == ([], Outcome.PASS)
        return
    (failure,) = run.failures
    assert (run.outcome, failure.where, failure.message, failure.fix) == (
        Outcome.STALE,
        "scenarios/weather.yaml:1",
        f"cassettes/weather.yaml {case.stale}",
        "record again: toolreplay record scenarios/weather.yaml",
    )


def test_what_changed_is_told_before_the_age(tmp_path: Path) -> None:
    here = place(tmp_path, "max_age = 1\n")
    _recorded(here, _ago(days=9))
    run = here.play(here.scenario(weather(system="New.")))
    assert outline(run) == [("STALE", "system changed since cassettes/weather.yaml was recorded")]


def _deprecated() -> tuple[str, str]:
    """A model that the installed SDK calls deprecated, and its last day."""
    module: Any = importlib.import_module("anthropic.resources.messages.messages")
    name = next(name for name in module.DEPRECATED_MODELS if name[-8:].isdigit())
    return name, module.DEPRECATED_MODELS[name]


@pytest.mark.parametrize(
    "form", ["{}", "anthropic.{}-v1:0", "us.anthropic.{}-v2:0", "global.anthropic.{}-v1", "vertex"]
)
def test_the_sdks_table_knows_a_model_by_all_its_names(form: str) -> None:
    name, end = _deprecated()
    spelled = f"{name[:-9]}@{name[-8:]}" if form == "vertex" else form.format(name)
    assert end_of_life(spelled) == end


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "", "anthropic.", "amazon.nova-pro-v1:0"])
def test_other_models_have_no_end(model: str) -> None:
    assert end_of_life(model) is None


def test_without_the_sdk_loaded_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    name, _ = _deprecated()
    monkeypatch.delitem(sys.modules, "anthropic.resources.messages.messages")
    assert end_of_life(name) is None


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
def test_a_run_notes_a_model_that_ends_and_passes(tmp_path: Path) -> None:
    name, end = _deprecated()
    here, model = place(tmp_path), ScriptedModel(*copy.deepcopy(REPLIES))
    scenario = here.scenario(weather(model=name))
    note = f"scenarios/weather.yaml:3: model {name} is deprecated and ends on {end}; name another"
    for run in (here.record(scenario, model), here.play(scenario)):
        assert (outline(run), run.outcome, run.notes) == ([], Outcome.PASS, (note,))
        assert details(run) == [f"note: {note}"]
    scenarios = json.loads(json.dumps(runs_json([run])))["scenarios"]
    assert [one["notes"] for one in scenarios] == [[note]]


def test_a_run_with_a_model_of_today_has_no_notes(tmp_path: Path) -> None:
    here = place(tmp_path)
    run = here.play(here.scenario(weather(script=list(REPLIES))))
    assert (run.notes, details(run)) == ((), [])
