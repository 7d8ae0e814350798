"""The exceptions a user can meet: one root, one class for each kind of thing the user must mend.

A message is one line: where, what, what to do. The protocol's faults are never exceptions but findings
(`toolreplay.contract`).
"""

from __future__ import annotations


class ToolreplayError(Exception):
    """Root of everything toolreplay raises on purpose."""


class UsageError(ToolreplayError):
    """The command line or the configuration asks for something that does not exist."""


class ScenarioError(ToolreplayError):
    """A scenario file is broken."""


class CassetteError(ToolreplayError):
    """A cassette is missing, unreadable, or does not hold what was asked of it."""


class LoopError(ToolreplayError):
    """The loop under test cannot be found, or asks for something that is not offered."""


class RecordingError(ToolreplayError):
    """A recording was not saved."""


class FuzzFailure(ToolreplayError, AssertionError):
    """Fuzzing found faults of a loop; the text tells them, `result` holds everything.

    Attributes:
        result: the fuzzer's `Result`; `found` are the faults, each with its smallest case.
    """

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message)
        self.result = result


class RunFailed(ToolreplayError, AssertionError):
    """A session in a test did not pass; the text says why, `run` holds everything.

    Attributes:
        run: the `Run`.
    """

    def __init__(self, message: str, run: object) -> None:
        super().__init__(message)
        self.run = run
