"""What a tool loop does, without doing it: a generator that asks to send, asks to run tools, and ends with the history.

The drivers in `drive` answer it, one with `await` and one without; the wires differ in their `Dialect`. Everything
that is a decision stands here.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Message: TypeAlias = dict[str, Any]
Part: TypeAlias = Mapping[str, Any]


class TurnLimit(RuntimeError):
    """The model still asked for tools after as many replies as were allowed; those tools were not run."""


class CutReply(RuntimeError):
    """A reply broke off before its end; nothing of it was kept."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of either wire.

    Attributes:
        content: its blocks as they came, in the wire's own shape.
        container: the id of the server-side container, which requests that answer its calls must name (docs:
            programmatic-tool-calling).
        broken: by id, the input of calls that arrived as something else than JSON.
    """

    content: Sequence[Part]
    stop_reason: str | None
    container: str | None = None
    broken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Send:
    """Send the history; answered with a `Reply`. `first` is whether it is the first request of the prompt."""

    history: Sequence[Message]
    container: str | None
    first: bool


@dataclass(frozen=True, slots=True)
class RunTools:
    """Run the tools of a reply; answered with one result for each call, or None while a call waits for approval."""

    reply: Reply


class Dialect(Protocol):
    """How a wire writes calls and messages."""

    def is_call(self, part: Part) -> bool:
        """Whether a block is a call that the client answers."""


Turns: TypeAlias = Generator[Send | RunTools, Any, list[Message]]


def turns(messages: Sequence[Mapping[str, Any]], dialect: Dialect, max_turns: int) -> Turns:
    """The turns of one prompt, or of the approval that an earlier one was waiting for.

    Tools run only when the stop reason says so: a call in a reply that was cut by `max_tokens` may be incomplete.
    A paused turn is sent back unchanged. A reply that broke off is asked for once more: nothing of it was run, and the
    request before it holds the results of all that was. The limit is checked before tools run, so that no side effect
    goes unanswered. Calls that will not be answered are not kept, since a history that holds them is refused; nor is
    a reply without content (docs: handling-stop-reasons).

    Raises:
        TurnLimit: the last reply allowed still asked for tools, or paused.
        CutReply: a stream ended before its message did, twice.
    """
    history = [dict(message) for message in messages]
    container = None
    if history and history[-1]["role"] == "assistant":
        # The last prompt stopped for an approval: its calls are still to be run.
        results = yield RunTools(Reply(history[-1]["content"], "tool_use"))
        if results is None:
            return history
        history.append({"role": "user", "content": results})
    first, cut = True, False
    for turn in range(1, max_turns + 1):
        reply: Reply = yield Send(history, container, first=first)
        if reply.stop_reason is None:
            if cut:
                raise CutReply("the reply broke off before its end, twice; nothing of it was kept")
            cut = True
            continue
        first = cut = False
        container = reply.container or container
        match reply.stop_reason:
            case "tool_use" if any(dialect.is_call(part) for part in reply.content):
                if turn == max_turns:
                    break
                history.append(_assistant(reply.content))
                results = yield RunTools(reply)
                if results is None:
                    return history
                history.append({"role": "user", "content": results})
            case "pause_turn":
                history.append(_assistant(reply.content))
            case "refusal":
                # A refused prompt that stays in the history is refused again.
                return [dict(message) for message in messages[:-1]]
            case _:
                kept = [part for part in reply.content if not dialect.is_call(part)]
                return [*history, _assistant(kept)] if kept else history
    raise TurnLimit(f"the model was not done in reply {max_turns}, the last one allowed; its calls were not run")


def _assistant(content: Sequence[Part]) -> Message:
    return {"role": "assistant", "content": list(content)}
