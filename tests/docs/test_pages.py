"""Every block of every page is as the page says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.projects import ScriptedModel, asks, says
from toolreplay.serve.http import serving

from .blocks import blocks
from .player import PAGES, ROOT, Player


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with serving(ScriptedModel(asks("Oslo", "Atlantis"), says("4 degrees and rain in Oslo."))) as url:
        yield url


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_true(page: Path, model: str, tmp_path: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    Player(tmp_path, model).play(name, blocks(page.read_text(encoding="utf-8")))
