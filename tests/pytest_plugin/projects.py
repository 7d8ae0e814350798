"""Projects with scenarios, for pytester. Their loop sends through `urllib`: no run has to import the SDK."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pytest

SCHEMA = "# yaml-language-server: $schema=../schema/scenario.json"
PYPROJECT = '[tool.toolreplay]\nscenarios = ["scenarios"]\n[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'
AGENT = '''\
"""A tool loop, and some that go wrong."""

import json
import os
import signal
import sys
import urllib.error
import urllib.request

import pytest


def ask(body):
    headers = {"content-type": "application/json", "x-api-key": os.environ.get("ANTHROPIC_API_KEY", "none")}
    url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{error.code} {error.read().decode()}") from None


def run(model, max_tokens, tools, messages, functions, keep=lambda results: results):
    while True:
        reply = ask({"model": model, "max_tokens": max_tokens, "tools": tools, "messages": messages})
        messages.append({"role": "assistant", "content": reply["content"]})
        if reply["stop_reason"] != "tool_use":
            return
        results = []
        for block in reply["content"]:
            if block["type"] == "tool_use":
                result = {"type": "tool_result", "tool_use_id": block["id"]}
                try:
                    result["content"] = str(functions[block["name"]](**block["input"]))
                except Exception as error:
                    result |= {"content": str(error), "is_error": True}
                results.append(result)
        messages.append({"role": "user", "content": keep(results)})


def forgetful(model, max_tokens, tools, messages, functions):
    run(model, max_tokens, tools, messages, functions, lambda results: results[:1])


def silent(messages):
    return


def leaving(messages):
    sys.exit("the agent leaves")


def skipping(messages):
    pytest.skip("no agent today")


def interrupted(messages):
    os.kill(os.getpid(), signal.SIGINT)
'''


@dataclass(frozen=True)
class Call:
    """A call that the scripted model asks for."""

    id: str
    city: str


OSLO, ATLANTIS, BERN = Call("toolu_1", "Oslo"), Call("toolu_2", "Atlantis"), Call("toolu_3", "Bern")


def scenario(
    name: str,
    *,
    loop: str = "agent:run",
    calls: Sequence[Call] = (OSLO,),
    stub: Sequence[Mapping[str, object]] = ({"return": "4 degrees"},),
    expect: Mapping[str, object] | None = None,
    scripted: bool = True,
) -> str:
    """A scenario of one prompt whose model asks for the calls, then says `4 degrees`; a document of YAML."""
    tool = {
        "name": "get_weather",
        "description": "Current weather of a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "stub": list(stub),
    }
    fields: dict[str, object] = {
        "version": 1,
        "name": name,
        "model": "claude-sonnet-5-5",
        "loop": loop,
        "tools": [tool],
        "conversation": [
            {"user": "How is the weather?", "expect": expect or {"final_text": {"contains": "4 degrees"}}}
        ],
    }
    if scripted:
        uses = [{"type": "tool_use", "id": one.id, "name": "get_weather", "input": {"city": one.city}} for one in calls]
        fields["script"] = [{"content": uses, "stop_reason": "tool_use"}, {"text": "4 degrees"}]
    return "\n".join(
        (
            SCHEMA,
            *(f"{field}: {json.dumps(value, ensure_ascii=False)}" for field, value in fields.items()),
            "",
        )
    )


class Project:
    """A project folder, and pytest run in it in a process of its own."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pytester = pytester
        self._monkeypatch = monkeypatch
        self.path: Path = pytester.path
        for name in ("CI", "BUILD_NUMBER", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        # Each run is a process: compiled once for all of them, they take half the time.
        monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        self.write("pyproject.toml", PYPROJECT)
        self.write("agent.py", AGENT)

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def remove(self, name: str) -> None:
        """Remove a file of the project."""
        (self.path / name).unlink()

    def environ(self, **variables: str) -> None:
        """Set variables for the runs that follow."""
        for name, value in variables.items():
            self._monkeypatch.setenv(name, value)

    def run(self, *arguments: str, plugins: Sequence[str] = ()) -> pytest.RunResult:
        """Run pytest with this plugin and those named, and no other of the environment."""
        self.environ(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONUTF8="1")
        named = [word for name in ("toolreplay.pytest_plugin", *plugins) for word in ("-p", name)]
        return self._pytester.runpytest_subprocess(*named, *arguments)

    def run_autoloading(self, *arguments: str) -> pytest.RunResult:
        """Run pytest as users do, with every plugin that is installed."""
        self._monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
        return self._pytester.runpytest_subprocess(*arguments)

    def python(self, code: str) -> list[str]:
        """Run a program in the project; the lines it printed."""
        import subprocess
        import sys

        self.environ(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        command = [sys.executable, "-c", code]
        ran = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=True, env=os.environ)
        return ran.stdout.splitlines()


def failure(result: pytest.RunResult) -> list[str]:
    """The lines that the run shows for its only failure, below the headline."""
    start = next(index for index, line in enumerate(result.outlines) if line.startswith("____"))
    rest = result.outlines[start + 1 :]
    end = next(
        index
        for index, line in enumerate(rest)
        if line.startswith(("toolreplay:", "====", "____", "- generated", "-- generated", "--- generated", "----"))
    )
    return rest[:end]


def summary(result: pytest.RunResult) -> str:
    """The plugin's line at the end of a run."""
    return next((line for line in reversed(result.outlines) if line.startswith("toolreplay: ")), "")
