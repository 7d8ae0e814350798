"""A scenario that was to be fuzzed, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolreplay.fuzzer.regression import Written
from toolreplay.fuzzer.result import Result
from toolreplay.runner.run import Outcome


@dataclass(frozen=True)
class Fuzzed:
    """One scenario of a command.

    Attributes:
        id: the scenario's; of a file that is broken its path.
        result: None where it could not be fuzzed.
        files: where the regressions were written, by the kinds of their faults.
        errors: what kept it from being fuzzed, or its regressions from being written, a line each.
        skipped: why there is nothing to fuzz in it.
    """

    id: str
    result: Result | None = None
    files: Mapping[str, Written] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def outcome(self) -> Outcome:
        """FAIL where the loop has faults, ERROR where that could not be told, SKIP where there is nothing to tell."""
        if self.result is not None and self.result.failed:
            return Outcome.FAIL
        if self.skipped:
            return Outcome.SKIP
        return Outcome.ERROR if self.errors or self.result is None else Outcome.PASS
