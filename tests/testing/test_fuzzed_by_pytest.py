"""Fuzzed tests of a project of its own, run by its own pytest: what Hypothesis offers there works as it always does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

PROFILES: Final = """
from hypothesis import settings
settings.register_profile("own", max_examples=10, database=None, print_blob=True)
settings.register_profile("few", max_examples=4, database=None)
settings.load_profile("own")
"""
AGENT: Final = """
import json
from pathlib import Path
from toolreplay.loop import run

def note(case, name):
    with Path(f"{name}.jsonl").open("a") as file:
        file.write(json.dumps(case.document) + "\\n")

def bad(client, model, messages, tools):
    client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)
    raise ValueError("no")
"""
TESTS: Final = """
from hypothesis import HealthCheck, reproduce_failure, seed, settings
import toolreplay
from agent import bad, note, run
from toolreplay.strategies import fuzzed, play

"""


class Folder:
    """A project whose tests are run by a pytest in a process of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write("pyproject.toml", "[tool.toolreplay]")
        self.write("conftest.py", PROFILES)
        self.write("agent.py", AGENT)

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.path / name).write_text(text)

    def pytest(self, tests: str, *words: str) -> str:
        """Run tests; gives what pytest prints."""
        self.write("test_agent.py", TESTS + tests)
        command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "-p", "no:randomly"]
        unlike_ci = {name: value for name, value in os.environ.items() if name not in {"CI", "PYTEST_ADDOPTS"}}
        done = subprocess.run(
            [*command, *words], cwd=self.path, env=unlike_ci, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def noted(self, name: str) -> list[str]:
        """The cases that a test has noted since they were asked for last."""
        file = self.path / f"{name}.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


FAILS: Final = """
@fuzzed()
def test_bad(case):
    note(case, "bad")
    play(case, bad)
"""


def test_a_failure_is_reproduced_by_what_hypothesis_prints(folder: Folder) -> None:
    text = folder.pytest(FAILS)
    assert "FuzzFailure: error TR609 loop-crashed (outcome)" in text
    assert "1 failed" in text
    assert re.search(r'case=Case\([\sE]*user: "Please go on."', text)
    smallest = folder.noted("bad")[-1]
    (line,) = re.findall(r"@reproduce_failure\(.*\)", text)
    text = folder.pytest(f"\n{line}{FAILS}")
    assert "FuzzFailure: error TR609 loop-crashed (outcome)" in text
    assert folder.noted("bad") == [smallest]


SEEDED: Final = """
@seed(7)
@fuzzed()
def test_seeded(case):
    note(case, "seeded")

@fuzzed()
def test_plain(case):
    note(case, "plain")
"""


def test_seeds_make_a_test_repeatable(folder: Folder) -> None:
    drawn = []
    for number in (1, 1, 2):
        assert "2 passed" in folder.pytest(SEEDED, f"--hypothesis-seed={number}")
        drawn.append((folder.noted("seeded"), folder.noted("plain")))
    assert len(drawn[0][0]) == len(drawn[0][1]) == 10
    assert drawn[0] == drawn[1]
    assert drawn[2][0] == drawn[0][0]
    assert drawn[2][1] != drawn[0][1]


PROFILED: Final = """
@fuzzed()
def test_fuzzed(case):
    note(case, "fuzzed")

def test_fuzz():
    assert toolreplay.fuzz(run).examples == 4

@fuzzed()
def test_fixture(case, tmp_path):
    pass

@fuzzed(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fixture_that_is_meant(case, tmp_path):
    pass
"""


def test_a_profile_says_how_many_and_health_checks_of_the_user_are_told(folder: Folder) -> None:
    text = folder.pytest(PROFILED, "--hypothesis-profile=few")
    assert len(folder.noted("fuzzed")) == 4
    assert "1 failed, 3 passed" in text
    assert re.search(r"FailedHealthCheck: .*test_fixture.* uses a function-scoped fixture", text)
    assert "FAILED test_agent.py::test_fixture -" in text


SPREAD: Final = """
@fuzzed()
def test_good(case):
    play(case, run)
"""


def test_workers_of_xdist(folder: Folder) -> None:
    text = folder.pytest(FAILS + SPREAD, "-n", "2")
    assert "1 failed, 1 passed" in text
    assert "FuzzFailure: error TR609 loop-crashed (outcome)" in text
