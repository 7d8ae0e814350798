"""The cases that were collected from public reports, where they lie beside the repository."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.finding import Finding
from toolreplay.contract.fold import check_request
from toolreplay.wire import converse, messages

from .corpus import SHARED

FOLDER = SHARED / "cases"
CODES = {
    "bad-image-result": {"TR307"},
    "bad-input-schema": {"TR503"},
    "bad-tool-name": {"TR208"},
    "bad-tool-use-id": {"TR202"},
    "cancel-leaves-dangling": {"TR101"},
    "content-after-tool-use": {"TR101"},
    "deferred-result": {"TR101", "TR102"},
    "deferred-server-tool-broken": {"TR108"},
    "duplicate-result": {"TR103"},
    "duplicate-tool-names": {"TR502"},
    "duplicate-tool-use-id": {"TR201"},
    "empty-error-result": {"TR302"},
    "empty-result": {"TR310"},
    "empty-text-block": {"TR304"},
    "exception-kills-loop": {"TR101"},
    "extra-field": {"TR207"},
    "input-not-object": {"TR203"},
    "json-not-object": {"TR309"},
    "missing-result": {"TR101"},
    "mixed-turn": {"TR110"},
    "orphan-result": {"TR102"},
    "poisoned-history": {"TR101"},
    "result-before-call": {"TR101", "TR102"},
    "result-not-first": {"TR104"},
    "results-split": {"TR105"},
    "server-result-without-use": {"TR409"},
    "server-use-without-result": {"TR410"},
    "thinking-dropped": {"TR406"},
    "thinking-left-over": {"TR408"},
    "tools-missing": {"TR501"},
    "trailing-assistant": {"TR404"},
    "trim-breaks-pair": {"TR101", "TR102"},
    "unknown-tool-not-answered": {"TR101"},
    "wrong-result-id": {"TR101", "TR102"},
    "wrong-role": {"TR204"},
}
# The other half of a broken pair, and what else the fault brings with it.
FOLLOWING: dict[str, set[str]] = {
    "split-bedrock": {"TR402"},
    "wrong-id-empty-on-failure": {"TR302"},
}
DISPUTED = {
    "order-deferred-result": (
        "one report of a 400; the same shape without thinking was answered 200 "
        "(pydantic-ai, test_cross_provider_capability_replay), so the rules join the two assistant messages"
    ),
}


@dataclass(frozen=True)
class Reported:
    id: str
    wire: str
    path: str
    request: dict[str, Any]
    expect: dict[str, Any]

    def __str__(self) -> str:
        return self.id

    def findings(self) -> tuple[Finding, ...]:
        if self.wire == "anthropic":
            return check_request(messages.parse_request(self.request))
        model = re.search(r"/model/([^/]+)/", self.path)
        return check_request(converse.parse_request(self.request, model.group(1) if model else None))


def reported(verdict: str) -> list[Reported]:
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        case = Reported(*(raw[key] for key in ("id", "wire", "path", "request", "expect")))
        if case.expect["applies_to"] == "request" and case.expect["verdict"] == verdict:
            found.append(case)
    return found


pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no {FOLDER.name} folder beside the repository")


@pytest.mark.parametrize("case", [case for case in reported("reject") if case.expect["fault"] in CODES], ids=str)
def test_what_the_api_rejects_is_found_at_its_place(case: Reported) -> None:
    where = case.expect["where"]
    codes = CODES[case.expect["fault"]]
    errors = [finding for finding in case.findings() if finding.is_error]
    if case.id in DISPUTED:
        assert errors == [], DISPUTED[case.id]
        return
    assert codes & {finding.code for finding in errors}
    assert any(finding.path.startswith(where) or where.startswith(finding.path) for finding in errors)
    assert {finding.code for finding in errors} <= codes | FOLLOWING.get(case.id, set())


@pytest.mark.parametrize("case", reported("accept"), ids=str)
def test_what_the_api_takes_has_no_error(case: Reported) -> None:
    assert [finding for finding in case.findings() if finding.is_error] == []


@pytest.mark.parametrize("case", reported("warn"), ids=str)
def test_what_is_disputed_is_no_error(case: Reported) -> None:
    findings = case.findings()
    assert [finding for finding in findings if finding.is_error] == []
    if case.expect["fault"] in CODES:
        assert CODES[case.expect["fault"]] & {finding.code for finding in findings}


def test_every_code_is_a_rule() -> None:
    assert {code for codes in CODES.values() for code in codes} <= set(all_rules())
