"""The steps of a scenario, one after the other: prompts, and decisions on calls that wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolreplay.errors import LoopError, ToolreplayError
from toolreplay.loop.results import message_of
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.request import history, prompt_content
from toolreplay.scenario.steps import ApproveStep, UserStep
from toolreplay.wire import mapping
from toolreplay.wire.model import ApiError, Reply, Wire

from .agent import Agent
from .cast import MAIN
from .clients import Clients, kind_of
from .loops import Asked, Target, asked_by, is_async
from .offer import NAMES, Offer
from .session import LoopStopped, Session
from .toolbox import Toolbox
from .verdict import Ending

Message = Mapping[str, Any]


class Prompts:
    """Calls the loop for each step and keeps what came of it."""

    def __init__(
        self, scenario: Scenario, target: Target, session: Session, toolbox: Toolbox, base_url: str | None
    ) -> None:
        self.ending = Ending()
        self._scenario = scenario
        self._session = session
        self._toolbox = toolbox
        self._converse = scenario.wire is Wire.CONVERSE
        asked = asked_by(target, NAMES)
        clients = Clients(base_url, live=session.live)
        kind = _client_kind(target, asked, scenario)
        self._names = tuple(asked)
        self._offer = Offer(scenario, session, toolbox, clients, base_url, kind)
        self._agent = Agent(target, asked, clients)
        self._ours: list[Message] = []  # a history that is not the loop's own
        start = history(scenario)
        self._history: list[Message] = list(mapping.messages(start) if self._converse else start)

    def play(self) -> None:
        """Play every step; stop after the first that the loop could not finish."""
        try:
            for step in self._scenario.conversation:
                self.ending.step += 1
                self._session.begin_prompt(ours=self._ours)
                if not self._step(step):
                    return
        finally:
            self._close()

    def _close(self) -> None:
        try:
            self._agent.close()
        except (SystemExit, KeyboardInterrupt) as error:
            if not self._toolbox.caused(error):
                raise  # else of a tool that the loop started and did not wait for

    def _step(self, step: UserStep | ApproveStep) -> bool:
        messages = list(self._history)
        prompt: Any = None
        if isinstance(step, ApproveStep):
            if self._agent.keeps_history:
                raise LoopError(
                    "a loop that keeps its own history cannot be given an approve step; let it ask approve()"
                )
            if not _waits(messages):
                self.ending.nothing_pending = True
                return False
        else:
            prompt = prompt_content(step)
            self._add_prompt(messages, prompt)
        before = list(messages)
        offered = self._offer.fill(self._names, messages, self._toolbox.approval(self._decisions(step)))
        try:
            returned = self._agent.ask(prompt, offered)
        except ToolreplayError:
            raise  # ours: the harness, a stub or a file is broken
        except BaseException as error:  # the loop under test may raise anything, and so may its tools
            if isinstance(error, KeyboardInterrupt) and not self._toolbox.caused(error):
                raise  # the user's
            if isinstance(error, LoopStopped):
                self.ending.stopped = str(error)
                return False
            if not self._goes_on_after(error, step):
                self._note(error)  # a loop that calls sys.exit(0) must not end the whole run as good
                return False
            returned = None
        if self._session.refused:
            return False
        if not self._agent.keeps_history:
            self._history = self._next_history(returned, messages, before)
        return True

    def _add_prompt(self, messages: list[Message], prompt: Any) -> None:
        """Put the prompt at the end. On Converse it joins a user message that stands there: two are refused."""
        content = mapping.content(prompt) if self._converse else prompt
        if self._converse and messages and messages[-1]["role"] == "user":
            content = [*messages.pop()["content"], *content]
        messages.append({"role": "user", "content": content})

    def _goes_on_after(self, error: BaseException, step: UserStep | ApproveStep) -> bool:
        """Whether an exception may have left the loop; then the session's next request counts."""
        if isinstance(error, Exception):
            allowed = _may_raise(step) and not self._session.refused
        else:
            allowed = self._toolbox.caused(error)  # a tool's interrupt, exit or cancellation
        if allowed:
            self.ending.left.add(self.ending.step)
        return allowed or (isinstance(error, Exception) and self._says_limit(step, error))

    def _says_limit(self, step: UserStep | ApproveStep, error: BaseException) -> bool:
        """Whether the loop raised to say that the limit on turns is reached, where the scenario expects just that."""
        expected = step.expect is not None and step.expect.stop_reason == "tool_use"
        return expected and self._session.at_limit and not self._toolbox.caused(error)

    def _decisions(self, step: UserStep | ApproveStep) -> dict[str, bool | None]:
        """The user's word on each tool: True, False, or None while it is to come."""
        waiting = [later for later in self._scenario.conversation[self.ending.step :] if isinstance(later, ApproveStep)]
        decisions: dict[str, bool | None] = {name: None for later in waiting for name in later.approve}
        if isinstance(step, ApproveStep):
            decisions.update((name, word == "allow") for name, word in step.approve.items())
        return decisions

    def _note(self, error: BaseException) -> None:
        self.ending.raised = f"{type(error).__name__}: {message_of(error)}"
        if self._toolbox.caused(error):
            self.ending.crashed_by_tool = self.ending.raised

    def _next_history(self, returned: object, messages: list[Message], before: list[Message]) -> list[Message]:
        """The history for the next prompt: the list the loop returned or changed, else rebuilt from the wire."""
        self._ours = []
        if isinstance(returned, list) and returned and all(_is_message(item) for item in returned):
            return list(returned)
        if messages != before:
            return list(messages)
        self._ours = self._rebuilt()
        return list(self._ours)

    def _rebuilt(self) -> list[Message]:
        """The last request and its reply; cut, unanswered and empty replies are left out."""
        own = (one for one in reversed(self._session.exchanges) if one.agent == MAIN and one.served)
        last = next((one for one in own if isinstance(one.reply, Reply | ApiError)), None)
        verdict = self._session.verdicts[last.number - 1] if last is not None else None
        if last is None or verdict is None:
            return self._history
        found: list[Message] = [item for item in verdict.messages if isinstance(item, dict)]
        reply = last.reply
        if isinstance(reply, Reply) and reply.content and not reply.tool_uses and reply.complete:
            found.append({"role": "assistant", "content": list(reply.content)})
        rebuilt: list[Message] = mapping.from_wire(found) if self._converse else found
        return rebuilt


def _may_raise(step: UserStep | ApproveStep) -> bool:
    return step.expect is not None and step.expect.raises is not None


def _client_kind(target: Target, asked: Asked, scenario: Scenario) -> str:
    if "client" not in asked:
        return ""
    return kind_of(asked.annotations.get("client"), scenario.wire, is_async=is_async(target))


def _waits(messages: list[Message]) -> bool:
    """Whether the history ends with calls that nobody has answered."""
    if not messages or messages[-1]["role"] != "assistant" or isinstance(messages[-1]["content"], str):
        return False
    return any(_is_call(part) for part in messages[-1]["content"])


def _is_call(part: Any) -> bool:
    """Whether a block is a call: a dict of either wire, or an object of the SDK."""
    if isinstance(part, dict):
        return part.get("type") == "tool_use" or "toolUse" in part
    return getattr(part, "type", None) == "tool_use"


def _is_message(item: object) -> bool:
    return isinstance(item, dict) and "role" in item and "content" in item
