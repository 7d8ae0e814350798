"""A scripted model behind real HTTP on 127.0.0.1, from which this project's own cassettes are recorded.

There is no key in this project's CI. Each scenario under `scenarios/` has a script under `replies/` at the same
relative path; the server knows a conversation by its first prompt and answers with as many replies as it holds
assistant messages. `python -m tests.simulator` records every cassette through the real SDK and says so in it
(`recorded_from: simulator`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from toolreplay.files.yaml import read_file
from toolreplay.runner.record import SIMULATOR
from toolreplay.runner.script import scripted_response
from toolreplay.scenario.load import find_files, load_file
from toolreplay.scenario.script import Reply
from toolreplay.scenario.steps import UserStep
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Wire
from toolreplay.wire.refusal import refusal

ROOT: Final = Path(__file__).resolve().parents[2]
REPLIES: Final = Path(__file__).parent / "replies"
_SCRIPT: TypeAdapter[tuple[Reply, ...]] = TypeAdapter(tuple[Reply, ...])


class Simulator:
    """Answers requests by script; a function from request to response, for `serve.http.serving`."""

    def __init__(self, scenarios: Path = ROOT / "scenarios") -> None:
        self._scripts: dict[str, tuple[str, Sequence[Reply]]] = {}
        for file in find_files([scenarios], ROOT):
            script = REPLIES / file.relative_to(scenarios)
            if not script.exists():
                continue
            (scenario,) = load_file(file, ROOT)
            step = scenario.conversation[0]
            assert isinstance(step, UserStep)
            (document,) = read_file(script, str(script))
            replies = _SCRIPT.validate_python(document.data["replies"], strict=False)
            self._scripts[_key(step.user)] = (scenario.id, replies)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        call, body = endpoint(request.method, request.url), request.json
        if call is None or not request.is_json:
            return refusal(Wire.MESSAGES, "the simulator answers calls of a model only", 404)
        found = self._scripts.get(_key(body["messages"][0]["content"]))
        if found is None:
            return refusal(call.wire, "the simulator has no script that starts with this prompt", 404)
        name, replies = found
        number = sum(message["role"] == "assistant" for message in body["messages"])
        if number >= len(replies):
            return refusal(call.wire, f"the script of {name} has {len(replies)} replies", 404)
        model = call.model or body["model"]
        response = scripted_response(replies[number], model, f"{name} {number}", call, request)
        return HttpResponse(response.status, {**response.headers, "server": SIMULATOR}, response.body)


def _key(content: str | Sequence[Mapping[str, Any]]) -> str:
    """A prompt's text, whatever the shape: a string, blocks of Messages, blocks of Converse."""
    return content if isinstance(content, str) else "\n".join(str(block.get("text", "")) for block in content)
