"""A scenario as a test."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from ..report.printable import printable
from ..report.run_text import MOST_LINES
from .patches import IS_SCENARIO, hold
from .settings import project_of, settings
from .tally import PREFIX
from .trouble import unexpected

if TYPE_CHECKING:
    from ..scenario.model import Scenario
    from .playing import Played


class ScenarioFailed(Exception):  # noqa: N818  (what happened, as pytest shows it)
    """A scenario that did not pass; its text is all that pytest prints.

    Attributes:
        line: where in the scenario file it went wrong, from 1.
    """

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


class StaleWarning(pytest.PytestWarning):
    """A recording that its scenario has outgrown, under `--toolreplay-stale=warn`."""


class _Item(pytest.Item):
    """What the items have in common: marker, place, properties, and failures without a traceback of ours."""

    def __init__(self, *, line: int, outcome: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._line = line
        self.stash[IS_SCENARIO] = True
        self.add_marker("toolreplay")
        self._tell(outcome=outcome)

    def reportinfo(self) -> tuple[Any, int, str]:
        # The last is the headline of a failure. pytest takes an ending of the node id for a dotted name of Python
        # and prints `v1.2` as `v1::2`, so it must not be one.
        place = f"{self.nodeid.partition('::')[0]}:{self._line}"
        return self.path, self._line - 1, f"{place}: {_shortened(self.name)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The lines of the failure under every `--tb`; `--full-trace` shows where they were raised too."""
        if self.config.getoption("fulltrace"):
            return super().repr_failure(excinfo, style)
        error, line = excinfo.value, self._line
        if isinstance(error, ScenarioFailed):
            text, line = str(error), error.line
        else:
            text = "\n".join((f"ERROR {self._place(line)}", *unexpected(error)))
        lines = bounded(text)
        # `value` is pytest's style for a text alone; a copy of the exception carries the bounded one.
        shown = pytest.ExceptionInfo.from_exception(_raised(ScenarioFailed("\n".join(lines), line)))
        found = shown.getrepr(style="value", chain=False)
        if found.reprcrash is not None:  # what `-rf`, `--tb=line` and JUnit's message show
            found.reprcrash.path = self.nodeid.partition("::")[0]
            found.reprcrash.lineno = line
            found.reprcrash.message = _headline(lines)
        return found

    def _place(self, line: int) -> str:
        return f"{self.nodeid.partition('::')[0]}:{line}: {self.name}"

    def _tell(self, **facts: object) -> None:
        """Put facts in the report, for the summary and JUnit; a test that is run again tells them anew."""
        kept = [(name, value) for name, value in self.user_properties if not name.startswith(PREFIX)]
        self.user_properties[:] = [*kept, *((f"{PREFIX}{name}", value) for name, value in facts.items())]


class BrokenItem(_Item):
    """A scenario file that cannot be read."""

    def __init__(self, *, problem: str, **arguments: Any) -> None:
        super().__init__(line=1, outcome="ERROR", **arguments)
        self._problem = problem

    def runtest(self) -> None:
        """Fail."""
        raise ScenarioFailed(self._problem, self._line)


class ScenarioItem(_Item):
    """One scenario, played when the test runs."""

    def __init__(self, *, scenario: Scenario, **arguments: Any) -> None:
        # Told until it is played: what is not, because a conftest marks it so, is skipped.
        super().__init__(line=scenario.line, outcome="SKIP", **arguments)
        self._scenario = scenario

    def runtest(self) -> None:
        """Play it, or record it."""
        self._tell(outcome="ERROR")
        hold(self.config)
        from .playing import play

        played = play(self._scenario, project_of(self.config), settings(self.config).record_mode)
        self._judge(played)

    def _judge(self, played: Played) -> None:
        from .verdict import verdict

        found = verdict(played, self._scenario)
        self._tell(**found.facts)
        if found.outcome == "PASS":
            return
        if found.outcome == "SKIP":
            pytest.skip(found.reason)
        if found.outcome == "STALE" and settings(self.config).stale == "warn":
            with warnings.catch_warnings():
                # Asked for as a warning, it stays one where filters make errors of warnings.
                warnings.simplefilter("always", StaleWarning)
                self.warn(StaleWarning(found.text))
            return
        raise ScenarioFailed(found.text, found.line)


def bounded(text: str) -> list[str]:
    """A text as at most 25 lines that no terminal acts upon."""
    lines = [printable(line) for line in text.splitlines()]
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], f"... {len(lines) - MOST_LINES + 1} more lines"]
