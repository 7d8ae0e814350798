from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command import Command, in_process

CASSETTE = "version: 1\ninteractions: []\n"
PLAYED = """\
version: 1
name: {name}
model: m
max_tokens: 9
conversation: [{{user: Hi}}]
"""
SCRIPTED = PLAYED + "script: [{{text: Hello}}]\n"
STEPS = """\
version: 1
name: {name}
model: m
max_tokens: 9
conversation: [{{user: Hi, script: [{{text: Hello}}]}}]
"""
CONVERSE = PLAYED + "wire: converse\n"
FILES = {
    "scenarios/a.yaml": PLAYED.format(name="one"),
    "scenarios/deep/two.yaml": PLAYED.format(name="one") + "---\n" + PLAYED.format(name="The second"),
    "scenarios/wire.yaml": CONVERSE.format(name="one"),
    "scenarios/scripted.yaml": SCRIPTED.format(name="one"),
    "scenarios/steps.yaml": STEPS.format(name="one"),
    **dict.fromkeys(
        (
            "cassettes/a.yaml",
            "cassettes/a.agents-run.yaml",
            "cassettes/deep/two.one.yaml",
            "cassettes/deep/two.the-second.my-loop.yaml",
            "cassettes/wire.converse.yaml",
        ),
        CASSETTE,
    ),
}
LEFT = [
    "cassettes/a.failed.yml",
    "cassettes/a.json",
    "cassettes/deep/two.gone.yaml",
    "cassettes/scripted.yaml",
    "cassettes/steps.yaml",
    "cassettes/wire.yaml",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.toolreplay]\n")
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def check(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    call = in_process(root, monkeypatch, capsys)
    return lambda *words: call("check", "--orphans", *words)


def _leave(root: Path) -> None:
    for name in LEFT:
        (root / name).write_text(CASSETTE)


def test_none(check: Command) -> None:
    done = check()

    assert (done.code, done.out, done.err) == (0, "5 cassettes: 0 orphans\n", "")


@pytest.mark.parametrize("paths", [[], ["scenarios", "cassettes"]], ids=["configured", "named"])
def test_some(paths: list[str], root: Path, check: Command) -> None:
    _leave(root)
    done = check(*paths)

    fix = "no scenario plays it; delete it, or mend the path or name of its scenario"
    assert done.lines == [*(f"{name}: {fix}" for name in LEFT), "11 cassettes: 6 orphans"]
    assert (done.code, done.err) == (1, "")


def test_as_json(root: Path, check: Command) -> None:
    _leave(root)

    assert json.loads(check("--format", "json").out) == {"cassettes": 11, "orphans": LEFT}


def test_other_folders(root: Path, check: Command) -> None:
    (root / "other").mkdir()
    (root / "other/a.yaml").write_text(CASSETTE)
    done = check("scenarios/deep", "other")

    assert (done.code, done.lines[0].partition(":")[0], done.lines[1]) == (1, "other/a.yaml", "1 cassette: 1 orphan")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scenarios"], "--orphans takes two folders or none; write --orphans SCENARIOS CASSETTES"),
        (["missing", "cassettes"], "missing: no such file or folder"),
        (["--format", "sarif"], "--orphans has no format sarif; write --format text or json"),
    ],
)
def test_usage(words: list[str], message: str, check: Command) -> None:
    done = check(*words)

    assert (done.code, done.out, done.err) == (2, "", f"toolreplay: {message}\n")


def test_no_folder_of_cassettes(root: Path, check: Command) -> None:
    done = check("scenarios", "missing")
    told = f"{root / 'missing'}: no such folder of cassettes; name it: --orphans SCENARIOS CASSETTES"

    assert (done.code, done.err) == (2, f"toolreplay: {told}\n")


def test_a_broken_scenario_hides_what_it_plays(root: Path, check: Command) -> None:
    (root / "scenarios/a.yaml").write_text("version: 1\n")
    done = check()

    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("scenarios/a.yaml:")
    assert done.err.endswith("what a broken scenario plays is not known; mend it first\n")


@pytest.mark.parametrize(
    ("folders", "code", "told"),
    [
        (["scenarios", "{long}"], 3, "{long}: cannot be read: File name too long; mend the path or its permissions"),
        (["scenarios", "loop"], 3, "loop: cannot be read: Too many levels of symbolic links; {mend}"),
        (
            ["loop", "cassettes"],
            2,
            "toolreplay: {root}/loop: cannot be read: Too many levels of symbolic links; {check}",
        ),
    ],
    ids=["long", "loop", "scenarios"],
)
def test_folders_that_cannot_be_looked_into(
    folders: list[str],
    code: int,
    told: str,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (root / "loop").symlink_to(root / "loop")
    words = {"long": "n" * 300, "root": root, "mend": "mend the path or its permissions", "check": "check the path"}
    done = in_process(root, monkeypatch, capsys)("check", "--orphans", *(folder.format(**words) for folder in folders))
    assert (done.code, done.out, done.err) == (code, "", told.format(**words) + "\n")


@pytest.mark.parametrize("mode", [0o000, 0o444], ids=["closed", "names alone"])
def test_a_folder_of_cassettes_that_may_not_be_read_is_not_empty(
    mode: int, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "cassettes").chmod(mode)
    if os.access(root / "cassettes", os.X_OK):
        pytest.skip("this user may look everywhere")
    try:
        done = in_process(root, monkeypatch, capsys)("check", "--orphans")
    finally:
        (root / "cassettes").chmod(0o755)
    assert (done.code, done.out, "cannot be read: Permission denied" in done.err) == (3, "", True)
