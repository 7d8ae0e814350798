"""What is said of recorded traffic that the API took, counted with its reasons: shouting rules are seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.cassette.reading import read_recording
from toolreplay.contract.conversations import Conversations
from toolreplay.contract.finding import Finding
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.model import Reply

from .corpus import CORPUS, MISSING, files

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)

# June 2024: a wrong id, which the API took then and refuses today.
TAKEN_THEN = "anthropic_completion_tools_call_with_tool_result_stream.yaml"
# Its scrubber renamed one half of a pair.
SCRUBBED = "messages_preserve_system_role_after_server_tool_result.yaml"


@dataclass(frozen=True)
class Said:
    code: str
    severity: str
    count: int
    why: str

    def __str__(self) -> str:
        return f"{self.code} {self.severity}"


SAID = [
    Said(
        "TR110",
        "info",
        13,
        "frameworks put the next prompt, an image or a hint behind the results; legal on Messages",
    ),
    Said("TR110", "warning", 19, "the same on Converse, where it depends on the model"),
    Said("TR201", "warning", 1, "one id in two turns, replayed from another provider; answered 200"),
    Said(
        "TR205",
        "warning",
        5,
        "pydantic-ai replays calls of a search tool of its own that is no longer offered",
    ),
    Said("TR304", "warning", 1, "an assistant turn that holds a line break alone"),
    Said("TR307", "warning", 1, "a PNG sent as JPEG, which Claude 3.5 took"),
    Said("TR402", "info", 5, "neighbours of one role, which the first-party API joins"),
    Said("TR402", "warning", 3, "neighbours of one role on Converse with Nova and Titan"),
    Said("TR403", "info", 1, "a history that starts with the assistant"),
    Said("TR404", "warning", 1, "a prefill, with a model that takes it"),
    Said("TR501", "warning", 1, "a follow-up without the tools of its history"),
    Said("TR507", "warning", 3, "hooks that change the tools on purpose, and the follow-up without tools"),
    Said("TR605", "warning", 23, "texts, server tool blocks and structured output left out of the history"),
    Said("TR606", "warning", 3, "two tests in one file that share a call, a document that is fetched anew"),
    Said("TR614", "warning", 2, "a test that sends one request twice to show that it is the same"),
]


@pytest.fixture(scope="module")
def said() -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for path in files():
        if not path.name.endswith((TAKEN_THEN, SCRUBBED)):
            counts.update((finding.code, finding.severity.value) for finding in accepted(path))
    return counts


def accepted(path: Path) -> list[Finding]:
    """The findings on the requests that were answered 200, and on their replies."""
    found: list[Finding] = []
    conversations = Conversations()
    for interaction in read_recording(path).interactions:
        request = read_request(interaction.request)
        if request is None:
            continue
        verdict = conversations.judge(request)
        response = interaction.response
        if response is None or response.status != 200:
            continue
        found += verdict.fresh
        reply = read_response(request, response)
        if isinstance(reply, Reply):
            found += conversations.served(verdict, reply)
    return found


def test_what_is_said_of_accepted_requests(said: Counter[tuple[str, str]]) -> None:
    assert dict(said) == {(one.code, one.severity): one.count for one in SAID}


def test_none_of_it_is_an_error() -> None:
    assert [one for one in SAID if one.severity == "error"] == []
