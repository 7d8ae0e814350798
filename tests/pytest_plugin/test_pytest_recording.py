from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import anthropic
import pytest
import vcr

from tests.projects import ScriptedModel, says
from toolreplay import vcr_serializer
from toolreplay.serve.http import serving

from .projects import Project

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(find_spec("pytest_recording") is None, reason="pytest-recording is not installed")

RECORDING: Final = "pytest_recording.plugin"
KEY: Final = "sk-" + "ant-api03-" + "Zx9" * 12
CONFTEST: Final = """\
import pytest


@pytest.fixture(scope="module")
def vcr_config():
    return {"serializer": "toolreplay", "match_on": ["method", "uri", "body"]}
"""
# Importing the SDK takes longer than everything else; vcrpy and the serializer do not know the difference.
BY_SDK: Final = """\
import anthropic


def send(body):
    with anthropic.Anthropic(max_retries=0) as client:
        return client.messages.create(**body).to_dict()
"""
BY_HAND: Final = """\
import json
import urllib.request


def send(body):
    headers = {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]}
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as response:
        return json.load(response)
"""
TEST: Final = """\


@pytest.mark.vcr
def test_two():
    prompts = os.environ["PROMPTS"].split(",")
    messages, said = [], []
    for prompt in prompts:
        messages.append({"role": "user", "content": prompt})
        reply = send({"model": "m", "max_tokens": 9, "messages": messages})
        messages.append({"role": "assistant", "content": reply["content"]})
        said += [block["text"] for block in reply["content"]]
    assert said == ["one", "two", "three"][: len(prompts)]
"""


def module(send: str = BY_HAND) -> str:
    return f"import os\n\nimport pytest\n{send}{TEST}"


AFTER: Final = """

def test_without_a_cassette():
    import httpx

    assert httpx.HTTPTransport.handle_request.__module__.startswith("httpx.")
"""
CASSETTE: Final = "cassettes/test_it/test_two.toolreplay"


@dataclass(frozen=True)
class Recorded:
    """A project with a test that asks the model behind real HTTP."""

    project: Project
    model: ScriptedModel

    @property
    def cassette(self) -> Path:
        return self.project.path / CASSETTE

    def run(self, prompts: str, *arguments: str) -> pytest.RunResult:
        self.project.environ(PROMPTS=prompts)
        return self.project.run("test_it.py", *arguments, plugins=(RECORDING,))


@pytest.fixture
def recorded(project: Project) -> Iterator[Recorded]:
    """With a cassette of two turns."""
    project.write("conftest.py", CONFTEST)
    project.write("test_it.py", module())
    model = ScriptedModel(says("one"), says("two"), says("three"))
    with serving(model) as url:
        project.environ(ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY=KEY)
        recorder = vcr.VCR(serializer="toolreplay")
        vcr_serializer.register(recorder)
        # As a run of pytest would; each takes seconds.
        with recorder.use_cassette(str(project.path / CASSETTE)), anthropic.Anthropic() as client:
            first = client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "1"}])
            said: Any = [{"role": "assistant", "content": [block.to_dict() for block in first.content]}]
            asked: Any = [{"role": "user", "content": "1"}, *said, {"role": "user", "content": "2"}]
            client.messages.create(model="m", max_tokens=9, messages=asked)
        yield Recorded(project, model)


def test_a_line_of_configuration_is_enough_to_record_and_to_replay(recorded: Recorded) -> None:
    recorded.cassette.unlink()
    recorded.project.write("test_it.py", module(BY_SDK))
    recorded.run("1,2", "--record-mode=once").assert_outcomes(passed=1)
    text = recorded.cassette.read_text(encoding="utf-8")
    assert (text.count("extends:"), KEY in text, len(recorded.model.asked)) == (1, False, 4)
    recorded.run("1,2").assert_outcomes(passed=1)
    assert (len(recorded.model.asked), recorded.cassette.read_text(encoding="utf-8")) == (4, text)


@dataclass(frozen=True)
class Case:
    """What a mode does to a cassette of two turns when a test asks for three.

    Attributes:
        asked: how many of the requests go out.
    """

    mode: str
    passes: bool
    asked: int
    extends: int


MODES: Final = (
    Case("none", passes=False, asked=0, extends=1),
    Case("once", passes=False, asked=0, extends=1),
    Case("new_episodes", passes=True, asked=1, extends=2),
    Case("all", passes=True, asked=3, extends=2),
    Case("rewrite", passes=True, asked=3, extends=2),
)


@pytest.mark.parametrize("case", MODES, ids=lambda case: case.mode)
def test_every_mode_is_vcrpys(case: Case, recorded: Recorded) -> None:
    before = len(recorded.model.asked)
    result = recorded.run("1,2,3", f"--record-mode={case.mode}")
    result.assert_outcomes(passed=int(case.passes), failed=int(not case.passes))
    assert len(recorded.model.asked) - before == case.asked
    assert recorded.cassette.read_text(encoding="utf-8").count("extends:") == case.extends


def test_a_secret_in_a_prompt_is_an_error_of_the_test_and_the_old_cassette_stays(recorded: Recorded) -> None:
    before = recorded.cassette.read_bytes()
    recorded.project.write("test_it.py", module() + AFTER)
    result = recorded.run(f"1,{KEY}", "--record-mode=new_episodes")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        [f"E *RecordingError: *{CASSETTE}: interaction 2, request body messages[[]2].content *"]
    )
    assert recorded.cassette.read_bytes() == before
    assert KEY not in result.stdout.str()


def test_a_cassette_that_cannot_be_read_is_an_error_that_names_it(recorded: Recorded) -> None:
    recorded.cassette.write_text("interactions: [", encoding="utf-8")
    result = recorded.run("1", "--record-mode=all")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"E *UnreadableError: *{CASSETTE}:2: *"])
    assert recorded.cassette.read_text(encoding="utf-8") == "interactions: ["


def test_further_cassettes_of_a_test_are_read(recorded: Recorded) -> None:
    recorded.cassette.rename(recorded.cassette.with_name("other.yaml"))
    recorded.project.write("test_it.py", module().replace("@pytest.mark.vcr", '@pytest.mark.vcr("other.yaml")'))
    recorded.run("1,2").assert_outcomes(passed=1)


def test_who_does_not_use_it_loads_none_of_it(recorded: Recorded) -> None:
    recorded.project.write("conftest.py", "")
    shown = (
        "\n\ndef test_loaded():\n    import sys\n    assert {} == {name: 1 for name in sys.modules if name in HEAVY}\n"
    )
    heavy = "HEAVY = ('toolreplay.cassette.format', 'toolreplay.cassette.reading', 'toolreplay.contract')\n"
    recorded.project.write("test_it.py", module() + heavy + shown)
    recorded.run("1,2", "--record-mode=once").assert_outcomes(passed=2)
    assert (recorded.project.path / "cassettes/test_it/test_two.yaml").is_file()
