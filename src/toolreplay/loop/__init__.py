"""The reference tool loop: what a loop must do, in code short enough to copy.

`run` and `arun` are the loop; `run_tools` and `run_tool` are the part that every loop needs, whatever carries its
requests. The decisions stand in `turns`, how a call is run in `tools`, what a tool's value becomes in `results`;
`messages` and `converse` know their wires.
"""

from __future__ import annotations

from .entry import arun, arun_streamed, run, run_bedrock, run_streamed
from .messages import run_tools
from .results import ErrorResult
from .tools import UnknownTool, run_tool
from .turns import CutReply, TurnLimit

__all__ = [
    "CutReply",
    "ErrorResult",
    "TurnLimit",
    "UnknownTool",
    "arun",
    "arun_streamed",
    "run",
    "run_bedrock",
    "run_streamed",
    "run_tool",
    "run_tools",
]
