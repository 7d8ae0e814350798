"""A scenario file as a collector, a scenario as a test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from ..errors import ScenarioError
from ..scenario.load import load_file
from .settings import settings

if TYPE_CHECKING:
    from ..runner.run import Run
    from ..scenario.model import Scenario


class ScenarioFailed(Exception):  # noqa: N818  (what happened, as pytest shows it)
    """A scenario that did not pass; its text is all that pytest prints."""


class ScenarioFile(pytest.File):
    """A YAML file of scenarios."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each scenario; a file that cannot be read is one failing test, not a collection error."""
        try:
            scenarios = load_file(self.path, settings(self.config).project.root)
        except ScenarioError as error:
            yield BrokenItem.from_parent(self, name="the file can be read", problem=str(error))
            return
        for scenario in scenarios:
            yield ScenarioItem.from_parent(self, name=scenario.name, scenario=scenario)


class _Item(pytest.Item):
    """What the items have in common: the marker, and failures without a traceback of ours."""

    def __init__(self, *, line: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._line = line
        self.add_marker("toolreplay")

    def reportinfo(self) -> tuple[Any, int, str]:
        return self.path, self._line - 1, self.nodeid

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ScenarioFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class BrokenItem(_Item):
    """A scenario file that cannot be read."""

    def __init__(self, *, problem: str, **arguments: Any) -> None:
        super().__init__(line=1, **arguments)
        self._problem = problem

    def runtest(self) -> None:
        raise ScenarioFailed(self._problem)


class ScenarioItem(_Item):
    """One scenario, played when the test runs."""

    def __init__(self, *, scenario: Scenario, **arguments: Any) -> None:
        super().__init__(line=scenario.line, **arguments)
        self._scenario = scenario

    def runtest(self) -> None:
        from ..report.run_text import details
        from ..runner.run import Outcome
        from .playing import play

        run = play(self._scenario, settings(self.config))
        self.user_properties.append(("toolreplay", _facts(run)))
        if run.outcome is Outcome.PASS:
            return
        text = "\n".join((f"{run.outcome} {run.id}", *details(run)))
        if run.outcome is Outcome.SKIP:
            pytest.skip(text.partition("\n")[2] or text)
        if run.outcome is Outcome.STALE and settings(self.config).stale == "warn":
            self.warn(pytest.PytestWarning(text))
            return
        raise ScenarioFailed(text)


def _facts(run: Run) -> dict[str, object]:
    """What the summary counts; plain data, since xdist sends it from process to process."""
    return {
        "outcome": str(run.outcome),
        "requests": run.requests,
        "tool_calls": len(run.calls),
        "findings": len(run.findings),
    }
