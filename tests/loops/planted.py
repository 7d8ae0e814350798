"""One loop for both wires, right as it stands, in which any one step can be replaced by a faulty one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolreplay.loop import ErrorResult
from toolreplay.loop.results import message_of, text_of

from .wires import CONVERSE, MESSAGES, Answer, Call, Json, Reading, Reply, Wire

Functions = Mapping[str, Callable[..., object]]
Approve = Callable[[str, Json, str], bool | str | None]


class Abandoned(Exception):
    """Raised by a faulty step: the loop returns its history as it is."""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What the loop does at each point.

    Attributes:
        client: the client that requests are sent with.
        request: the body of a prompt's n-th request, from 1.
        forces_once: whether a forced choice is taken back after the first reply.
        reading: how streams are read.
        whole: whether a reply with a stop reason is one; else the request is sent again.
        resumes: whether a reply with a stop reason was paused, and goes back as it is.
        runs: whether the calls of a reply with a stop reason are run.
        limits_first: whether the limit on turns is looked at before the tools of the last reply run.
        asks: whether the user is asked about calls.
        invoke: how a function is called.
        told: what is said of an exception; it may raise.
        eager: whether calls are run before the stop reason is looked at.
        answers: the answers to a reply's calls.
        blocks: the message that carries them, and the reply they answer, as blocks.
        kept: what is kept of a reply that asked for tools.
        last: what is kept of the last reply, given all of it and all but its calls; None for nothing.
        refused: the history after a refusal, of the history with the prompt and the refused content.
        goes_on: what is said to a reply without calls to have the model go on; None for nothing.
    """

    client: Callable[[Any], Any] = lambda client: client
    request: Callable[[Json, int], Json] = lambda body, _number: body
    forces_once: bool = True
    reading: Reading = field(default_factory=Reading)
    whole: Callable[[str | None], bool] = lambda reason: reason is not None
    resumes: Callable[[str | None], bool] = lambda reason: reason == "pause_turn"
    runs: Callable[[str | None], bool] = lambda reason: reason == "tool_use"
    limits_first: bool = True
    asks: bool = True
    invoke: Callable[[Callable[..., object], Json], object] = lambda function, given: function(**copy.deepcopy(given))
    told: Callable[[Exception], str] = message_of
    eager: bool = False
    answers: Callable[[list[Answer]], list[Answer]] = lambda answers: answers
    blocks: Callable[[list[Json], list[Json]], list[Json]] = lambda blocks, _reply: blocks
    kept: Callable[[list[Json]], list[Json]] = lambda content: content
    last: Callable[[list[Json], list[Json]], list[Json] | None] = lambda _content, uncalled: uncalled or None
    refused: Callable[[list[Json], list[Json]], list[Json]] = lambda history, _content: history[:-1]
    goes_on: str | None = None


def planted(**steps: Any) -> Callable[..., object]:
    """The loop with some of its steps replaced."""
    chosen = Steps(**steps)

    def loop(
        client: Any,
        model: str,
        max_tokens: int,
        max_turns: int,
        messages: list[Json],
        tools: list[Json],
        system: Any,
        functions: Functions,
        parameters: Json,
        approve: Approve,
        stream: bool,
    ) -> list[Json]:
        wire: Wire = CONVERSE if hasattr(client, "converse") else MESSAGES
        body = wire.body(model, max_tokens, tools, system, parameters)
        prompt = _Prompt(chosen, wire, client, body, functions, approve, chosen.reading if stream else None)
        return prompt.play(wire.joined(messages), max_turns)

    return loop


@dataclass
class _Prompt:
    steps: Steps
    wire: Wire
    client: Any
    body: Json
    functions: Functions
    approve: Approve
    reading: Reading | None
    asked: int = 0

    def play(self, history: list[Json], max_turns: int) -> list[Json]:
        prompted = list(history)
        try:
            if history[-1]["role"] == "assistant" and not self._answered(history, history[-1]["content"], {}):
                return history
            for turn in range(1, max_turns + 1):
                reply = self._reply(history)
                if self.steps.runs(reply.stop_reason) and self.wire.calls(reply.content, {}):
                    if turn == max_turns and self.steps.limits_first:
                        return history
                    history.append({"role": "assistant", "content": self.steps.kept(reply.content)})
                    if not self._answered(history, reply.content, reply.broken):
                        return history
                elif self.steps.resumes(reply.stop_reason):
                    history.append({"role": "assistant", "content": reply.content})
                elif reply.stop_reason == "refusal":
                    return self.steps.refused(prompted, reply.content)
                elif not self._goes_on(history, reply):
                    return history
        except Abandoned:
            pass
        return history

    def _reply(self, history: list[Json]) -> Reply:
        reply = self._ask(history)
        if not self.steps.whole(reply.stop_reason):
            reply = self._ask(history)
            if not self.steps.whole(reply.stop_reason):
                raise ConnectionError("two replies broke off")
        return reply

    def _ask(self, history: list[Json]) -> Reply:
        self.asked += 1
        body = {**self.body, "messages": list(history)}
        if self.steps.forces_once and self.asked > 1:
            body = self.wire.unforced(body)
        client, sent = self.steps.client(self.client), self.steps.request(body, self.asked)
        reply = self.wire.ask(client, sent, self.reading)
        if self.steps.eager and not self.steps.runs(reply.stop_reason):
            self._message(reply.content, reply.broken)
        return reply

    def _goes_on(self, history: list[Json], reply: Reply) -> bool:
        uncalled = [block for block in reply.content if not self.wire.calls([block], {})]
        last = self.steps.last(reply.content, uncalled)
        if last is not None:
            history.append({"role": "assistant", "content": last})
        if self.steps.goes_on is None:
            return False
        history.append({"role": "user", "content": [self.wire.text(self.steps.goes_on)]})
        return True

    def _answered(self, history: list[Json], content: list[Json], broken: Mapping[str, str]) -> bool:
        """Answer the calls of a reply; False while one of them waits for the user."""
        calls = self.wire.calls(content, broken)
        words = [self.approve(call.name, call.input, call.id) if self.steps.asks else True for call in calls]
        if None in words:
            return False
        history.append(self._message(content, broken, words))
        return True

    def _message(self, content: list[Json], broken: Mapping[str, str], words: Sequence[bool | str | None] = ()) -> Json:
        calls = self.wire.calls(content, broken)
        decided = words or [True] * len(calls)
        answers = [self._answer(call, word) for call, word in zip(calls, decided, strict=True)]
        blocks = [self.wire.block(answer) for answer in self.steps.answers(answers)]
        return {"role": "user", "content": self.steps.blocks(blocks, content)}

    def _answer(self, call: Call, word: bool | str | None) -> Answer:
        if word is not True:
            return Answer(call.id, word or "the user denied this call", failed=True)
        if call.broken is not None:
            return Answer(call.id, text_of({"INVALID_JSON": call.broken}), failed=True)
        try:
            return _answer_of(call, self.steps.invoke(_function(self.functions, call.name), call.input))
        except Exception as error:  # noqa: BLE001  (a tool may raise anything)
            return Answer(call.id, self.steps.told(error), failed=True)


def _answer_of(call: Call, value: object) -> Answer:
    if isinstance(value, ErrorResult):
        return Answer(call.id, value.content, failed=True)
    return Answer(call.id, value)


def _function(functions: Functions, name: str) -> Callable[..., object]:
    if name not in functions:
        raise LookupError(f"no tool is named {name!r}")
    return functions[name]
