from __future__ import annotations

import json
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

import pytest

from toolreplay.contract.finding import Finding, Severity
from toolreplay.report.junit import runs_junit
from toolreplay.report.printable import printable
from toolreplay.report.run_json import runs_json
from toolreplay.report.run_text import details, headline, summary_line, totals
from toolreplay.runner.run import Call, Failure, Outcome, Run, RunExchange, RunFinding
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import ApiError, Reply, Wire

REQUEST = HttpRequest("POST", "https://api.anthropic.com/v1/messages")
REPLY = Reply(Wire.MESSAGES, "msg_1", "claude-x", (), (), "end_turn")
OVERLOADED = ApiError(529, "overloaded_error", "busy")


def finding(
    index: int = 0, *, code: str = "TR101", severity: Severity = Severity.ERROR, api: str | None = None
) -> Finding:
    name = {"TR101": "unanswered-tool-use", "TR204": "error-text-only", "TR601": "lost-result"}[code]
    return Finding(code, name, severity, f"messages[{index}]", f"toolu_{index} has no result", "send one.", api)


def exchanges(*replies: Reply | ApiError | None) -> tuple[RunExchange, ...]:
    response = HttpResponse(200, {}, b"")
    return tuple(RunExchange(number, 1, REQUEST, response, reply) for number, reply in enumerate(replies, 1))


def run(*findings: RunFinding, failures: tuple[Failure, ...] = (), outcome: Outcome = Outcome.FAIL) -> Run:
    return Run("a.yaml::one", outcome, findings, failures, exchanges(REPLY, REPLY))


UNMET = Failure(Outcome.FAIL, "a.yaml:9", "expected 1 turns, the prompt took 2")
BROKEN = Failure(Outcome.ERROR, "a.yaml:2", "it has no cassette", "record it")
WARNING = finding(7, code="TR204", severity=Severity.WARNING)
API = "messages.2: ids were found without results"


@dataclass(frozen=True)
class Case:
    id: str
    run: Run
    lines: list[str]


CASES = (
    Case("a clean pass", run(outcome=Outcome.PASS), []),
    Case(
        "one finding",
        run(RunFinding(finding(2, api=API), 2)),
        [
            "error TR101 unanswered-tool-use: turn 2, messages[2]",
            "  toolu_2 has no result",
            f"  the API answers 400: {API}",
            "  fix: send one.",
        ],
    ),
    Case(
        "of one rule in one request the first is told in full, wherever the others stand",
        run(
            RunFinding(finding(2, api=API), 2),
            RunFinding(finding(3, code="TR601"), 2),
            RunFinding(finding(4, api=API), 2),
        ),
        [
            "error TR101 unanswered-tool-use: turn 2, messages[2]",
            "  toolu_2 has no result",
            f"  the API answers 400: {API}",
            "  fix: send one.",
            "  also messages[4]: toolu_4 has no result",
            "error TR601 lost-result: turn 2, messages[3]",
            "  toolu_3 has no result",
            "  fix: send one.",
        ],
    ),
    Case(
        "another request is told in full, the API's words once",
        run(RunFinding(finding(2, api=API), 1), RunFinding(finding(2, api=API), 2)),
        [
            "error TR101 unanswered-tool-use: turn 1, messages[2]",
            "  toolu_2 has no result",
            f"  the API answers 400: {API}",
            "  fix: send one.",
            "error TR101 unanswered-tool-use: turn 2, messages[2]",
            "  toolu_2 has no result",
            "  fix: send one.",
        ],
    ),
    Case(
        "a finding on the whole run has no turn",
        run(RunFinding(replace(finding(3, code="TR601"), path=""), None)),
        ["error TR601 lost-result", "  toolu_3 has no result", "  fix: send one."],
    ),
    Case(
        "a turn is not a request where one was refused or tried again",
        replace(run(RunFinding(finding(2), 3)), exchanges=exchanges(REPLY, OVERLOADED, None)),
        [
            "error TR101 unanswered-tool-use: turn 2, request 3, messages[2]",
            "  toolu_2 has no result",
            "  fix: send one.",
        ],
    ),
    Case(
        "the harness first, then what failed, then what did not",
        run(RunFinding(WARNING, 1), RunFinding(finding(2), 2), failures=(UNMET, BROKEN)),
        [
            "a.yaml:2: it has no cassette",
            "  fix: record it",
            "error TR101 unanswered-tool-use: turn 2, messages[2]",
            "  toolu_2 has no result",
            "  fix: send one.",
            "a.yaml:9: expected 1 turns, the prompt took 2",
            "warning TR204 error-text-only: turn 1, messages[7]",
            "  toolu_7 has no result",
            "  fix: send one.",
        ],
    ),
    Case(
        "a message of several lines, and one that names its place itself",
        run(
            failures=(
                Failure(Outcome.FAIL, "turn 2", "expected\n a\n b"),
                Failure(Outcome.FAIL, "a.yaml", "a.yaml:3: x"),
            )
        ),
        ["turn 2: expected", "  a", "  b", "a.yaml:3: x"],
    ),
    Case("no message", run(failures=(Failure(Outcome.FAIL, "", ""),)), [""]),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_details(case: Case) -> None:
    assert details(case.run) == case.lines


def test_details_are_bounded() -> None:
    many = run(*(RunFinding(finding(number), number) for number in range(1, 30)))
    for most in (25, 24):
        lines = details(many, most=most)
        assert len(lines) == most
        assert lines[-1] == f"... {29 * 3 - most + 1} more lines; toolreplay run --format json shows all"
    assert len(details(run(*(RunFinding(finding(number), number) for number in range(1, 9))))) == 24


def test_lines_are_bounded_and_plain() -> None:
    hostile = replace(
        finding(), message="\x1b[31mred\x07 \u202eright to left\r\n" + "x" * 10_000, path="messages[0].\x1b"
    )
    lines = details(run(RunFinding(hostile, 1), failures=(replace(UNMET, message="\x9b\x00", where="\x1b:1"),)))
    assert all(line.isprintable() and len(line) <= 402 for line in lines)
    assert lines[1].startswith(r"  \x1b[31mred\x07 \u202eright to left xxx")


@dataclass(frozen=True)
class Text:
    id: str
    text: str
    shown: str


TEXTS = (
    Text("plain", "plain text", "plain text"),
    Text("other scripts", "Größe 測試 עברית हिन्दी", "Größe 測試 עברית हिन्दी"),
    Text("joined emoji", "👩\u200d💻 🌧\ufe0f", "👩\u200d💻 🌧\ufe0f"),
    Text("wide space", "a\u3000b\u00a0c", "a\u3000b\u00a0c"),
    Text("escapes", "\x1b[2J\x07\x00\x7f\x9b", r"\x1b[2J\x07\x00\x7f\x9b"),
    Text("lines", "a\nb\r\tc\u2028d\x85", r"a\nb\r\tc\u2028d\x85"),
    Text("direction", "\u202eexe.txt\u2066\u200f", r"\u202eexe.txt\u2066\u200f"),
    Text("invisible", "a\u200bb\ufeff\u00ad", r"a\u200bb\ufeff\xad"),
    Text("half a pair", "\ud83d", r"\ud83d"),
)


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.id)
def test_printable(case: Text) -> None:
    assert printable(case.text) == case.shown


@dataclass(frozen=True)
class Headline:
    id: str
    run: Run
    line: str


HEADLINES = (
    Headline("a clean pass", run(outcome=Outcome.PASS), ""),
    Headline(
        "a broken rule",
        run(RunFinding(WARNING, 1), RunFinding(finding(2), 2)),
        "TR101 unanswered-tool-use: toolu_2 has no result",
    ),
    Headline("an expectation", run(failures=(UNMET,)), "a.yaml:9: expected 1 turns, the prompt took 2"),
    Headline(
        "the harness",
        run(RunFinding(finding(2), 2), failures=(UNMET, BROKEN)),
        "a.yaml:2: it has no cassette",
    ),
)


@pytest.mark.parametrize("case", HEADLINES, ids=lambda case: case.id)
def test_headline(case: Headline) -> None:
    assert headline(case.run) == case.line


CALL = Call("toolu_1", "get_weather", {}, True, None, 1)
PASSED = replace(run(outcome=Outcome.PASS), calls=(CALL,), seconds=0.25)
SKIPPED = Run("b.yaml::two", Outcome.SKIP, failures=(Failure(Outcome.SKIP, "", "boto3 is not installed"),))
HOSTILE = Run("c\x1b.yaml::\ud800\ufffe <&>", Outcome.ERROR, failures=(Failure(Outcome.ERROR, "", "\x1b]]>\x00"),))
ALL = (PASSED, run(RunFinding(finding(2), 2)), SKIPPED, HOSTILE, Run("d.yaml::three", Outcome.STALE))


def test_summary_line_and_totals() -> None:
    assert summary_line(PASSED) == "PASS  a.yaml::one  (2 turns, 1 call, 2 requests checked, 0.25 s)"
    assert "\x1b" not in summary_line(HOSTILE)
    assert totals(ALL) == "5 scenarios: 1 PASS, 1 FAIL, 1 STALE, 1 SKIP, 1 ERROR; 4 requests checked, 1 tool call"
    assert totals((PASSED,)) == "1 scenario: 1 PASS; 2 requests checked, 1 tool call"


def test_json() -> None:
    data = json.loads(json.dumps(runs_json((PASSED, run(RunFinding(finding(2, api=API), 2), failures=(BROKEN,))))))
    broken = {
        "code": "TR101",
        "name": "unanswered-tool-use",
        "severity": "error",
        "path": "messages[2]",
        "message": "toolu_2 has no result",
        "fix": "send one.",
        "api": API,
        "request": 2,
    }
    failed = {"outcome": "ERROR", "where": "a.yaml:2", "message": "it has no cassette", "fix": "record it"}
    common = {"id": "a.yaml::one", "turns": 2, "requests": 2, "notes": []}
    assert data == {
        "scenarios": [
            {**common, "outcome": "PASS", "tool_calls": 1, "findings": [], "failures": [], "seconds": 0.25},
            {
                **common,
                "outcome": "FAIL",
                "tool_calls": 0,
                "findings": [broken],
                "failures": [failed],
                "seconds": 0.0,
            },
        ],
        "counts": {"pass": 1, "fail": 1, "stale": 0, "skip": 0, "error": 0},
    }


def test_junit() -> None:
    text = runs_junit(ALL)
    suite = ET.fromstring(text)
    assert text.isascii()
    assert suite.attrib == {
        "name": "toolreplay", "tests": "5", "failures": "2", "errors": "1", "skipped": "1", "time": "0.250",
    }  # fmt: skip
    passed, failed, skipped, hostile, stale = suite.iter("testcase")
    assert (passed.get("classname"), passed.get("name"), passed.get("time")) == ("a.yaml", "one", "0.250")
    assert [child.tag for child in passed] == ["properties"]
    assert {one.get("name"): one.get("value") for one in passed.iter("property")} == {
        "toolreplay_outcome": "PASS",
        "toolreplay_requests": "2",
        "toolreplay_tool_calls": "1",
        "toolreplay_findings": "0",
    }
    failure, skip, error = failed.find("failure"), skipped.find("skipped"), hostile.find("error")
    assert failure is not None
    assert skip is not None
    assert error is not None
    assert failure.get("message") == "FAIL: TR101 unanswered-tool-use: toolu_2 has no result"
    assert failure.text == "\n".join(details(ALL[1]))
    assert skip.get("message") == "SKIP: boto3 is not installed"
    assert error.text == r"\x1b]]>\x00"
    assert hostile.get("name") == r"\ud800\ufffe <&>"
    assert stale.find("failure") is not None
