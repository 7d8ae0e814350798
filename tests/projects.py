"""Projects in a folder of their own, and models behind real HTTP, for tests that play and record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import TypeAdapter

from toolreplay.files.project import Project, find_project
from toolreplay.runner.cast import Cast
from toolreplay.runner.origin import SIMULATOR
from toolreplay.runner.play import play_scenario
from toolreplay.runner.record import record_scenario
from toolreplay.runner.replay import cassette_of
from toolreplay.runner.router import INTERCEPTOR, ROUTER
from toolreplay.runner.run import Run
from toolreplay.runner.script import ScriptSide, scripted_response
from toolreplay.runner.session import Session
from toolreplay.scenario.load import load_file
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.script import Reply
from toolreplay.serve.http import serving
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.refusal import refusal

Json = dict[str, Any]
_SCRIPT: TypeAdapter[tuple[Reply, ...]] = TypeAdapter(tuple[Reply, ...])

MODEL: Final = "claude-sonnet-5-5"
WEATHER: Final[Json] = {
    "name": "get_weather",
    "description": "Current weather of a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "stub": [
        {"when": {"city": "Oslo"}, "return": {"temp_c": 4, "sky": "rain"}},
        {"when": {"city": "Rome"}, "return": {"temp_c": 22, "sky": "sunshine"}},
        {"raise": {"type": "LookupError", "message": "no city of that name"}},
    ],
}


def use(use_id: str, name: str = "get_weather", **fields: object) -> Json:
    """A tool_use block."""
    return {"type": "tool_use", "id": use_id, "name": name, "input": fields}


def asks(*cities: str, first: int = 1) -> Json:
    """A scripted reply that asks for the weather of some cities, under `toolu_1`, `toolu_2` and so on."""
    return {"content": [use(f"toolu_{number}", city=city) for number, city in enumerate(cities, first)]}


def says(text: str = "There you are.") -> Json:
    """A scripted reply of text."""
    return {"text": text}


def weather(**fields: object) -> Json:
    """A scenario about the weather, without a script."""
    return {
        "version": 1,
        "name": "weather",
        "model": MODEL,
        "tools": [WEATHER],
        "conversation": [{"user": "What is the weather?"}],
        **fields,
    }


class ScriptedModel:
    """Answers over HTTP with as many replies as the conversation holds assistant messages.

    Attributes:
        asked: the requests that came, in order.
    """

    def __init__(self, *replies: Json, headers: dict[str, str] | None = None) -> None:
        self.asked: list[HttpRequest] = []
        self._replies = _SCRIPT.validate_python(replies, strict=False)
        self._headers = {"server": SIMULATOR, **(headers or {})}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request)
        number = sum(message["role"] == "assistant" for message in request.json["messages"])
        call = endpoint(request.method, request.url) or endpoint("POST", "/v1/messages")
        assert call is not None
        if number >= len(self._replies):
            return refusal(call.wire, "the model has nothing more to say", 404)
        response = scripted_response(self._replies[number], MODEL, f"reply {number}", call, request)
        return HttpResponse(response.status, {**response.headers, **self._headers}, response.body)


def names(folder: Path) -> list[str]:
    """What stands in a folder."""
    return sorted(path.name for path in folder.iterdir())


@dataclass(frozen=True)
class Place:
    """A project in a folder."""

    root: Path

    @property
    def project(self) -> Project:
        """Its settings."""
        return find_project(self.root)

    def write(self, path: str, text: str) -> Path:
        """Write a file of it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def scenario(self, *documents: Json, path: str = "scenarios/weather.yaml") -> Scenario:
        """Write a scenario file and give its first scenario."""
        file = self.write(path, yaml.safe_dump_all(documents, sort_keys=False))
        return load_file(file, self.root)[0]

    def play(self, scenario: Scenario, loop: Callable[..., object] | str | None = None) -> Run:
        """Play it as the command line does."""
        return play_scenario(scenario, self.project, loop=loop)

    def record(
        self,
        scenario: Scenario,
        answer: Callable[[HttpRequest], HttpResponse],
        loop: Callable[..., object] | str | None = None,
    ) -> Run:
        """Record it from a model behind real HTTP."""
        with serving(answer) as url:
            return record_scenario(scenario, self.project, base_url=url, loop=loop)[0]

    def cassette(self, scenario: Scenario) -> Path:
        """Where its cassette stands."""
        return cassette_of(scenario, self.project)


def place(root: Path, settings: str = "") -> Place:
    """A project in an empty folder."""
    made = Place(root)
    made.write("pyproject.toml", f"[tool.toolreplay]\n{settings}")
    return made


def scripted(name: str, *replies: Json, **fields: object) -> Scenario:
    """A scenario with a script that stands in no file."""
    return Scenario.model_validate(weather(name=name, script=list(replies), **fields))


@contextmanager
def session_of(scenario: Scenario, **options: Any) -> Iterator[Session]:
    """An open session that answers by the scenario's script."""
    session = Session(scenario.name, ScriptSide(scenario, Cast(scenario)), **options)
    with INTERCEPTOR.hold(), ROUTER.opened(session):
        yield session


def outline(run: Run) -> Sequence[tuple[str, str]]:
    """What a run found and what else kept it from passing: codes with severities, outcomes with messages."""
    found = [(one.finding.code, str(one.finding.severity)) for one in run.findings]
    return [*found, *((str(failure.outcome), failure.message) for failure in run.failures)]
