from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from toolreplay.contract.finding import Finding, Severity
from toolreplay.errors import UsageError
from toolreplay.linter import FileResult, Located
from toolreplay.linter.baseline import Fingerprint, baseline_text, gather, read_baseline
from toolreplay.linter.result import kind_of

ORPHAN = Finding("TR102", "orphan-tool-result", Severity.ERROR, "messages[2]", "answers toolu_9", "send it.")


def _result(findings: Sequence[Finding], file: str, *, line: int = 1) -> FileResult:
    located = tuple(Located(one, file, line - 1 + number, line + number) for number, one in enumerate(findings))
    return FileResult(file, 1, 1, findings=located, counts=Counter(map(kind_of, findings)))


def _written(path: Path, *results: FileResult) -> None:
    found: Counter[Fingerprint] = Counter()
    assert list(gather(results, path.parent, found)) == list(results)
    path.write_text("".join(baseline_text(found)))


def test_the_file(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    _written(path, _result([ORPHAN, replace(ORPHAN, message="x"), ORPHAN], str(tmp_path / "a" / "b.yaml")))

    entries = json.loads(path.read_text())["findings"]
    place = {"file": "a/b.yaml", "code": "TR102", "path": "messages[2]"}
    # The first digits of the SHA-256 of the messages.
    assert entries == [
        {**place, "digest": "2d711642b726b044", "count": 1},
        {**place, "digest": "73661f31034abd7c", "count": 2},
    ]
    assert path.read_text().splitlines() == [
        "{",
        '  "version": 1,',
        '  "findings": [',
        f"    {json.dumps(entries[0])},",
        f"    {json.dumps(entries[1])}",
        "  ]",
        "}",
    ]
    assert read_baseline(path).gone == 3


def test_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    _written(path)

    assert json.loads(path.read_text()) == {"version": 1, "findings": []}
    assert read_baseline(path).gone == 0


def test_known_findings_are_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "known.json"
    file = str(tmp_path / "a.yaml")
    _written(path, _result([ORPHAN], file), _result([ORPHAN], str(tmp_path / "gone.yaml")))
    monkeypatch.chdir(tmp_path)
    moved = replace(ORPHAN, severity=Severity.WARNING, fix="other words.")
    baseline = read_baseline(Path("known.json"))

    (result,) = baseline.take_out([_result([moved, ORPHAN], "a.yaml", line=70)])

    # Lines, requests and the rule's words may change; a second equal one is new.
    assert (result.known, [one.line for one in result.findings]) == (1, [71])
    assert result.counts == {kind_of(ORPHAN): 1}
    assert baseline.gone == 1


@pytest.mark.parametrize(
    "changed",
    [
        replace(ORPHAN, code="TR103"),
        replace(ORPHAN, path="messages[4]"),
        replace(ORPHAN, message="answers toolu_8"),
    ],
    ids=["code", "path", "message"],
)
def test_another_finding_is_new(changed: Finding, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    file = str(tmp_path / "a.yaml")
    _written(path, _result([ORPHAN], file))

    assert [one.known for one in read_baseline(path).take_out([_result([changed], file)])] == [0]


def test_another_file_is_new(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    _written(path, _result([ORPHAN], str(tmp_path / "a.yaml")))

    assert [one.known for one in read_baseline(path).take_out([_result([ORPHAN], str(tmp_path / "b.yaml"))])] == [0]


def test_it_holds_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "known.json"
    _written(path, _result([ORPHAN], str(tmp_path / "a.yaml")), _result([ORPHAN], "-"))
    for folder, name in ((tmp_path, "a.yaml"), (tmp_path / "sub", str(Path("..", "a.yaml")))):
        monkeypatch.chdir(folder)
        results = [_result([ORPHAN], name), _result([ORPHAN], "-")]
        assert [one.known for one in read_baseline(path).take_out(results)] == [1, 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{", "is no JSON"),
        ("\xff", "is no JSON"),
        ("[]", "baseline version [] is not known"),
        ('{"version": 2}', "baseline version 2 is not known"),
        ('{"version": 1}', "an entry is not what a baseline holds"),
        ('{"version": 1, "findings": 3}', "an entry is not what a baseline holds"),
        ('{"version": 1, "findings": [3]}', "an entry is not what a baseline holds"),
        ('{"version": 1, "findings": [{"file": "a"}]}', "an entry is not what a baseline holds"),
        (
            '{"version": 1, "findings": [{"file": 1, "code": "", "path": "", "digest": "", "count": 1}]}',
            "an entry is not what a baseline holds",
        ),
    ],
)
def test_what_is_no_baseline(text: str | None, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    if text is not None:
        path.write_text(text, encoding="latin-1")
    with pytest.raises(UsageError) as caught:
        read_baseline(path)

    assert str(caught.value) == f"{path}: {reason}; write it again with --write-baseline"


def test_a_file_is_known_by_any_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to("real")
    (tmp_path / "real" / "a.yaml").touch()
    _written(tmp_path / "linked" / "known.json", _result([ORPHAN], str(tmp_path / "real" / "a.yaml")))
    monkeypatch.chdir(tmp_path)

    for file in ("linked/a.yaml", "real/a.yaml", "linked/../real/a.yaml"):
        baseline = read_baseline(Path("real/known.json"))
        assert [one.known for one in baseline.take_out([_result([ORPHAN], file)])] == [1]
    monkeypatch.chdir("linked")
    assert [one.known for one in read_baseline(Path("known.json")).take_out([_result([ORPHAN], "a.yaml")])] == [1]
