"""The limits of the child process."""

from __future__ import annotations

import sys

import pytest

from toolreplay.fuzzer.worker import peak_memory

resource = pytest.importorskip("resource")


@pytest.mark.parametrize(("platform", "unit"), [("linux", 1024), ("freebsd14", 1024), ("darwin", 1)])
def test_the_unit_of_the_system(platform: str, unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    told = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert told * unit <= peak_memory() < 2 * told * unit
