"""A scenario as a test."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, Final

import pytest

from .failure import ScenarioFailed, unexpected
from .patches import IS_SCENARIO, Patches
from .settings import project_of, settings
from .tally import PREFIX

if TYPE_CHECKING:
    from toolreplay.scenario.model import Scenario

_TITLE: Final = 100
# What pytest itself acts upon: an interrupt, pytest.exit, and a skip or xfail from the code under test.
_PYTESTS: Final = (KeyboardInterrupt, pytest.exit.Exception, pytest.skip.Exception, pytest.xfail.Exception)


class StaleWarning(pytest.PytestWarning):
    """A recording that its scenario has outgrown, under `--toolreplay-stale=warn`."""


class Item(pytest.Item):
    """What the items have in common: marker, place, properties, and failures without a traceback of ours."""

    def __init__(self, *, line: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._line = line
        self.stash[IS_SCENARIO] = True
        self.add_marker("toolreplay")
        # Until it runs: what a conftest marks as skipped never does.
        self._tell(outcome="SKIP")

    @property
    def _file(self) -> str:
        return self.nodeid.partition("::")[0]

    def reportinfo(self) -> tuple[Any, int, str]:
        """The place, and the headline of a failure."""
        # pytest takes an ending of the node id for a dotted name of Python, `v1.2` for `v1::2`; this is none.
        title = self.name if len(self.name) <= _TITLE else f"{self.name[: _TITLE - 1]}…"
        return self.path, self._line - 1, f"{self._file}:{self._line}: {title}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The text of the failure alone, whatever `--tb` says; `--full-trace` shows where it was raised."""
        failed = excinfo.value
        if not isinstance(failed, ScenarioFailed) or self.config.getoption("fulltrace"):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value", chain=False)
        if shown.reprcrash is not None:  # what `-rf`, `--tb=line` and JUnit's message show
            shown.reprcrash.path = self._file
            shown.reprcrash.lineno = failed.line
            shown.reprcrash.message = failed.headline
        return shown

    def _tell(self, **facts: object) -> None:
        """Put facts in the report, for the summary and JUnit; a test that is run again tells them anew."""
        kept = [(name, value) for name, value in self.user_properties if not name.startswith(PREFIX)]
        self.user_properties[:] = [*kept, *((f"{PREFIX}{name}", value) for name, value in facts.items())]


class BrokenItem(Item):
    """A scenario file that cannot be read."""

    def __init__(self, *, problem: str, **arguments: Any) -> None:
        place = re.search(r":(\d+): ", problem)
        super().__init__(line=int(place[1]) if place else 1, **arguments)
        self._problem = problem

    def runtest(self) -> None:
        """Fail with what is wrong in the file, a line each."""
        self._tell(outcome="ERROR")
        first, *rest = self._problem.splitlines() or [""]
        raise ScenarioFailed([f"ERROR {self._file}: the file is broken", first, *rest], self._line, f"ERROR: {first}")


class PlayedItem(Item):
    """A scenario that is played when the test runs."""

    def __init__(self, *, scenario: Scenario, **arguments: Any) -> None:
        super().__init__(line=scenario.line, **arguments)
        self._scenario = scenario

    def runtest(self) -> None:
        """Play it; whatever is raised is shown as a failure of the scenario."""
        self._tell(outcome="SKIP")
        try:
            self._play()
        except (ScenarioFailed, *_PYTESTS):
            raise
        except BaseException as error:  # the code under test may raise SystemExit, or a CancelledError
            self._tell(outcome="ERROR")
            lines = unexpected(error)
            head = f"ERROR {self._file}:{self._line}: {self.name}"
            raise ScenarioFailed([head, *lines], self._line, f"ERROR: {lines[0]}") from error

    def _play(self) -> None:
        raise NotImplementedError


class ScenarioItem(PlayedItem):
    """One scenario, played or recorded."""

    def _play(self) -> None:
        # Here, because a run that only collects and deselects scenarios needs neither the SDK nor vcrpy.
        from .playing import play
        from .verdict import judge

        found = settings(self.config)
        Patches.of(self.config).hold()
        verdict = judge(play(self._scenario, project_of(self.config), found.record_mode), self._scenario)
        self._tell(**verdict.facts)
        match verdict.outcome:
            case "PASS":
                return
            case "SKIP":
                pytest.skip(verdict.headline)
            case "STALE" if found.stale == "warn":
                warn_stale(self, "\n".join(verdict.lines))
            case _:
                raise ScenarioFailed(verdict.lines, verdict.line, f"{verdict.outcome}: {verdict.headline}")


def warn_stale(item: pytest.Item, text: str) -> None:
    """Warn of a stale recording, also where filters make errors of warnings: whoever asks for a warning gets one."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", StaleWarning)
        item.warn(StaleWarning(text))
