"""Scenarios as pytest items.

This module is imported by every pytest run in the environment, so it imports nothing but pytest: the SDK, vcrpy,
Hypothesis and pydantic come in when the first scenario is collected or played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECORD_MODES = ("none", "once", "new_episodes", "all", "rewrite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options; `--record-mode` follows in `pytest_load_initial_conftests`."""
    group = parser.getgroup("toolreplay", "tool-use scenarios (toolreplay)")
    group.addoption(
        "--toolreplay-stale",
        choices=("fail", "warn"),
        default=None,
        help="what a recording that its scenario has outgrown does to the run (default: fail)",
    )
    parser.addini("toolreplay_scenarios", "files and folders that hold toolreplay scenarios", type="paths")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> None:
    """Register `--record-mode` unless another plugin (pytest-recording) has done so."""
    group = parser.getgroup("toolreplay")
    try:
        group.addoption(
            "--record-mode", choices=RECORD_MODES, default=None, help="when to record cassettes (default: none)"
        )
    except ValueError:  # pytest's word for an option that exists
        return


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "toolreplay: a scenario played by toolreplay")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which scenarios belong to the project, and whether `testpaths` or the arguments hide them."""
    from .settings import settings

    found = settings(config)
    return found.header(config) if found.folders else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a YAML file that the configuration or its own first lines call a scenario."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    from .settings import settings

    if not settings(parent.config).is_scenario(file_path):
        return None
    from .items import ScenarioFile

    return ScenarioFile.from_parent(parent, path=file_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Keep vcrpy's patches in place from one scenario to the next, and away from every other test."""
    if item.get_closest_marker("toolreplay") is None:
        return (yield)
    from .patches import around

    with around(item, nextitem):
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what ran: scenarios, requests checked, tool calls, findings, stale recordings."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    played = [
        value
        for report in reports
        if getattr(report, "when", None) == "call"  # setup and teardown repeat the properties
        for name, value in report.user_properties
        if name == "toolreplay"
    ]
    if played:
        from .summary import summary

        terminalreporter.write_line(summary(played))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run whose scenarios were all skipped checked nothing and is not green."""
    if exitstatus == pytest.ExitCode.OK and _only_skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _only_skipped(config: pytest.Config) -> bool:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return False
    ran = [report for name in ("passed", "failed", "error") for report in reporter.stats.get(name, ()) if _scenario(report)]
    skipped = [report for report in reporter.stats.get("skipped", ()) if _scenario(report)]
    return bool(skipped) and not ran


def _scenario(report: object) -> bool:
    return any(name == "toolreplay" for name, _ in getattr(report, "user_properties", ()))
