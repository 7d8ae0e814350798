"""Who is speaking: the scenario's own conversation, or one of the sub-agents it declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toolreplay.contract.conversations import Verdict
from toolreplay.scenario.matchers import mismatch
from toolreplay.scenario.model import Scenario, Subagent
from toolreplay.scenario.request import history, prompt_content
from toolreplay.scenario.steps import UserStep
from toolreplay.wire.fields import items, mapping, text

MAIN: Final = ""


class Cast:
    """Tells the conversations of a run apart, by how each begins."""

    def __init__(self, scenario: Scenario) -> None:
        self._prompts = {_said(prompt_content(step)) for step in scenario.conversation if isinstance(step, UserStep)}
        self._prompts.update(_said(message["content"]) for message in history(scenario) if message["role"] == "user")
        self._subagents = scenario.subagents
        self._known: dict[int, str | None] = {1: MAIN}

    def name_of(self, verdict: Verdict) -> str | None:
        """`MAIN`, a sub-agent's name, or None for a conversation that the scenario does not declare."""
        number = verdict.conversation.number
        if number not in self._known:
            self._known[number] = self._recognise(verdict)
        return self._known[number]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sub-agents."""
        return tuple(_name(one, index) for index, one in enumerate(self._subagents))

    def subagent(self, name: str) -> Subagent | None:
        """The sub-agent of a name."""
        return next((one for index, one in enumerate(self._subagents) if _name(one, index) == name), None)

    def _recognise(self, verdict: Verdict) -> str | None:
        first = next((item for item in verdict.messages if mapping(item).get("role") == "user"), {})
        content = mapping(first).get("content")
        user = _said(content)
        # Where a prompt was left without a reply, Converse has the next one stand in the same message, behind it.
        beginnings = (_said(items(content)[:count]) for count in range(1, len(items(content))))
        if user in self._prompts or any(one in self._prompts for one in beginnings):
            return MAIN  # the loop began anew with a prompt of ours: it forgot the history
        body = verdict.request.body
        for index, one in enumerate(self._subagents):
            if _fits(one, verdict.request.model, _said(body.get("system")), user):
                return _name(one, index)
        return None


def _fits(one: Subagent, model: str | None, system: str, user: str) -> bool:
    if one.model is not None and one.model != model:
        return False
    if one.system is not None and mismatch(one.system, system, "system") is not None:
        return False
    return one.user is None or mismatch(one.user, user, "user") is None


def _name(one: Subagent, index: int) -> str:
    return one.name or f"subagents[{index}]"


def _said(content: object) -> str:
    """The text of content in any of its shapes."""
    if isinstance(content, str):
        return content
    blocks: Sequence[object] = content if isinstance(content, tuple) else items(content)
    return "\n".join(text(_mapping(block).get("text")) or "" for block in blocks)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
