"""What the Anthropic SDK's own tool runner does with tools that return and raise whatever they like (2.14.0)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.loops import sdk_runner
from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.ground import TOOLS, plain_ground

from .play import Loop, codes, fuzzed, played

Json = dict[str, Any]

RUNNERS: Final[Mapping[str, Loop]] = {
    "whole": sdk_runner.whole,
    "without threads": sdk_runner.without_threads,
    "streamed": sdk_runner.streamed,
    "async": sdk_runner.awaited,
    "async and streamed": sdk_runner.awaited_and_streamed,
    "a thread for all prompts": sdk_runner.session,
}
EVERY: Final = frozenset(RUNNERS)


def _case(stub: Json, key: Any = "a", **reply: object) -> Case:
    use = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"key": key}}
    document = {
        "version": 1,
        "name": "runner",
        "model": "claude-sonnet-5-5",
        "max_tokens": 1024,
        "tools": [{**TOOLS[0], "stub": stub}],
        "conversation": [
            {"user": "Go on.", "script": [{"content": [use], **reply}]},
            {"user": "And now?"},
        ],
    }
    return Case(document)


@dataclass(frozen=True)
class Finding:
    """What goes wrong, the rules that say so, and the runners that do it."""

    id: str
    case: Case
    codes: set[str]
    runners: frozenset[str] = EVERY


_KEEP = frozenset({"a thread for all prompts"})
FINDINGS: Final = (
    # Whatever can be iterated is sent as content: of an object its keys, of bytes their numbers.
    Finding("an object", _case({"return": {"value": "mark-1"}}), {"TR301", "TR603"}),
    Finding("bytes", _case({"garbage": "bytes"}), {"TR301"}),
    Finding("a list of objects", _case({"return": [{"value": "mark-1"}]}), {"TR301"}),
    Finding("a list of texts", _case({"return": ["mark-1"]}), {"TR301"}),
    # A list that holds itself cannot be written as JSON: the exception leaves the runner.
    Finding("a list that holds itself", _case({"garbage": "cyclic"}), {"TR609"}),
    # The history keeps what the model asked for, and the tool is given the same objects.
    Finding(
        "a tool changes its input",
        _case({"mutate": True, "return": "mark-1"}, [{"of": "another type"}]),
        {"TR605"},
        frozenset({"without threads"}),
    ),
    # The runner ends quietly after max_tokens; on a thread that goes on, the call stays open.
    Finding("a cut call", _case({"return": "mark-1"}, stop_reason="max_tokens"), {"TR101"}, _KEEP),
    # Nor is anything answered when an interrupt leaves it.
    Finding("an interrupt", _case({"raise": {"type": "KeyboardInterrupt", "message": "mark-1"}}), {"TR101"}, _KEEP),
    # Right: text, what cannot be iterated, failures, and half a surrogate pair.
    Finding("a text", _case({"return": "mark-1"}), set()),
    Finding("a number", _case({"return": 3.5}), set()),
    Finding("a failure", _case({"raise": {"type": "ValueError", "message": "mark-1"}}), set()),
    Finding("a failure without a message", _case({"raise": {"type": "ValueError", "message": ""}}), set()),
    Finding("a StopIteration", _case({"raise": {"type": "StopIteration", "message": "mark-1"}}), set()),
    Finding("half a surrogate pair", _case({"garbage": "surrogate"}), set()),
    Finding("nothing", _case({"garbage": "none"}), set()),
)


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.id)
def test_what_the_runner_does_with_a_tool(finding: Finding) -> None:
    for name, loop in RUNNERS.items():
        told = played(loop, finding.case)
        found = {fault.code for fault in told.faults if fault.is_error}
        assert (name, found, told.trouble) == (name, finding.codes if name in finding.runners else set(), None)


@pytest.mark.parametrize("runner", ["whole", "async and streamed", "a thread for all prompts"])
def test_fuzzing_finds_the_object_that_is_sent_as_its_keys(runner: str) -> None:
    result = fuzzed(RUNNERS[runner], plain_ground(stream="streamed" in runner), examples=50)
    assert codes(result) & {"TR301"} == {"TR301"}
    assert codes(result) <= {"TR101", "TR301", "TR603", "TR605", "TR609"}
