from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml

from tests.linter.build import BAD, GOOD, URL, USER, body, pair
from toolreplay.linter import FileResult, Totals, check_text
from toolreplay.report.check_report import notes

INVOKE = "https://bedrock-runtime.us-east-1.amazonaws.com/model/{}/invoke"
TEXT = json.dumps(GOOD)


@dataclass(frozen=True)
class Case:
    """The body of a request beside a good one, and what is said of it."""

    id: str
    body: Any
    reason: str = ""
    redacted: int = 0
    requests: int = 1
    url: str = URL
    findings: list[str] = field(default_factory=list)


CASES = [
    Case("good", json.dumps(body(USER)), requests=2),
    Case("bad", json.dumps(BAD), requests=2, findings=["TR101", "TR102"]),
    Case("cut", TEXT[:-1], "the request body is no JSON: Expecting ',' delimiter"),
    Case("null", None, "the request body is empty"),
    Case("the text null", "null", "the request body is empty"),
    Case("empty", "", "the request body is empty"),
    Case("a list", "[]", "the request body is JSON and no object"),
    Case("a string", '"hi"', "the request body is JSON and no object"),
    Case("prose", "hidden treasures are removed from the sea; and so on and on and on", "the request body is no JSON"),
    *(Case(text, text, redacted=1) for text in ("<REDACTED>", '"[FILTERED]"', "***", "<request body removed>", "xxxx")),
    Case("elsewhere", "{", url="https://example.com/v1/chat"),
    Case("of another vendor", "{", url=INVOKE.format("amazon.titan-text-v1")),
    Case("of Claude there", "{", "the request body is no JSON", url=INVOKE.format("anthropic.claude-3")),
    Case("counting", "{", "the request body is no JSON", url=f"{URL}/count_tokens"),
]


def _vcr(*recorded: dict[str, Any]) -> bytes:
    return yaml.safe_dump({"version": 1, "interactions": [*recorded]}).encode()


@pytest.mark.parametrize("form", ["vcrpy", "JSON"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_body_beside_a_good_one(case: Case, form: str) -> None:
    other = pair(case.body, url=case.url)
    data = _vcr(pair(GOOD), other) if form == "vcrpy" else json.dumps([pair(GOOD), other], indent=1).encode()
    report = check_text(data, "a.yaml" if form == "vcrpy" else "a.json")

    told = [(one.line > 9, one.reason[: len(case.reason) + 12]) for one in report.damaged]
    assert told == ([(True, f"exchange 1: {case.reason}")] if case.reason else [])
    assert (report.files, report.requests, report.redacted) == (1, case.requests, case.redacted)
    assert [one.finding.code for one in report.findings] == case.findings


def test_a_body_of_har_in_base64_is_read() -> None:
    post = {"encoding": "base64", "text": base64.b64encode(json.dumps(BAD).encode()).decode()}
    entry = {"request": {"method": "POST", "url": URL, "headers": [], "postData": post}, "response": {"status": 0}}
    report = check_text(json.dumps({"log": {"entries": [entry]}}).encode(), "a.har")

    assert ([one.finding.code for one in report.findings], report.unreadable) == (["TR101", "TR102"], ())


@pytest.mark.parametrize("key", ["1", "1.5", "true", "null", "!!binary eHg=", "[1]", "~", ".inf"])
def test_keys_of_yaml_that_are_no_strings(key: str) -> None:
    told = {"null": "null", "~": "null", "!!binary eHg=": "b'xx'", "[1]": "[1]"}.get(key, key.removeprefix("."))
    text = f"""
model: m
max_tokens: 9
tools: [{{name: t, input_schema: {{type: object, properties: {{? {key} : {{type: string}}}}}}, ? {key} : 1}}]
messages: [{{role: user, content: hi, ? {key} : 2}}]
"""
    report = check_text(text.encode(), "a.yaml")

    paths = [(one.finding.code, one.finding.path) for one in report.findings]
    assert (paths, report.unreadable) == ([("TR207", f"messages[0].{told}"), ("TR207", f"tools[0].{told}")], ())


def test_a_damaged_body_is_told_in_every_text_and_fails_nothing() -> None:
    report = check_text(_vcr(pair(GOOD), pair("{")), "a.yaml")
    (damaged,) = report.damaged
    assert (report.unreadable, report.requests) == ((), 1)
    assert str(damaged.reason).startswith("exchange 1: the request body is no JSON")

    totals = Totals()
    for one in (
        FileResult("a.yaml", files=1, requests=1, damaged=(damaged,)),
        FileResult("b.yaml", damaged=(damaged,) * 11),
    ):
        totals.add(one)
    told = [line for line in notes(totals) if line.startswith("not checked: ")]
    assert told[0] == f"not checked: a.yaml:{damaged.line}: {damaged.reason}"
    assert (len(told), told[-1]) == (11, "not checked: 2 more requests with such bodies")
