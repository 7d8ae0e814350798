"""Counting what the scenarios of a run came to, and refusing to call a run green that checked nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from .configured import is_configured

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX: Final = "toolreplay_"
_FAILS: Final = ", so nothing was checked: the run fails"
_VERY_QUIET: Final = -1


class Tally:
    """Hears every report. With xdist the controller hears those of all workers, so it counts them all."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        # By node id: a test that is run again (pytest-rerunfailures, `--dist each`) counts once, as it ended.
        self._played: dict[str, Mapping[str, object]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the facts that a scenario's report carries as properties."""
        if report.when == "call" or report.skipped:
            told = getattr(report, "user_properties", ())  # plugins send reports of their own making
            facts = {name: value for name, value in told if str(name).startswith(PREFIX)}
            if facts:
                self._played[report.nodeid] = facts

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a run that is green and checked nothing."""
        if exitstatus == pytest.ExitCode.OK and self._vacuous():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what ran, and what should have run and did not."""
        if self._config.getoption("verbose") < _VERY_QUIET or self._config.getoption("collectonly"):
            return
        if self._played:
            from .summary import summary

            terminalreporter.write_line(summary(list(self._played.values())))
        for line in self._vacuous() or self._vacant():
            terminalreporter.write_line(line, red=line.endswith(_FAILS), yellow=not line.endswith(_FAILS))

    def _vacuous(self) -> list[str]:
        """Why the run checked nothing where it should have, a line for each reason."""
        if self._config.getoption("collectonly"):
            return []
        lines = []
        if self._played and all(facts[f"{PREFIX}outcome"] == "SKIP" for facts in self._played.values()):
            lines.append(f"toolreplay: every scenario was skipped{_FAILS}")
        if self._has_folders():
            from .header import vacant_arguments

            named = vacant_arguments(self._config)
            lines += [f"toolreplay: {argument} holds no scenario file{_FAILS}" for argument in named]
        return lines

    def _vacant(self) -> list[str]:
        if not self._has_folders():
            return []
        from .header import vacant_lines

        return vacant_lines(self._config)

    def _has_folders(self) -> bool:
        if not is_configured(self._config):
            return False
        from .settings import settings

        return bool(settings(self._config).named)
