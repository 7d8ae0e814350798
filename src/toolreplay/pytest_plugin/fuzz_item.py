"""Fuzzing the loop of a scenario, as a test beside the scenario's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from .failure import ScenarioFailed
from .items import PlayedItem
from .patches import Patches
from .settings import project_of

if TYPE_CHECKING:
    from toolreplay.fuzzer.known import Baseline

_BASELINE: Final[pytest.StashKey[Baseline]] = pytest.StashKey()


class FuzzItem(PlayedItem):
    """One scenario's loop, fuzzed when the test runs under `--toolreplay-fuzz`."""

    def _play(self) -> None:
        # Here, because a run without the option needs neither Hypothesis nor the SDK.
        from toolreplay.errors import ToolreplayError
        from toolreplay.fuzzer.entry import fuzz_scenario
        from toolreplay.fuzzer.known import Baseline
        from toolreplay.fuzzer.profile import examples_of
        from toolreplay.fuzzer.regression import write_regressions
        from toolreplay.report.fuzz_text import fuzz_details, fuzz_line, loop_words

        project = project_of(self.config)
        Patches.of(self.config).hold()
        try:
            result = fuzz_scenario(
                self._scenario,
                project,
                max_examples=examples_of(self.config.getoption("--toolreplay-max-examples")),
                baseline=self.config.stash.setdefault(_BASELINE, Baseline(project)),
            )
        except ToolreplayError as error:
            self._tell(outcome="ERROR")
            head = f"ERROR {self._file}:{self._line}: {self.name}"
            raise ScenarioFailed([head, str(error)], self._line, f"ERROR: {error}") from None
        outcome = "FAIL" if result.failed else "PASS"
        self._tell(outcome=outcome, requests=result.requests, tool_calls=result.calls, findings=len(result.found))
        if result.failed:
            lines = fuzz_details(result, write_regressions(result, project))
            head = f"FAIL {self._file}:{self._line}: {self.name} ({loop_words(result.target)}: {fuzz_line(result)})"
            raise ScenarioFailed([head, *lines], self._line, f"FAIL: {lines[0]}")


def refuse_nothing(config: pytest.Config) -> None:
    """Refuse a number of examples that plays nothing."""
    number = config.getoption("--toolreplay-max-examples")
    if number is not None and number < 1:
        raise pytest.UsageError(f"--toolreplay-max-examples {number} plays nothing; give 1 or more")
