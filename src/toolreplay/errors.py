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


class NotFuzzed(ScenarioError):
    """A scenario that is sound, and that nothing can be drawn around."""


class CassetteError(ToolreplayError):
    """A cassette is missing, unreadable, or does not hold what was asked of it."""


class LoopError(ToolreplayError):
    """The loop under test cannot be found, or asks for something that is not offered."""


class RecordingError(ToolreplayError):
    """A recording was not saved."""


class RunFailed(ToolreplayError, AssertionError):
    """A session in a test did not pass; the text says why, `run` holds everything.

    Attributes:
        run: the `Run`.
    """

    def __init__(self, message: str, run: object) -> None:
        super().__init__(message)
        self.run = run
