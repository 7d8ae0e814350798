"""What a scenario puts on the wire, in Messages shape whichever wire it is."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from toolreplay.errors import ScenarioError

from .steps import ApproveStep, Step

if TYPE_CHECKING:
    from .content import Content
    from .model import Scenario


def request_fields(scenario: Scenario) -> dict[str, Any]:
    """The body of a request, `messages` and `stream` left out; the caller may change what it gets.

    Fields of `extra_body` stand beside the others, as on the wire. Betas are a header and not among them.
    """
    fields: dict[str, Any] = {"model": scenario.model, "max_tokens": scenario.max_tokens}
    if scenario.system is not None:
        fields["system"] = _plain(scenario.system)
    if scenario.tools:
        fields["tools"] = tool_definitions(scenario)
    if scenario.tool_choice is not None:
        fields["tool_choice"] = copy.deepcopy(scenario.tool_choice)
    if scenario.thinking is not None:
        fields["thinking"] = copy.deepcopy(scenario.thinking)
    return {**fields, **copy.deepcopy(scenario.extra_body)}


def tool_definitions(scenario: Scenario) -> list[dict[str, Any]]:
    """The wire's `tools`: definitions without stubs."""
    return [copy.deepcopy(tool.definition) for tool in scenario.tools]


def history(scenario: Scenario) -> list[dict[str, Any]]:
    """The messages before the first prompt; the caller may change what it gets."""
    return copy.deepcopy(list(scenario.history))


def prompt_content(step: Step) -> str | list[dict[str, Any]]:
    """The content of a prompt's user message, files in place.

    Raises:
        ScenarioError: the step is no prompt but a decision.
    """
    if isinstance(step, ApproveStep):
        raise ScenarioError("an approve step says nothing to the model; this version plays only user steps")
    return _plain(step.user)


def _plain(content: Content) -> str | list[dict[str, Any]]:
    return content if isinstance(content, str) else [copy.deepcopy(dict(block)) for block in content]
