"""Replay, check and fuzz the tool-use conversations your code has with Claude.

    import toolreplay

    findings = toolreplay.check(request_body)
    run = toolreplay.play("scenarios/weather/parallel.yaml", loop=my_loop)

Everything here is imported when it is first used: `import toolreplay` alone costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .contract.entry import check
    from .contract.finding import Finding, Severity
    from .errors import RunFailed, ToolreplayError
    from .runner.play import play
    from .runner.run import Outcome, Run
    from .testing.fuzzing import FuzzFailure, fuzz
    from .testing.session import session

__version__ = "0.1.0"
__all__ = [
    "Finding",
    "FuzzFailure",
    "Outcome",
    "Run",
    "RunFailed",
    "Severity",
    "ToolreplayError",
    "check",
    "fuzz",
    "play",
    "session",
]

_HOMES = {
    "Finding": ".contract.finding",
    "FuzzFailure": ".testing.fuzzing",
    "Outcome": ".runner.run",
    "Run": ".runner.run",
    "RunFailed": ".errors",
    "Severity": ".contract.finding",
    "ToolreplayError": ".errors",
    "check": ".contract.entry",
    "fuzz": ".testing.fuzzing",
    "play": ".runner.play",
    "session": ".testing.session",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
