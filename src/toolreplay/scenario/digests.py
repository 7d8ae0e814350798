"""Digests of a scenario's parts; a cassette keeps them, and a part that differs later makes it stale.

Nothing that only judges a run is in any of them: expectations, names, the loop, limits and allowances may
change without a new recording.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from .request import history, prompt_content, request_fields, tool_definitions
from .steps import UserStep

if TYPE_CHECKING:
    from .model import Scenario


def digests(scenario: Scenario) -> dict[str, str]:
    """The digest of each part (tools, system, model, parameters, prompts, stubs): 16 hexadecimal digits."""
    fields = request_fields(scenario)
    apart = {"model", "system", "tools"}
    parts: dict[str, object] = {
        "tools": tool_definitions(scenario),
        "system": fields.get("system"),
        "model": scenario.model,
        "parameters": {
            "body": {name: value for name, value in fields.items() if name not in apart},
            "betas": scenario.betas,
            "stream": scenario.stream,
            "wire": scenario.wire,
        },
        "prompts": [history(scenario), _steps(scenario)],
        # How long a stub waits changes nothing that is recorded.
        "stubs": {
            tool.key: [entry.model_dump(by_alias=True, exclude_unset=True, exclude={"delay"}) for entry in tool.stub]
            for tool in scenario.tools
            if tool.stub
        },
    }
    return {name: digest(value) for name, value in parts.items()}


def digest(value: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _steps(scenario: Scenario) -> list[object]:
    return [
        prompt_content(step) if isinstance(step, UserStep) else {"approve": step.approve}
        for step in scenario.conversation
    ]
