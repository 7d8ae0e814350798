from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.command import Command
from tests.projects import Place, names

ROOT: Final = Path(__file__).resolve().parents[2]
CASSETTE: Final = ROOT / "cassettes" / "calls" / "one_call.yaml"
PAIR: Final[dict[str, Any]] = {
    "request": {"method": "GET", "uri": "https://example.org/", "headers": {}, "body": None},
    "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "hi"}},
}
PLAIN: Final = yaml.safe_dump({"version": 1, "interactions": [PAIR, PAIR]})


@dataclass(frozen=True)
class Case:
    id: str
    words: tuple[str, ...]
    printed: str
    files: tuple[str, ...]


CASES: Final = (
    Case(
        "beside", ("a.yaml", "--to", "toolreplay"), "a.yaml -> a.toolreplay  (2 exchanges, N -> N)", ("a.toolreplay",)
    ),
    Case("from JSON", ("b.json", "--to", "vcr"), "b.json -> b.yaml  (1 exchange, N -> N)", ("b.yaml",)),
    Case("to a file", ("a.yaml", "--to", "vcr", "--output", "x"), "a.yaml -> x  (2 exchanges, N -> N)", ("x",)),
    Case(
        "to a folder that is made",
        ("a.yaml", "b.json", "--to", "vcr", "--output", "x/"),
        "a.yaml -> x/a.vcr.yaml  (2 exchanges, N -> N)\nb.json -> x/b.yaml  (1 exchange, N -> N)",
        ("x/a.vcr.yaml", "x/b.yaml"),
    ),
    Case("in place", ("a.yaml", "--to", "toolreplay", "--output", "a.yaml"), "a.yaml -> a.yaml  (2 ", ("a.yaml",)),
    Case("over another", ("a.yaml", "--to", "toolreplay", "--force"), "a.yaml -> a.toolreplay  (2 ", ("a.toolreplay",)),
    Case(
        "without a response",
        ("c.json", "--to", "toolreplay"),
        "c.json -> c.toolreplay  (1 exchange, N -> N; left out, without a response: 1)",
        ("c.toolreplay",),
    ),
)


@pytest.fixture
def files(here: Place) -> Place:
    """A project with recordings of two exchanges, of one, and of one with another that was never answered."""
    here.write("a.yaml", PLAIN)
    here.write("b.json", json.dumps([PAIR]))
    here.write("c.json", json.dumps([PAIR, {"request": PAIR["request"]}]))
    return here


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_line_for_each_file(case: Case, files: Place, toolreplay: Command) -> None:
    if "--force" in case.words:
        files.write("a.toolreplay", "old")
    done = toolreplay("convert", *case.words)
    shown = re.sub(r"\d+\.\d [kM]B", "N", done.out.strip())
    assert (done.code, done.err, shown[: len(case.printed)]) == (0, "", case.printed)
    assert all("interactions:" in (files.root / file).read_text() for file in case.files)
    if "a.yaml" not in case.files:
        assert (files.root / "a.yaml").read_text() == PLAIN


def test_sizes_are_those_of_the_files(files: Place, toolreplay: Command) -> None:
    done = toolreplay("convert", str(CASSETTE), "--to", "vcr", "--output", "x.yaml")
    sizes = [path.stat().st_size / 1000 for path in (CASSETTE, files.root / "x.yaml")]
    assert done.out.endswith(f", {sizes[0]:.1f} kB -> {sizes[1]:.1f} kB)\n")


def test_what_stands_there_is_not_replaced_unasked_and_the_rest_is_converted(files: Place, toolreplay: Command) -> None:
    files.write("a.toolreplay", "old")
    files.write("d.yaml", "interactions: [")
    done = toolreplay("convert", "a.yaml", "d.yaml", "gone.yaml", "b.json", "--to", "toolreplay")
    assert (done.code, len(done.lines)) == (3, 1)
    assert done.err.splitlines() == [
        "a.toolreplay: exists already; replace it with --force, or name another with --output",
        "d.yaml:2: while parsing a flow node did not find expected node content",
        "gone.yaml:1: cannot be read: No such file or directory",
    ]
    assert (files.root / "a.toolreplay").read_text() == "old"
    assert "d.toolreplay" not in names(files.root)


@pytest.mark.parametrize("folder", ["x", "x/", "./x"])
def test_naming_a_folder_replaces_nothing_that_stands_in_it(folder: str, files: Place, toolreplay: Command) -> None:
    files.write("x/b.yaml", "old")
    words = ("convert", "b.json", "--to", "vcr", "--output", folder)
    done = toolreplay(*words)
    told = "x/b.yaml: exists already; replace it with --force, or name another with --output\n"
    assert (done.code, done.out, done.err) == (3, "", told)
    assert (files.root / "x" / "b.yaml").read_text() == "old"
    assert toolreplay(*words, "--force").code == 0
    assert "interactions:" in (files.root / "x" / "b.yaml").read_text()


LONG: Final = "n" * 300
ODD: Final = {
    "a folder": ((".",), ".:1: cannot be read: Is a directory"),
    "a folder without a name": (("/",), "/:1: cannot be read: Is a directory"),
    "no name": (("",), ".:1: cannot be read: Is a directory"),
    "a link that leads to itself": (("loop",), "loop:1: cannot be read: Too many levels of symbolic links"),
    "a name that is too long": ((LONG,), f"{LONG}:1: cannot be read: File name too long"),
    "to such a link": (
        ("b.json", "--output", "loop"),
        "loop: cannot be written: Too many levels of symbolic links; nothing was replaced",
    ),
    "to such a name": (
        ("b.json", "--output", LONG),
        f"{LONG}: cannot be written: File name too long; nothing was replaced",
    ),
}


@pytest.mark.parametrize(("words", "message"), ODD.values(), ids=ODD)
def test_a_path_that_leads_nowhere_is_told_in_one_line(
    words: tuple[str, ...], message: str, files: Place, toolreplay: Command
) -> None:
    (files.root / "loop").symlink_to("loop")
    before = names(files.root)
    done = toolreplay("convert", *words, "--to", "vcr")
    assert (done.code, done.out, done.err) == (3, "", f"{message}\n")
    assert names(files.root) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_entered(files: Place, toolreplay: Command) -> None:
    (files.root / "shut").mkdir(mode=0)
    done = toolreplay("convert", "b.json", "--to", "vcr", "--output", "shut/x.yaml")
    assert (done.code, done.err) == (3, "shut/x.yaml: cannot be written: Permission denied; nothing was replaced\n")
    (files.root / "shut").chmod(0o755)


def test_what_cannot_be_converted_in_place_stays(files: Place, toolreplay: Command) -> None:
    key = "sk-" + "ant-api03-" + "Zx9" * 12
    text = PLAIN.replace("hi", key)
    files.write("a.yaml", text)
    done = toolreplay("convert", "a.yaml", "--to", "toolreplay", "--output", "a.yaml")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("a.yaml: interaction 0, response body holds an Anthropic API key; ")
    assert (files.root / "a.yaml").read_text() == text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a.yaml",), "the following arguments are required: --to"),
        (("a.yaml", "--to", "har"), "invalid choice: 'har'"),
        (
            ("a.yaml", "b.json", "--to", "vcr", "--output", "x.yaml"),
            "toolreplay: --output x.yaml: several files need a folder; name one that exists, or end it with /",
        ),
        (
            ("a.yaml", "--to", "vcr", "--output", ""),
            "toolreplay: --output is empty; name a file, or a folder such as ./",
        ),
        (
            ("a.yaml", "a.toolreplay", "--to", "toolreplay", "--force"),
            (
                "toolreplay: a.yaml: would be written to a.toolreplay, which is one of the files to convert; "
                "name another place with --output"
            ),
        ),
        (
            ("a.yaml", "a.json", "--to", "toolreplay"),
            ("toolreplay: a.json: a.yaml is written to a.toolreplay too; convert them one by one, with --output"),
        ),
    ],
    ids=[
        "no format",
        "another format",
        "one place for two",
        "no place",
        "over another that is read",
        "the same place for two",
    ],
)
def test_a_wrong_use(words: tuple[str, ...], message: str, files: Place, toolreplay: Command) -> None:
    before = names(files.root)
    done = toolreplay("convert", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert names(files.root) == before


@pytest.mark.parametrize(
    ("words", "link", "target"),
    [
        (("b.json", "b.toolreplay", "--to", "toolreplay", "--output", "same/"), ("same", "."), "same/b.toolreplay"),
        (("b.json", "--to", "toolreplay", "--force"), ("b.toolreplay", "b.json"), "b.toolreplay"),
    ],
    ids=["the folder is a link", "the target is a link"],
)
def test_what_is_read_is_not_written_over_by_a_link(
    words: tuple[str, ...], link: tuple[str, str], target: str, files: Place, toolreplay: Command
) -> None:
    (files.root / link[0]).symlink_to(link[1])
    before = (files.root / "b.json").read_text()
    done = toolreplay("convert", *words)
    what = f"b.json: would be written to {target}, which is one of the files to convert"
    assert (done.code, done.err) == (2, f"toolreplay: {what}; name another place with --output\n")
    assert (files.root / "b.json").read_text() == before


def test_what_the_project_calls_a_secret_is_not_written(files: Place, toolreplay: Command) -> None:
    files.write("pyproject.toml", "[tool.toolreplay]\nsecrets = ['h+i']\n")
    done = toolreplay("convert", "b.json", "--to", "vcr")
    assert (done.code, done.out, "b.yaml" in names(files.root)) == (3, "", False)
    assert done.err.startswith("b.json: interaction 0, response body holds what matches 'h+i'; ")


def test_a_cassette_of_a_scenario_plays_after_it_was_there_and_back(files: Place, toolreplay: Command) -> None:
    for name in ("scenarios/calls/one_call.yaml", "cassettes/calls/one_call.yaml"):
        files.write(name, (ROOT / name).read_text(encoding="utf-8"))
    own = "cassettes/calls/one_call.yaml"
    assert toolreplay("convert", own, "--to", "vcr", "--output", own).code == 0
    assert toolreplay("run").code == 0
    assert toolreplay("convert", own, "--to", "toolreplay", "--output", own).code == 0
    done = toolreplay("run")
    assert (done.code, done.lines[-1]) == (0, "1 scenario: 1 PASS; 2 requests checked, 1 tool call")


def test_check_finds_converted_files_in_folders(files: Place, toolreplay: Command) -> None:
    toolreplay("convert", str(CASSETTE), "--to", "toolreplay", "--output", "converted/")
    assert toolreplay("check", "converted").out.splitlines()[-1].startswith("checked 1 file, 2 requests, ")
