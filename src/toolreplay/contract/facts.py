"""The facts of a run, judged by TR6xx: what the model asked for, what the tools did, what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toolreplay.wire.model import ToolResult, ToolUse


class Did(StrEnum):
    """What a tool did when it was run."""

    RETURNED = "returned"
    FAILED = "failed"  # returned an error, without an exception
    RAISED = "raised"
    INTERRUPTED = "interrupted"  # KeyboardInterrupt, SystemExit, cancellation: may leave the loop with no result sent


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a tool.

    Attributes:
        value: what it returned; for FAILED the error content.
        error: for RAISED the exception's own message (`str()`), "" where it has none.
        telling: the words and values by which the tool's outcome is recognised in a result: what a result
            that "carries" the outcome must show at least one of. Empty when nothing in the outcome can be
            looked for.
    """

    did: Did
    value: object = None
    error: str = ""
    telling: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call the model asked for.

    Attributes:
        use: the tool_use as served; `use.place` is not of any request.
        turn: which reply of the run asked for it, from 1.
        executions: every run of it, in order; none for a call that was denied or lost.
        result: what was sent for it, from the first request that carried it.
        result_path: where that stands in its request, `messages[2].content[0]`; "" when nothing was sent.
        followed: whether any request came after the reply that asked for it.
        stop_reason: that of the reply; the calls of a reply that was cut or refused need no answer.
        excused: whether it may stay unanswered, because what left the loop in the middle was allowed to.
    """

    use: ToolUse
    turn: int
    executions: tuple[Execution, ...]
    result: ToolResult | None
    result_path: str
    followed: bool
    stop_reason: str | None = "tool_use"
    excused: bool = False

    @property
    def left_open(self) -> bool:
        """Whether the loop ended with it unanswered, which it should not have."""
        return self.result is None and not self.followed and not self.excused and self.stop_reason == "tool_use"

    @property
    def label(self) -> str:
        """The call as messages name it: `get_weather (toolu_1)`."""
        return f"{self.use.name} ({self.use.id})"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A whole run.

    Attributes:
        calls: every client call of every reply, in order.
        crashed: what left the loop, `LookupError: no city`, when it was a tool's own exception or calls were open;
            else None.
        refused: whether the model side answered an error to the last request, so that the loop could not go
            on.
        turns: replies served.
        over_limit: the turn limit, when the loop asked for more replies than it; else None.
        stopped: why the loop was stopped, when it did not end by itself; else None.
        pending_expected: whether the scenario expects calls to be left open.
    """

    calls: tuple[CallFacts, ...]
    turns: int = 0
    crashed: str | None = None
    refused: bool = False
    over_limit: int | None = None
    pending_expected: bool = False
    stopped: str | None = None
