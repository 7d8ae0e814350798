"""The reference tool loop: what a loop must do, in code short enough to copy.

`run` talks to the Messages API; `run_tools` and `run_tool` are the part that every loop needs, whatever carries the
requests. The pure steps stand in `steps` and `results`; a driver only sends, runs and waits.
"""

from __future__ import annotations

from .messages import run
from .results import ErrorResult
from .steps import TurnLimit
from .tools import UnknownTool, run_tool, run_tools

__all__ = ["ErrorResult", "TurnLimit", "UnknownTool", "run", "run_tool", "run_tools"]
