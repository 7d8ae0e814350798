from __future__ import annotations

import re

import pytest

from tests.simulator import REPLIES, Simulator
from toolreplay.cassette.store import read_cassette
from toolreplay.files.project import find_project
from toolreplay.runner.replay import cassette_of

from .every import ROOT, SCENARIOS

TEACHES = re.compile(r"# Teaches: [^\n]{20,}[.]\n")
CASSETTES = {name: cassette_of(one, find_project(ROOT)) for name, one in SCENARIOS.items() if one.script is None}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_says_what_it_teaches(name: str) -> None:
    schema, teaches, *_ = (ROOT / SCENARIOS[name].path).read_text(encoding="utf-8").splitlines(keepends=True)
    assert schema == "# yaml-language-server: $schema=../../schema/scenario.json\n"
    assert TEACHES.fullmatch(teaches)


def test_names_are_unique() -> None:
    names = [scenario.name for scenario in SCENARIOS.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", CASSETTES)
def test_a_cassette_was_recorded_and_not_written(name: str) -> None:
    provenance = read_cassette(CASSETTES[name]).provenance
    assert provenance is not None
    assert (provenance.recorded_from, provenance.scenario) == ("simulator", SCENARIOS[name].id)


def test_no_cassette_and_no_script_of_the_simulator_is_left_behind() -> None:
    assert set((ROOT / "cassettes").rglob("*.yaml")) == set(CASSETTES.values())
    assert {path.relative_to(REPLIES).with_suffix("").as_posix() for path in REPLIES.rglob("*.yaml")} == set(CASSETTES)


def test_the_simulator_knows_every_conversation_by_its_first_prompt() -> None:
    Simulator()  # it refuses two that start alike
