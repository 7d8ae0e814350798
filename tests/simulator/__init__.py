"""A scripted model behind real HTTP on 127.0.0.1, from which this project's own cassettes are recorded.

There is no key in this project's CI. Each scenario under `scenarios/` has a script under `replies/` at the
same relative path; the server knows a conversation by its first prompt and answers with the reply that is next
by the number of assistant messages in it. Sub-agents have scripts of their own there, under `subagents:`, by
their first prompt. `python -m tests.simulator` records every cassette through the real SDK and says so in it
(`recorded_from: simulator`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from toolreplay.files.yaml import read_file
from toolreplay.runner.origin import SIMULATOR
from toolreplay.runner.script import scripted_response
from toolreplay.scenario.load import find_files, load_file
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.script import Reply
from toolreplay.scenario.steps import UserStep
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.fields import mapping
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Wire
from toolreplay.wire.refusal import refusal

ROOT: Final = Path(__file__).resolve().parents[2]
REPLIES: Final = Path(__file__).parent / "replies"
_SCRIPT: TypeAdapter[tuple[Reply, ...]] = TypeAdapter(tuple[Reply, ...])


@dataclass(frozen=True)
class _Script:
    """What is said in a conversation; `answered` is how many assistant messages its history brings along."""

    name: str
    replies: Sequence[Reply]
    answered: int


class Simulator:
    """Answers requests by script; a function from request to response, for `serve.http.serving`."""

    def __init__(self, scenarios: Path = ROOT / "scenarios") -> None:
        self._scripts: dict[str, _Script] = {}
        for file in find_files([scenarios], ROOT):
            script = REPLIES / file.relative_to(scenarios)
            if not script.exists():
                continue
            (scenario,) = load_file(file, ROOT)
            (document,) = read_file(script, str(script))
            written = mapping(document.data)
            answered = sum(message["role"] == "assistant" for message in scenario.history)
            self._add(scenario.id, _first_prompt(scenario), written["replies"], answered)
            for prompt, replies in mapping(written.get("subagents")).items():
                self._add(f"{scenario.id} {prompt}", prompt, replies)

    def _add(self, name: str, prompt: str, replies: object, answered: int = 0) -> None:
        assert prompt not in self._scripts, f"{name}: another scenario starts with {prompt!r} too"
        self._scripts[prompt] = _Script(name, _SCRIPT.validate_python(replies, strict=False), answered)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        call, body = endpoint(request.method, request.url), request.json
        if call is None or not request.is_json:
            return refusal(Wire.MESSAGES, "the simulator answers calls of a model only", 404)
        found = self._scripts.get(_key(body["messages"][0]["content"]))
        if found is None:
            return refusal(call.wire, "the simulator has no script that starts with this prompt", 404)
        number = sum(message["role"] == "assistant" for message in body["messages"]) - found.answered
        if number >= len(found.replies):
            return refusal(call.wire, f"the script of {found.name} has {len(found.replies)} replies", 404)
        model = call.model or body["model"]
        response = scripted_response(found.replies[number], model, f"{found.name} {number}", call, request)
        return HttpResponse(response.status, {**response.headers, "server": SIMULATOR}, response.body)


def _first_prompt(scenario: Scenario) -> str:
    if scenario.history:
        return _key(scenario.history[0]["content"])
    step = scenario.conversation[0]
    assert isinstance(step, UserStep)
    return _key(step.user)


def _key(content: str | Sequence[Mapping[str, Any]]) -> str:
    """A prompt's text, whatever the shape: a string, blocks of Messages, blocks of Converse."""
    return content if isinstance(content, str) else "\n".join(str(block.get("text", "")) for block in content)
