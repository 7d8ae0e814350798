from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.linter.build import BAD, GOOD, LOST, USER, body, calls, pair, reply, results
from toolreplay.contract.finding import Profile
from toolreplay.linter import Report, Unreadable, check_file, check_paths, check_text
from toolreplay.linter.entries import wire_of
from toolreplay.wire.model import Wire


@dataclass(frozen=True)
class Case:
    id: str
    content: object
    findings: list[tuple[str, int, str]] = field(default_factory=list)
    requests: int = 1
    tool_uses: int = 0
    name: str = "a.json"


def _converse(**result: object) -> dict[str, Any]:
    use = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
    return {
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]},
        "messages": [
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "content": [use]},
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "4"}], **result}}],
            },
        ],
    }


BAD_FOUND = [("TR101", 0, "messages[1].content[0]"), ("TR102", 0, "messages[2].content[0]")]
THREAD = {"type": "create"}
CONTINUE = {"type": "continue", "previous_message_id": "msg_1"}


def _continue(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": list(messages), "thread": CONTINUE}


CASES = [
    Case("good", GOOD, tool_uses=1),
    Case("bad", BAD, BAD_FOUND, tool_uses=1),
    Case("recording", [pair(GOOD), pair(BAD)], [(code, 1, path) for code, _, path in BAD_FOUND], 2, 1),
    Case("refused-requests-are-judged-alike", [pair(BAD, status=400)], BAD_FOUND, tool_uses=1),
    Case(
        "other-interactions-count-in-the-index",
        [pair({}, url="https://example.com/"), pair(BAD)],
        [(code, 1, path) for code, _, path in BAD_FOUND],
        tool_uses=1,
    ),
    Case(
        "a-fault-that-stays-is-reported-once",
        [
            pair(LOST),
            pair(LOST),
            pair(body(*LOST["messages"], {"role": "assistant", "content": "4"}, USER)),
        ],
        [("TR101", 0, "messages[1].content[1]")],
        3,
        2,
    ),
    Case(
        "two-conversations",
        [pair(LOST), pair(body({"role": "user", "content": "Oslo again"}, *LOST["messages"][1:]))],
        [("TR101", 0, "messages[1].content[1]"), ("TR101", 1, "messages[1].content[1]")],
        2,
        2,
    ),
    Case(
        "thread",
        [
            pair(body(USER, thread=THREAD), reply(calls("toolu_1"))),
            pair(_continue(results("toolu_1")), reply(calls("toolu_2"), 2)),
        ],
        [],
        2,
        2,
    ),
    Case(
        "thread-with-a-wrong-id",
        [
            pair(body(USER, thread=THREAD), reply(calls("toolu_1"))),
            pair(_continue(results("toolu_1", "toolu_9")), reply({"content": []}, 2)),
        ],
        [("TR102", 1, "messages[0].content[1]")],
        2,
        1,
    ),
    Case("thread-of-another-file", [pair(_continue(results("toolu_1")))]),
    Case(
        "thread-of-another-file-with-a-fault-of-its-own",
        [pair(_continue({"role": "user", "content": [{**results("toolu_1")["content"][0], "content": 7}]}))],
        [("TR301", 0, "messages[0].content[0].content")],
    ),
    Case("converse", _converse(), tool_uses=1),
    Case("converse-bad", _converse(toolUseId="t2"), BAD_FOUND, tool_uses=1),
    Case("wrapped", {"request": BAD, "note": "x"}, BAD_FOUND, tool_uses=1),
    Case("log", [GOOD, BAD], [(code, 1, path) for code, _, path in BAD_FOUND], 2, 1, "a.jsonl"),
    Case(
        "log-of-pairs",
        [pair(GOOD), {"other": 1}, pair(BAD)],
        [(code, 2, path) for code, _, path in BAD_FOUND],
        2,
        1,
        "a.jsonl",
    ),
    Case("batch", [{"custom_id": "x", "params": BAD}], BAD_FOUND, 1, 1, "a.jsonl"),
    Case(
        "calls-without-an-id",
        body(USER, {"role": "assistant", "content": [{"type": "tool_use", "name": "f"}] * 2}),
        tool_uses=2,
    ),
]


def _text(case: Case) -> bytes:
    if case.name.endswith(".jsonl"):
        assert isinstance(case.content, list)
        return "\n".join(json.dumps(line) for line in case.content).encode()
    return json.dumps(case.content).encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_check(case: Case) -> None:
    result = check_text(_text(case), case.name)

    # The families that a good conversation in these tests says nothing about.
    found = [
        (located.finding.code, located.exchange, located.finding.path)
        for located in result.findings
        if located.finding.is_error and case.id != "calls-without-an-id"
    ]
    assert (found, result.requests, result.tool_uses) == (case.findings, case.requests, case.tool_uses)
    assert (result.files, result.unreadable) == (1, ())
    assert {located.file for located in result.findings} <= {case.name}


def test_the_profile_can_be_chosen() -> None:
    split = body(USER, calls("toolu_1", "toolu_2"), results("toolu_1"), results("toolu_2"))
    data = json.dumps(split).encode()

    def errors(profile: Profile | None) -> bool:
        return any(located.finding.is_error for located in check_text(data, "a", profile=profile).findings)

    assert (errors(None), errors(Profile.GATEWAY)) == (False, True)


def test_the_wire_can_be_chosen() -> None:
    asked = json.dumps({"messages": [USER, USER]}).encode()
    wires = (None, Wire.MESSAGES, Wire.CONVERSE)

    found = [[one.finding.severity.value for one in check_text(asked, "a", wire=wire).findings] for wire in wires]
    assert found == [["info"], ["info"], ["warning"]], "of roles that do not alternate"
    # Where the shape tells, it wins: else a slip of the user would make of all errors none.
    assert [check_text(json.dumps(BAD).encode(), "a", wire=wire).tool_uses for wire in wires] == [1, 1, 1]


WIRES: list[tuple[dict[str, Any], Wire | None]] = [
    ({"messages": []}, None),
    ({"messages": [USER]}, None),
    ({"messages": [USER], "max_tokens": 9}, Wire.MESSAGES),
    ({"messages": [USER], "modelId": "m"}, Wire.CONVERSE),
    (BAD, Wire.MESSAGES),
    ({"messages": [{"role": "user", "content": [3, {"text": "hi"}]}]}, Wire.CONVERSE),
    ({"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}, Wire.MESSAGES),
    ({"messages": [], "inferenceConfig": {}}, Wire.CONVERSE),
    (_converse(), Wire.CONVERSE),
]


@pytest.mark.parametrize(("sent", "expected"), WIRES)
def test_the_wire_is_told_from_the_shape(sent: dict[str, Any], expected: Wire | None) -> None:
    assert wire_of(sent) is expected


SCENARIO = "version: 1\nname: x\nconversation: []\n"


def _tree(root: Path) -> None:
    files: dict[str, str | bytes] = {
        "a/good.json": json.dumps([pair(GOOD)]),
        "a/bad.yaml.gz": gzip.compress(json.dumps([pair(BAD)]).encode()),
        "a/scenario.yaml": SCENARIO,
        "a/package.json": '{"name": "x"}',
        "a/texts.json": '{"messages": [{"code": "E1", "text": "no"}]}',
        "a/chat.json": json.dumps({"messages": [USER, {"role": "tool", "tool_call_id": "1", "content": "4"}]}),
        "a/broken.yml": "interactions: [\n",
        "a/notes.txt": "interactions: [",
        "a/.hidden/bad.json": json.dumps([pair(BAD)]),
        "a/node_modules/bad.json": json.dumps([pair(BAD)]),
        "b.har": json.dumps({"log": {"entries": []}}),
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("jobs", [1, 2])
def test_folders(tmp_path: Path, jobs: int) -> None:
    _tree(tmp_path)
    done: list[str] = []
    report = check_paths([tmp_path, tmp_path / "b.har"], jobs=jobs, on_file=done.append)

    inside = [
        "bad.yaml.gz",
        "broken.yml",
        "chat.json",
        "good.json",
        "package.json",
        "scenario.yaml",
        "texts.json",
    ]
    names = ["b.har", *(f"a/{name}" for name in inside)]
    assert done == [str(tmp_path / name) for name in names]
    assert (report.files, report.requests, report.tool_uses) == (3, 2, 2)
    assert {located.file for located in report.findings if located.finding.is_error} == {
        str(tmp_path / "a/bad.yaml.gz")
    }
    reason = "while parsing a flow node did not find expected node content"
    assert report.unreadable == (Unreadable(str(tmp_path / "a/broken.yml"), 2, reason),)


@dataclass(frozen=True)
class Named:
    id: str
    content: str | None
    line: int
    reason: str
    name: str = "a.yaml"
    files: int = 0


UNKNOWN = "holds no recorded exchanges in a format that toolreplay knows"
NAMED = [
    Named("scenario", SCENARIO, 1, UNKNOWN),
    Named("another-vendor", '{"messages": [{"tool_calls": []}]}', 1, UNKNOWN, "a.json"),
    Named("empty", "", 1, "the file is empty"),
    Named("missing", None, 1, "cannot be read: No such file or directory"),
    Named(
        "log-without-requests",
        '{"a": 1}\n',
        1,
        "holds no recorded exchanges and no request bodies",
        "a.jsonl",
    ),
    Named(
        "log-with-a-broken-line",
        '{"messages": []}\n\n{"messa\n',
        3,
        "is no JSON: Unterminated string starting at",
        "a.jsonl",
        files=1,
    ),
]


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case.id)
def test_a_file_that_was_named_must_be_a_recording(case: Named, tmp_path: Path) -> None:
    path = tmp_path / case.name
    if case.content is not None:
        path.write_text(case.content)

    unreadable = (Unreadable(str(path), case.line, case.reason),)
    assert check_file(path) == Report(case.files, case.files, 0, (), unreadable)
