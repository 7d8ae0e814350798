"""What a tool loop does, without doing it: a generator that asks to send, asks to run tools, and ends with the history.

The drivers in `drive` answer it, one with `await` and one without; the wires differ in their `Dialect`. Everything
that is a decision stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .tools import Result, ToolCall

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


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a wire writes calls and results.

    Attributes:
        is_call: whether a block is a call that the client answers.
        is_result: whether a block is the answer to one.
        tool_calls: the calls among the blocks of a reply, in order; with the inputs of those that are no JSON, by id.
        tool_result: the result of a call, from what its tool returned.
    """

    is_call: Callable[[Part], bool]
    is_result: Callable[[Part], bool]
    tool_calls: Callable[[Iterable[Part], Mapping[str, str]], list[ToolCall]]
    tool_result: Callable[[ToolCall, object], Result]


Turns: TypeAlias = Generator[Send | RunTools, Any, list[Message]]


def turns(messages: Sequence[Mapping[str, Any]], dialect: Dialect, max_turns: int) -> Turns:
    """The turns of one prompt, or of the approval that an earlier one was waiting for.

    Tools run only when the stop reason says so: a call in a reply that was cut by `max_tokens` may be incomplete.
    A paused turn is sent back unchanged. A reply that broke off is asked for once more: nothing of it was run, and the
    request before it holds the results of all that was. The limit is checked before tools run, so that no side effect
    goes unanswered. Calls that will not be answered are not kept, since a history that holds them is refused; nor is
    a reply without content (docs: handling-stop-reasons). A refusal takes the prompt and all that came of it back.

    Raises:
        TurnLimit: the last reply allowed still asked for tools, or paused.
        CutReply: a stream ended before its message did, twice or in the last reply allowed.
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
            if cut or turn == max_turns:
                when = "twice" if cut else f"in reply {max_turns}, the last one allowed"
                raise CutReply(f"the reply broke off before its end, {when}; nothing of it was kept")
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
                return _before_prompt(messages, dialect)
            case _:
                kept = [part for part in reply.content if not dialect.is_call(part)]
                return [*history, _assistant(kept)] if kept else history
    raise TurnLimit(f"the model was not done in reply {max_turns}, the last one allowed; its calls were not run")


def _assistant(content: Sequence[Part]) -> Message:
    return {"role": "assistant", "content": list(content)}


def _before_prompt(messages: Sequence[Mapping[str, Any]], dialect: Dialect) -> list[Message]:
    """The history before its last prompt, which stands further back where that prompt stopped for an approval.

    Results that stand before the prompt in its own message answer the calls before it, and stay.
    """
    for index in reversed(range(len(messages))):
        content = messages[index]["content"]
        if messages[index]["role"] != "user":
            continue
        results = [] if isinstance(content, str) else [part for part in content if dialect.is_result(part)]
        if not results or len(results) < len(content):
            before = [dict(message) for message in messages[:index]]
            return [*before, {"role": "user", "content": results}] if results else before
    return []
