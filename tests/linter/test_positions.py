from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.linter.build import BAD, GOOD, URL, pair
from toolreplay.linter import check_text


@dataclass(frozen=True)
class Case:
    """A file of two exchanges, the second of which is bad; a mark stands where it begins."""

    id: str
    name: str
    text: str


MARK = "\u0007"


def _written(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _marked(*exchanges: dict[str, Any]) -> list[object]:
    return [*exchanges[:-1], MARK, exchanges[-1]]


def _vcr(sent: object) -> dict[str, Any]:
    request = {"method": "POST", "uri": URL, "headers": {}, "body": json.dumps(sent)}
    return {"request": request, "response": {"status": {"code": 200}, "headers": {}, "body": {"string": ""}}}


def _entry(sent: object) -> dict[str, Any]:
    request = {"method": "POST", "url": URL, "headers": [], "postData": {"text": json.dumps(sent)}}
    return {"request": request, "response": {"status": 0}}


def _nock(sent: object) -> dict[str, Any]:
    return {"scope": "https://a:443", "method": "POST", "path": "/v1/messages", "body": sent, "status": 500}


CASES = [
    Case("a list", "a.json", _written(_marked(pair(GOOD), pair(BAD)))),
    Case("vcrpy", "a.json", _written({"version": 1, "interactions": _marked(_vcr(GOOD), _vcr(BAD))})),
    Case("Ruby's, keys in another order", "a.json", _written({"http_interactions": _marked(_vcr(GOOD), _vcr(BAD))})),
    Case(
        "langchain",
        "a.json",
        _written(
            {"responses": [{"status": 200}] * 2, "requests": _marked(_vcr(GOOD)["request"], _vcr(BAD)["request"])}
        ),
    ),
    Case("HAR", "a.har", _written({"log": {"a": ['"\\]}'], "entries": _marked(_entry(GOOD), _entry(BAD))}, "b": {}})),
    Case("nock", "a.json", _written(_marked(_nock(GOOD), _nock(BAD)))),
    Case("bodies", "a.json", _written(_marked(GOOD, BAD))),
    Case("a batch", "a.json", _written({"requests": _marked({"params": GOOD}, {"params": BAD})})),
    Case("a body", "a.json", f"\n\n{json.dumps(MARK)},\n{_written(BAD)}"),
    Case("flow YAML", "a.yaml", _written(_marked(pair(GOOD), pair(BAD)))[:-1] + ",]"),
    Case("bodies in YAML", "a.yaml", f'- {json.dumps(GOOD)}\n"{MARK}",\n- {json.dumps(BAD)}\n'),
]


def _placed(text: str) -> tuple[str, int]:
    """The text without the mark, and the line of what stands behind it."""
    before, _, behind = text.partition('"\\u0007",' if "\\u0007" in text else f'"{MARK}",')
    gap = len(behind) - len(behind.lstrip())
    return before + behind[gap:], before.count("\n") + 1


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_finding_names_the_line_at_which_its_exchange_begins(case: Case, packed: bool) -> None:
    text, line = _placed(case.text)
    data = text.encode()
    report = check_text(gzip.compress(data) if packed else data, f"{case.name}.gz" if packed else case.name)

    errors = [(one.finding.code, one.line) for one in report.findings if one.finding.is_error]
    if case.id == "a body":
        line = 1  # it is the file
    assert (report.unreadable, errors) == ((), [("TR101", line), ("TR102", line)])


def test_a_part_of_a_json_recording_that_makes_no_sense_is_told_with_its_line() -> None:
    broken = pair(GOOD)
    broken["response"]["status_code"] = "ok"
    text, line = _placed(_written(_marked(pair(GOOD), broken)))
    (told,) = check_text(text.encode(), "a.json").unreadable

    assert (told.line, told.reason) == (line, "a response has the status 'ok', not a number")


@pytest.mark.parametrize("kind", ["utf-16", "utf-8-sig"])
def test_lines_of_other_encodings(kind: str) -> None:
    text, line = _placed(_written(_marked(pair(GOOD), pair(BAD))))

    assert {one.line for one in check_text(text.encode(kind), "a.json").findings} == {line}


def test_no_lines_are_looked_for_in_a_clean_file(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def watched(data: bytes, file: str) -> list[int]:
        looked.append(file)
        return []

    monkeypatch.setattr("toolreplay.linter.check.entry_lines", watched)
    assert check_text(json.dumps([pair(GOOD)]).encode(), "good.json").requests == 1
    check_text(json.dumps([pair(BAD)]).encode(), "bad.json")
    assert looked == ["bad.json"]
