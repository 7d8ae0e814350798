from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Command, in_process
from tests.projects import Place, place
from toolreplay.runner.clients import DUMMIES


@pytest.fixture
def here(tmp_path: Path) -> Place:
    return place(tmp_path)


@pytest.fixture
def toolreplay(here: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    for name in (*DUMMIES, "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return in_process(here.root, monkeypatch, capsys)
