from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from tests.cli.command import Command, as_process, in_process
from tests.linter.build import BAD, GOOD, body, jsonl, pair

FILES = {
    "good/a.jsonl": jsonl([GOOD, GOOD]),
    "bad/a.jsonl": jsonl([GOOD, BAD]),
    "bad/b.json": json.dumps([pair(BAD)]).encode(),
    "broken/a.jsonl": b"{\n" + jsonl([GOOD]),
    "nothing/a.json": b'{"a": 1}',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.toolreplay]\n")
    for name, data in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return tmp_path


@pytest.fixture
def check(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    call = in_process(root, monkeypatch, capsys)
    return lambda *words: call("check", *words)


@dataclass(frozen=True)
class Case:
    """A command, its exit code, and the codes of the findings by file."""

    id: str
    words: list[str]
    code: int
    found: list[tuple[str, str]] = field(default_factory=list)
    settings: str = ""


ORPHANS = [("bad/a.jsonl", "TR102"), ("bad/b.json", "TR102")]
BOTH = [(file, code) for file, _ in ORPHANS for code in ("TR101", "TR102")]
CASES = [
    Case("good", ["good"], 0),
    Case("bad", ["bad"], 1, BOTH),
    Case("broken", ["broken"], 3),
    Case("nothing", ["nothing"], 3),
    Case("nothing but unrelated files", ["nothing", "--skip-unrelated"], 0),
    Case("a named file that is unrelated", ["nothing/a.json", "--skip-unrelated"], 0),
    Case("bad beats broken", ["broken", "bad"], 1, BOTH),
    Case("the folder it is in", [], 1, BOTH),
    Case("a pattern", ["**/a.jsonl"], 1, BOTH[:2]),
    Case("a file twice", ["bad/a.jsonl", "bad", "bad/*"], 1, BOTH),
    Case("select", ["bad", "--select", "TR102"], 1, ORPHANS),
    Case("select a name", ["bad", "--select", "orphan-tool-result"], 1, ORPHANS),
    Case("ignore", ["bad", "--ignore", "TR101"], 1, ORPHANS),
    Case("ignore a family", ["bad", "--ignore", "TR1"], 0),
    Case("select none of them", ["bad", "--select", "TR3,TR2"], 0),
    Case("jobs", ["--jobs", "2"], 1, BOTH),
    Case("jobs for each core", ["--jobs", "auto", "bad"], 1, BOTH),
    Case("configured", ["bad"], 1, ORPHANS, "ignore = ['TR101']"),
    Case("configured one", ["bad"], 1, ORPHANS, "select = 'TR102'"),
    Case("the command line wins", ["bad", "--ignore", "TR102"], 1, BOTH[::2], "ignore = ['TR101']"),
    Case("a profile", ["bad/b.json", "--profile", "gateway"], 1, BOTH[2:], "profile = 'converse'"),
    Case("a wire that is not the body's", ["bad/a.jsonl", "--wire", "converse"], 1, BOTH[:2]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_found(case: Case, root: Path, check: Command) -> None:
    (root / "pyproject.toml").write_text(f"[tool.toolreplay]\n{case.settings}\n")
    done = check(*case.words, "--format", "json")

    errors = [one for one in json.loads(done.out)["findings"] if one["severity"] == "error"]
    assert [(Path(one["file"]).as_posix(), one["code"]) for one in errors] == case.found
    assert (done.code, done.err) == (case.code, "")


USAGE: list[tuple[list[str], str]] = [
    (["missing"], "missing: no such file or folder"),
    (["*.missing"], "*.missing: no file matches the pattern"),
    (["-", "bad"], "standard input (-) is checked alone; leave out the other paths"),
    (["--jobs", "0"], "--jobs: '0' is no number of processes; write 1 or more, or auto"),
    (["--jobs", "x"], "--jobs: 'x' is no number of processes; write 1 or more, or auto"),
    (["--select", "orphan-tool-results"], "no rule 'orphan-tool-results'; did you mean orphan-tool-result?"),
    (
        ["--baseline", "no.json"],
        "no.json: cannot be read: No such file or directory; write it again with --write-baseline",
    ),
    (["good", "--output", "good"], "--output good: Is a directory; name a file that can be written"),
]


@pytest.mark.parametrize(("words", "message"), USAGE, ids=[" ".join(words) for words, _ in USAGE])
def test_usage(words: list[str], message: str, check: Command) -> None:
    done = check(*words)

    assert (done.code, done.out, done.err) == (2, "", f"toolreplay: {message}\n")


@pytest.mark.parametrize("setting", ["select = 5", "ignore = [5]", "profile = 5", "baseline = []"])
def test_a_setting_of_the_wrong_type(setting: str, root: Path, check: Command) -> None:
    (root / "pyproject.toml").write_text(f"[tool.toolreplay]\n{setting}\n")
    name, _, value = setting.partition(" = ")
    message = f"[tool.toolreplay] {name} is {value}; write a string"

    assert (check("good").code, check("good").err) == (2, f"toolreplay: {root / 'pyproject.toml'}: {message}\n")


def test_a_profile_that_is_configured_and_does_not_exist(root: Path, check: Command) -> None:
    (root / "pyproject.toml").write_text("[tool.toolreplay]\nprofile = 'x'\n")
    message = "profile: 'x' is unknown; choose messages or gateway or converse"

    assert check("good").err == f"toolreplay: {root / 'pyproject.toml'}: {message}\n"


def test_text(check: Command) -> None:
    done = check("bad", "--select", "TR102")

    assert [line.split(": error")[0] for line in done.lines if "error TR" in line] == [
        f"{Path('bad/a.jsonl')}:2: exchange 1, messages[2].content[0]",
        f"{Path('bad/b.json')}:1: exchange 0, messages[2].content[0]",
    ]
    assert done.lines[-1] == "checked 2 files, 3 requests, 2 tool calls: 2 errors, 0 warnings, 0 info"


def test_statistics(check: Command) -> None:
    assert check("bad", "--statistics", "--select", "TR10").lines == [
        "2 error   TR101 unanswered-tool-use",
        "2 error   TR102 orphan-tool-result",
        "checked 2 files, 3 requests, 2 tool calls: 4 errors, 0 warnings, 0 info",
    ]


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        ("json", "{\n"),
        ("sarif", '{\n "$schema"'),
        ("github", "::error file=bad/a.jsonl,line=2,title=TR101 unanswered-tool-use::exchange 1, messages"),
        ("junit", "<?xml version='1.0' encoding='us-ascii'?>\n<testsuite "),
    ],
)
def test_formats_and_their_files(form: str, beginning: str, root: Path, check: Command) -> None:
    printed = check("bad", "--format", form)
    (root / "report").write_text("old")
    written = check("bad", "--format", form, "--output", "report")

    assert printed.out.startswith(beginning)
    assert ((root / "report").read_text(), written.code) == (printed.out, 1)
    assert written.out == "checked 2 files, 3 requests, 2 tool calls: 4 errors, 0 warnings, 0 info\n"


def test_annotations_name_files_from_the_root_of_the_checkout(
    root: Path, check: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(root.parent))

    assert check("bad/b.json", "--format", "github").out.startswith(f"::error file={root.name}/bad/b.json,")


def test_a_baseline(root: Path, check: Command) -> None:
    written = check("bad", "--write-baseline", "known.json")
    assert (written.code, len(json.loads((root / "known.json").read_text())["findings"])) == (0, 4)

    same = check("bad", "--baseline", "known.json")
    assert (same.code, same.lines[-1]) == (
        0,
        "checked 2 files, 3 requests, 2 tool calls: 0 errors, 0 warnings, 0 info; 4 known",
    )
    # The lines move, and a conversation more has the same fault.
    other = body({"role": "user", "content": "And in Bergen?"}, *BAD["messages"][1:])
    (root / "bad/a.jsonl").write_bytes(jsonl([GOOD, {"x": 1}, BAD, GOOD, other]))
    more = check("bad", "--baseline", "known.json", "--format", "json", "--select", "TR102")
    assert (more.code, [one["exchange"] for one in json.loads(more.out)["findings"]]) == (1, [4])
    (root / "bad/a.jsonl").write_bytes(jsonl([{"x": 1}, BAD]))
    (root / "bad/c.json").write_text(json.dumps(BAD))
    (root / "bad/b.json").unlink()
    (root / "pyproject.toml").write_text("[tool.toolreplay]\nbaseline = 'known.json'\n")
    new = check("bad", "--format", "github", "--select", "TR102")
    assert new.code == 1
    assert "file=bad/c.json" in new.out
    assert "file=bad/a.jsonl" not in new.out
    assert "4 findings of the baseline are gone" not in new.out
    assert "3 findings of the baseline are gone; --write-baseline leaves them out" in new.out


def test_a_baseline_is_written_again_from_all_that_is_found(root: Path, check: Command) -> None:
    (root / "pyproject.toml").write_text("[tool.toolreplay]\nbaseline = 'known.json'\n")
    for _ in range(2):
        assert check("bad", "--write-baseline", "known.json").code == 0
        assert len(json.loads((root / "known.json").read_text())["findings"]) == 4


def test_a_baseline_that_cannot_be_written_is_told(check: Command) -> None:
    done = check("bad", "--write-baseline", "good")
    told = "toolreplay: --write-baseline good: Is a directory; name a file that can be written\n"
    assert (done.code, done.err) == (2, told)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_the_project_calls_a_secret_is_found(jobs: str, root: Path, check: Command) -> None:
    (root / "pyproject.toml").write_text("[tool.toolreplay]\nsecrets = ['in Os?lo']\n")
    found = json.loads(check("good", "bad", "--select", "TR9", "--format", "json", "--jobs", jobs).out)["findings"]
    message = "the request body messages[0].content holds what matches 'in Os?lo'"
    files = ["good/a.jsonl", "bad/a.jsonl", "bad/b.json"]
    assert [(one["file"], one["code"], one["message"]) for one in found] == [(file, "TR902", message) for file in files]


OVERWRITING: list[tuple[str, list[str], str]] = [
    ("named", ["bad/b.json"], "bad/b.json"),
    ("in a folder", ["bad"], "bad/b.json"),
    ("by a pattern", ["bad/*"], "bad/b.json"),
    ("through a link", ["bad"], "link.json"),
    ("a log", ["bad"], "bad/a.jsonl"),
    ("one that cannot be read", ["broken"], "broken/a.jsonl"),
]


@pytest.mark.parametrize("option", ["--output", "--write-baseline"])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("kind", "paths", "target"), OVERWRITING, ids=[one[0] for one in OVERWRITING])
def test_what_is_checked_is_not_written_over(
    option: str, jobs: str, kind: str, paths: list[str], target: str, root: Path, check: Command
) -> None:
    (root / "link.json").symlink_to(root / "bad/b.json")
    before = (root / target).read_bytes()
    done = check(*paths, option, target, "--jobs", jobs)

    told = f"toolreplay: {option} {target}: it is one of the files to check; name another\n"
    assert (done.code, done.out, done.err) == (2, "", told)
    assert (root / target).read_bytes() == before


@pytest.mark.parametrize("words", [["--output", "bad/r.json", "--format", "json"], ["--write-baseline", "bad/r.json"]])
def test_the_report_of_yesterday_is_written_over(words: list[str], root: Path, check: Command) -> None:
    codes = [check("bad", *words).code for _ in range(2)]

    assert codes == ([1, 1] if words[0] == "--output" else [0, 0])


@pytest.mark.parametrize("option", ["--baseline", "--write-baseline"])
def test_a_report_is_not_written_over_the_baseline(option: str, root: Path, check: Command) -> None:
    assert check("bad", "--write-baseline", "known.json").code == 0
    done = check("bad", "--output", "./known.json", option, "known.json")
    assert (done.code, done.err) == (2, "toolreplay: --output known.json: it is the baseline; name another file\n")


@pytest.mark.skipif(os.name != "posix", reason="a closed standard input is POSIX's")
def test_a_standard_input_that_is_closed(root: Path) -> None:
    command = f"{sys.executable} -m toolreplay check - <&-"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=root, capture_output=True, check=False, timeout=60)
    told = b"toolreplay: standard input (-) is closed; pipe something into it, or name a file\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", told)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout here")
def test_a_report_goes_into_what_is_open(root: Path) -> None:
    done = as_process(root, "check", "bad", "--statistics", "--output", "/dev/stdout")
    summary = "checked 2 files, 3 requests, 2 tool calls: 4 errors, 0 warnings, 0 info"
    assert (done.code, done.lines[-2:], len(done.lines)) == (1, [summary, summary], 4)


def test_a_report_into_a_pipe_that_is_closed(root: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "toolreplay", "check", "bad", "--output", f"/dev/fd/{writing}"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=60, pass_fds=[writing])
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_baseline_is_not_good_for_files_that_cannot_be_read(check: Command) -> None:
    assert check("broken", "--write-baseline", "known.json").code == 3


@pytest.mark.parametrize("size", [1, 2, 500])
def test_as_many_processes_find_the_same(
    size: int, root: Path, check: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [GOOD, BAD, {"x": 1}, 3] * size
    (root / "bad/long.jsonl").write_bytes(jsonl(entries))
    alone, shared = (check("--format", "json", "--jobs", jobs).out for jobs in ("1", "2"))

    assert alone == shared
    assert json.loads(alone)["requests"] >= 2 * size


def _piped(root: Path, data: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "toolreplay", "check", *words]
    return subprocess.run(command, cwd=root, input=data, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("data", "code", "last"),
    [
        (jsonl([GOOD, BAD]), 1, b"checked 1 file, 2 requests, 1 tool call: 2 errors, 0 warnings, 0 info\n"),
        (
            json.dumps(GOOD, indent=1).encode(),
            0,
            b"checked 1 file, 1 request, 1 tool call: 0 errors, 0 warnings, 0 info\n",
        ),
        (b"", 3, b"checked 0 files, 0 requests, 0 tool calls: 0 errors, 0 warnings, 0 info; 1 unreadable\n"),
    ],
    ids=["log", "body", "nothing"],
)
def test_standard_input(data: bytes, code: int, last: bytes, root: Path) -> None:
    done = _piped(root, data, "-", "--select", "TR10")

    assert (done.returncode, done.stdout.splitlines(keepends=True)[-1], done.stderr) == (code, last, b"")


def test_no_progress_in_a_pipe_and_any_encoding_of_the_terminal(root: Path) -> None:
    odd = root / "bad" / "ü \u2028.json"
    odd.write_text(json.dumps(BAD))
    done = as_process(root, "check", str(odd), PYTHONIOENCODING="ascii")

    assert (done.code, done.err) == (1, "")
    assert "\\xfc \\u2028.json:1: " in done.out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="terminals are POSIX's")
def test_progress_on_a_terminal(root: Path) -> None:
    main, side = os.openpty()
    command = [sys.executable, "-m", "toolreplay", "check", "bad"]
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=side, env=variables) as process:
        out = process.communicate(timeout=60)[0].decode()
    os.close(side)
    shown = os.read(main, 65_536).decode()
    os.close(main)

    assert "bad/b.json" in shown
    assert "bad/a.jsonl:2: " in out
    assert "\x1b" not in out


def test_the_hook_of_pre_commit(check: Command) -> None:
    (hook,) = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    names = ["a.yaml", "b/a.yml.gz", "a.jsonl", "a.har", "a.json.gz"]
    command, name, *options = hook["entry"].split()

    assert [one for one in names if not re.search(hook["files"], one)] == []
    assert not re.search(hook["files"], "a.py")
    assert (command, name) == ("toolreplay", "check")
    assert check(*options, "good/a.jsonl", "nothing/a.json").code == 0
    assert check(*options, "bad/a.jsonl", "nothing/a.json").code == 1


def test_an_output_that_can_be_no_file_is_a_usage_error(root: Path, check: Command) -> None:
    (root / "a.json").write_text("{}")
    (root / "loop").symlink_to(root / "loop")
    for name, reason in (("loop", "Too many levels of symbolic links"), ("n" * 300, "File name too long")):
        done = check("a.json", "--output", name)
        told = f"toolreplay: --output {name}: {reason}; name a file that can be written\n"
        assert (done.code, done.out, done.err) == (2, "", told)


def test_a_path_that_cannot_be_looked_at_is_not_called_missing(check: Command) -> None:
    done = check("n" * 300)
    told = f"toolreplay: {'n' * 300}: cannot be read: File name too long; check the path\n"
    assert (done.code, done.out, done.err) == (2, "", told)
