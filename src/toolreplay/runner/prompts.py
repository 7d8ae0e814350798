"""The prompts of a scenario, one after the other: the loop is called once for each, with the history so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from ..errors import ScenarioError
from ..scenario.model import Scenario
from ..scenario.request import history, prompt_content, request_fields
from ..scenario.steps import UserStep
from ..wire.model import Reply
from .clients import anthropic_client
from .loops import Target, call_loop, check_signature
from .session import Session
from .toolbox import Toolbox

Message = Mapping[str, Any]


class Prompts:
    """Calls the loop for each prompt and keeps what came of it.

    Attributes:
        number: the prompt that was played last, from 1.
        raised: what left the loop, `ValueError: no such key`; None when it returned.
        crashed_by_tool: the same, where it was a tool's own exception.
        clients: the clients that were offered, to be closed when the run is over.
    """

    def __init__(
        self, scenario: Scenario, target: Target, session: Session, toolbox: Toolbox, base_url: str | None
    ) -> None:
        self.number = 0
        self.raised: str | None = None
        self.crashed_by_tool: str | None = None
        self.clients = ExitStack()
        self._scenario = scenario
        self._target = target
        self._session = session
        self._toolbox = toolbox
        self._base_url = base_url
        self._history: list[Message] = list(history(scenario))

    @property
    def pending_expected(self) -> bool:
        """Whether the scenario expects calls to be left open at the end of the last prompt."""
        step = self._scenario.conversation[self.number - 1]
        return step.expect is not None and (bool(step.expect.pending) or step.expect.stop_reason == "tool_use")

    def play(self) -> None:
        """Play every prompt; stop after the first that the loop could not finish."""
        names = check_signature(self._target, self._offer())
        for step in self._scenario.conversation:
            self.number += 1
            self._session.begin_prompt()
            if not isinstance(step, UserStep):
                raise ScenarioError(f"{self._scenario.path}: approve steps cannot be played by this version")
            messages = [*self._history, {"role": "user", "content": prompt_content(step)}]
            before = len(messages)
            offered = {name: make() for name, make in self._offer(messages).items() if name in names}
            try:
                returned = call_loop(self._target, names, offered)
            except Exception as error:  # noqa: BLE001  (the loop under test may raise anything)
                self._note(error)
                return
            if self._session.refused:
                return
            self._history = self._next_history(returned, messages, before)

    def _offer(self, messages: list[Message] | None = None) -> dict[str, Callable[[], Any]]:
        """What a loop may ask for by parameter name, each made only when it is asked for."""
        fields = request_fields(self._scenario)
        known = ("model", "max_tokens", "system", "tools")
        return {
            "client": lambda: self.clients.enter_context(anthropic_client(self._base_url)),
            "base_url": lambda: self._base_url,
            "model": lambda: fields["model"],
            "max_tokens": lambda: fields["max_tokens"],
            "max_turns": lambda: self._scenario.max_turns,
            "stream": lambda: self._scenario.stream,
            "system": lambda: fields.get("system"),
            "tools": lambda: fields.get("tools", []),
            "messages": lambda: messages,
            "prompt": lambda: messages[-1]["content"] if messages else "",
            "functions": lambda: self._toolbox.functions,
            "call_tool": lambda: self._toolbox.call_tool,
            "parameters": lambda: {name: value for name, value in fields.items() if name not in known},
            "session": lambda: self._session,
        }

    def _note(self, error: BaseException) -> None:
        self.raised = f"{type(error).__name__}: {error}"
        if self._toolbox.caused(error):
            self.crashed_by_tool = self.raised

    def _next_history(self, returned: object, messages: list[Message], before: int) -> list[Message]:
        """The history for the next prompt: the list the loop returned or changed, else rebuilt from the wire."""
        if isinstance(returned, list) and returned and all(_is_message(item) for item in returned):
            return list(returned)
        if len(messages) > before:
            return list(messages)
        return self._rebuilt()

    def _rebuilt(self) -> list[Message]:
        last = next((one for one in reversed(self._session.exchanges) if isinstance(one.reply, Reply)), None)
        if last is None or not isinstance(last.reply, Reply):
            return self._history
        verdict = self._session.verdicts[last.number - 1]
        history = [item for item in (verdict.messages if verdict is not None else ()) if isinstance(item, dict)]
        if last.reply.content and not last.reply.tool_uses and last.reply.complete:
            history.append({"role": "assistant", "content": list(last.reply.content)})
        return history


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and "role" in item and "content" in item
