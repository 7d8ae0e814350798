from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, in_process
from tests.linter.build import BAD, GOOD, body, jsonl, pair
from tests.report.sarif_schema import validated

ODD = "Wetter für Oslo #1 100% [a]+?.json" if os.name == "posix" else "Wetter für Oslo.json"


@pytest.fixture
def sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    call = in_process(tmp_path, monkeypatch, capsys)
    return lambda *words: call("check", "--format", "sarif", *words)


def _places(run: dict[str, Any]) -> list[tuple[str, str, int]]:
    places = [(one["ruleId"], one["locations"][0]["physicalLocation"]) for one in run["results"]]
    return [(rule, place["artifactLocation"]["uri"], place["region"]["startLine"]) for rule, place in places]


def test_no_findings(tmp_path: Path, sarif: Command) -> None:
    (tmp_path / "a.json").write_text(json.dumps([pair(GOOD)]))
    done = sarif("a.json", "--select", "TR1")

    assert (done.code, validated(done.out)["results"]) == (0, [])


def test_many_findings(tmp_path: Path, sarif: Command) -> None:
    bad = [body({"role": "user", "content": f"case {number}"}, *BAD["messages"][1:]) for number in range(2_000)]
    (tmp_path / "a.jsonl").write_bytes(jsonl(bad))
    done = sarif("a.jsonl", "--select", "TR10")
    places = _places(validated(done.out))

    assert done.code == 1
    assert places == [(code, "a.jsonl", line) for line in range(1, 2_001) for code in ("TR101", "TR102")]


def test_names_with_spaces_and_of_any_script(tmp_path: Path, sarif: Command) -> None:
    (tmp_path / "天気 予報").mkdir()
    (tmp_path / "天気 予報" / ODD).write_text(json.dumps([pair(GOOD), pair(BAD)], indent=1))
    done = sarif(".", "--select", "TR102")
    ((rule, uri, line),) = _places(validated(done.out))

    assert rule == "TR102"
    assert line > 1
    assert uri.startswith("%E5%A4%A9%E6%B0%97%20%E4%BA%88%E5%A0%B1/Wetter%20f%C3%BCr%20Oslo")


@pytest.mark.parametrize("output", [[], ["--output", "report.sarif"]], ids=["printed", "written"])
def test_unreadable_files(output: list[str], tmp_path: Path, sarif: Command) -> None:
    (tmp_path / "a b.json").write_text('{"messages": [')
    (tmp_path / "ü.jsonl").write_bytes(b"{\n" + jsonl([BAD]) + b'{"a": 1, "a": 2}\n')
    done = sarif("a b.json", "ü.jsonl", "--select", "TR102", *output)
    run = validated((tmp_path / "report.sarif").read_text(encoding="utf-8") if output else done.out)

    (invocation,) = run["invocations"]
    told = [
        (one["locations"][0]["physicalLocation"], one["message"]["text"])
        for one in invocation["toolExecutionNotifications"]
    ]
    assert (done.code, invocation["executionSuccessful"]) == (1, False)
    assert [(place["artifactLocation"]["uri"], place["region"]["startLine"]) for place, _ in told] == [
        ("a%20b.json", 1),
        ("%C3%BC.jsonl", 1),
        ("%C3%BC.jsonl", 3),
    ]
    assert told[2][1] == "the key 'a' stands twice in one object; remove one"
