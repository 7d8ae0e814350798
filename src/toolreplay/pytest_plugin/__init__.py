"""Scenarios as pytest items.

Every pytest run in the environment imports this module, so it and what it imports at the top know pytest and
nothing else: pydantic comes in when a scenario file is collected, the SDK and vcrpy when one is played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .configured import is_configured
from .tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolreplay.testing.fixture import Toolreplay

RECORD_MODES = ("none", "once", "new_episodes", "all", "rewrite")
_ABSENT = object()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options; `--record-mode` follows in `pytest_load_initial_conftests`."""
    group = parser.getgroup("toolreplay", "tool-use scenarios (toolreplay)")
    group.addoption(
        "--toolreplay-stale",
        choices=("fail", "warn"),
        default=None,
        help="what a recording that its scenario has outgrown does to the run (default: fail)",
    )
    group.addoption(
        "--toolreplay-fuzz",
        action="store_true",
        default=False,
        help="fuzz the loop of each scenario with failing tools and a failing API, as a test of its own",
    )
    group.addoption(
        "--toolreplay-max-examples",
        type=int,
        default=None,
        metavar="N",
        help="conversations for each fuzzed scenario (default: 200)",
    )
    parser.addini("toolreplay_scenarios", "files and folders that hold toolreplay scenarios", type="paths")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> Iterator[None]:
    """Register `--record-mode`, unless a plugin (pytest-recording) or a conftest has brought its own."""
    yield  # to the loading of conftests, the last that can bring one
    if early_config.getoption("--record-mode", _ABSENT) is not _ABSENT:
        return
    parser.getgroup("toolreplay").addoption(
        "--record-mode",
        choices=RECORD_MODES,
        default=None,
        help="when to record cassettes (default: none)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and start counting."""
    config.addinivalue_line("markers", "toolreplay: a scenario played by toolreplay")
    config.pluginmanager.register(Tally(config), "toolreplay-tally")


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_recording_configure(vcr: object) -> None:
    """Make `vcr_config = {"serializer": "toolreplay"}` known to pytest-recording; a conftest may change it after us."""
    from toolreplay.vcr_serializer import register

    register(vcr)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Read the settings, so that a mistake in them ends the run before it begins."""
    if session.config.getoption("--toolreplay-max-examples") is not None:
        from .fuzz_item import refuse_nothing

        refuse_nothing(session.config)
    if is_configured(session.config):
        from .settings import settings

        settings(session.config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which scenarios belong to the project, and whether `testpaths` hides them."""
    if not is_configured(config):
        return []
    from .header import header

    return header(config)


@pytest.fixture
def toolreplay(request: pytest.FixtureRequest) -> Toolreplay:
    """`toolreplay.session("weather/parallel")`, `toolreplay.play(...)`, `toolreplay.check(messages)`."""
    from toolreplay.testing.fixture import Toolreplay

    from .items import warn_stale
    from .settings import settings
    from .verdict import note

    found = settings(request.config)
    return Toolreplay(
        request.config.rootpath,
        lambda run, recorded: note(request.node, run, recorded),
        record_mode=found.record_mode,
        stale=(lambda why: warn_stale(request.node, f"STALE {why}")) if found.stale == "warn" else None,
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a YAML file that the configuration or its own first lines call a scenario."""
    if file_path.suffix not in {".yaml", ".yml"} or not _is_scenario(file_path, parent.config):
        return None
    from .files import ScenarioFile

    return ScenarioFile.from_parent(parent, path=file_path)


def _is_scenario(path: Path, config: pytest.Config) -> bool:
    if is_configured(config):
        from .settings import settings

        return settings(config).is_scenario(path)
    from toolreplay.scenario.head import looks_like_scenario

    return looks_like_scenario(path)
