from __future__ import annotations

import pytest

from tests.cli.command import Command
from tests.projects import Place
from tests.transcript.build import Json, exchange, loop, recording


def write(here: Place, name: str, exchanges: list[Json]) -> None:
    (here.root / name).write_bytes(recording(*exchanges))


def test_two_recordings_that_are_equal(toolreplay: Command, here: Place) -> None:
    write(here, "a.json", loop())
    write(here, "b.json", loop(ids=("x", "y")))
    done = toolreplay("diff", "a.json", "b.json")
    assert (done.code, done.lines) == (
        0,
        ["2 calls with another id (t1 is x); ids are no difference", "2 of 2 turns equal"],
    )


def test_two_recordings_that_differ(toolreplay: Command, here: Place) -> None:
    write(here, "a.json", loop())
    write(here, "b.json", loop(found="19"))
    done = toolreplay("diff", "a.json", "b.json")
    told = ["turn 2, result of get_weather for Oslo", "  - 18", "  + 19", "1 of 2 turns equal"]
    assert (done.code, done.lines, done.err) == (1, told, "")


@pytest.mark.parametrize(
    ("second", "code", "err"),
    [
        ("gone.json", 2, "toolreplay: gone.json: no such file\n"),
        ("empty.json", 3, "empty.json: holds no request to the model; name a recording that does\n"),
    ],
)
def test_what_cannot_be_compared_is_told(toolreplay: Command, here: Place, second: str, code: int, err: str) -> None:
    write(here, "a.json", loop())
    write(here, "empty.json", [exchange({}, "", url="https://example.com")])
    done = toolreplay("diff", "a.json", second)
    assert (done.code, done.out, done.err) == (code, "", err)


def test_one_file_is_a_usage_error(toolreplay: Command, here: Place) -> None:
    assert toolreplay("diff", "a.json").code == 2
