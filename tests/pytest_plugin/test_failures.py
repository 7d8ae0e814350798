from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

import pytest

from toolreplay.pytest_plugin.failure import ScenarioFailed, unexpected

from .projects import ATLANTIS, BERN, OSLO, SCHEMA, Project, failure, scenario

NAME = "forgets a result"
BAD = scenario(NAME, calls=(OSLO, ATLANTIS), loop="agent:forgetful")
STYLES = ("long", "short", "native")


def test_a_failure_shows_line_turn_rule_and_fix(project: Project) -> None:
    project.write("scenarios/bad.yaml", BAD)
    shown = failure(project.run())
    assert shown[0] == f"FAIL scenarios/bad.yaml:7: {NAME} (1 turn, 2 calls, 2 requests checked)"
    assert shown[1] == "error TR101 unanswered-tool-use: turn 2, messages[1].content[1]"
    assert shown[2].startswith("  tool_use toolu_2 (get_weather) ")
    assert shown[3].startswith("  the API answers 400: ")
    assert shown[4].startswith("  fix: ")
    assert len(shown) <= 25


@pytest.mark.parametrize("style", STYLES)
def test_every_traceback_style_shows_the_same(project: Project, style: str) -> None:
    project.write("scenarios/bad.yaml", BAD)
    result = project.run(f"--tb={style}", "-v", "--showlocals")
    shown = failure(result)
    assert shown[0].startswith("FAIL scenarios/bad.yaml:7: ")
    assert_no_traceback(result)


def test_short_styles_show_one_line(project: Project) -> None:
    project.write("scenarios/bad.yaml", BAD)
    line = project.run("--tb=line")
    reason = "FAIL: TR101 unanswered-tool-use: tool_use toolu_2 (get_weather) "
    assert any(one.startswith(f"scenarios/bad.yaml:7: {reason}") for one in line.outlines)
    project.environ(COLUMNS="200")
    nothing = project.run("--tb=no", "-rf")
    assert any(one.startswith(f"FAILED scenarios/bad.yaml::{NAME} - {reason}") for one in nothing.outlines)
    assert not any("fix:" in one for one in nothing.outlines)
    assert_no_traceback(line)


def test_full_trace_shows_where_it_was_raised(project: Project) -> None:
    project.write("scenarios/bad.yaml", BAD)
    assert "runtest" in str(project.run("--full-trace").stdout)


@dataclass(frozen=True)
class Broken:
    id: str
    text: str
    lines: tuple[str, ...]


BROKEN = (
    Broken(
        "an unknown field",
        scenario("one").replace('"user"', '"usr"'),
        ("scenarios/a.yaml:7: conversation[0].usr: unknown field; did you mean 'user'?",),
    ),
    Broken("no yaml", f"{SCHEMA}\nname: [\n", ("scenarios/a.yaml:3: not YAML: *",)),
    Broken("empty", f"{SCHEMA}\n", ("scenarios/a.yaml:1: the file holds no scenario; start one with version: 1",)),
)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.id)
def test_a_broken_file_is_one_failing_item(project: Project, case: Broken) -> None:
    project.write("scenarios/a.yaml", case.text)
    result = project.run("-v")
    result.assert_outcomes(failed=1)
    shown = failure(result)
    assert shown[0] == "ERROR scenarios/a.yaml: the file is broken"
    assert len(shown) == 1 + len(case.lines)
    result.stdout.fnmatch_lines(list(case.lines), consecutive=True)
    assert_no_traceback(result)


def test_a_file_with_very_many_mistakes_is_bounded(project: Project) -> None:
    fields = "".join(f"unknown_{number}: 1\n" for number in range(60))
    project.write("scenarios/a.yaml", f"{scenario('one')}{fields}")
    shown = failure(project.run())
    assert len(shown) == 24
    assert shown[-1].endswith(" more lines")


@dataclass(frozen=True)
class Leaving:
    id: str
    loop: str
    says: str


LEAVING = (
    Leaving("SystemExit", "agent:leaving", "the agent leaves"),
    Leaving("syntax", "no_python:run", "SyntaxError"),
    Leaving("no such loop", "agent:runn", "did you mean 'run'?"),
)


@pytest.mark.parametrize("case", LEAVING, ids=lambda case: case.id)
def test_whatever_leaves_the_loop_is_bounded(project: Project, case: Leaving) -> None:
    project.write("no_python.py", "def run(:\n")
    project.write("scenarios/a.yaml", scenario("one", loop=case.loop))
    project.write("scenarios/b.yaml", scenario("two"))
    result = project.run()
    result.assert_outcomes(failed=1, passed=1)
    shown = failure(result)
    assert case.says in "\n".join(shown)
    assert len(shown) <= 25
    assert_no_traceback(result)


def test_a_fault_of_the_harness_shows_what_a_maintainer_needs(project: Project) -> None:
    project.write("scenarios/a.yaml", scenario("one"))
    project.write("conftest.py", CONFTEST)
    result = project.run()
    shown = failure(result)
    assert shown[0] == "ERROR scenarios/a.yaml:2: one"
    assert shown[1] == "unexpected RuntimeError: the disk is gone"
    assert any(line.startswith("  toolreplay/pytest_plugin/items.py:") for line in shown)
    assert shown[-1].startswith("  fix: ")
    assert len(shown) <= 25
    assert_no_traceback(result)


CONFTEST = """\
import sys

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == "toolreplay.runner.play":
            raise RuntimeError("the disk is gone")

sys.meta_path.insert(0, Gone())
"""


def test_unexpected_exceptions_are_bounded() -> None:
    def deep(levels: int) -> None:
        if levels == 0:
            raise ValueError("line one\nline two \x1b[31m" + "x" * 10_000)
        deep(levels - 1)

    with pytest.raises(ValueError, match="line one") as caught:
        deep(50)
    lines = unexpected(caught.value)
    assert lines[0].startswith("unexpected ValueError: line one line two \x1b[31mxxx")
    assert lines[1] == "  ... 44 frames"
    assert len(lines) == 11
    text = str(ScenarioFailed(lines * 5, 1, "")).splitlines()
    assert len(text) == 24
    assert all(len(line) <= 300 and line.isprintable() for line in text)


def test_an_exception_without_a_text_is_named() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise KeyError("nothing to say")

    assert unexpected(MuteError())[0] == "unexpected MuteError: its text cannot be shown, str() raised KeyError"
    assert unexpected(ValueError())[0] == "unexpected ValueError"


def test_junit_has_the_text_and_the_numbers(project: Project) -> None:
    project.write("scenarios/a/bad.yaml", BAD)
    project.write("scenarios/a/good.yaml", scenario("good"))
    project.write("test_plain.py", "def test_plain():\n    pass\n")
    result = project.run("--junitxml=report.xml")
    cases = {case.get("name"): case for case in ET.parse(project.path / "report.xml").iter("testcase")}
    bad, good, plain = cases[NAME], cases["good"], cases["test_plain"]
    broken = bad.find("failure")
    assert broken is not None
    assert (bad.get("classname"), broken.text) == ("scenarios.a.bad.yaml", "\n".join(failure(result)))
    assert str(broken.get("message")).startswith("FAIL: TR101 unanswered-tool-use: tool_use toolu_2 ")
    assert "\n" not in str(broken.get("message"))
    findings = sum(line.startswith("error ") for line in str(broken.text).splitlines())
    assert properties(bad) == {
        "toolreplay_outcome": "FAIL",
        "toolreplay_requests": "2",
        "toolreplay_tool_calls": "2",
        "toolreplay_findings": str(findings),
    }
    assert properties(good)["toolreplay_outcome"] == "PASS"
    assert properties(plain) == {}


def properties(case: ET.Element) -> dict[str | None, str | None]:
    return {one.get("name"): one.get("value") for one in case.iter("property")}


ESCAPES = "\x1b[2J\x1b]0;title\x07\x00 \u202egnp.exe \x9b31m ]]> <b>&"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_hostile_text_reaches_neither_terminal_nor_report(project: Project, workers: str) -> None:
    pytest.importorskip("xdist")
    name = "wéird <b>&amp; 'quotes' \"double\" % {} 測試 " + "long " * 400
    project.write("hostile.py", f"def weather(city):\n    print({ESCAPES!r})\n    return {ESCAPES!r}\n")
    expect = {
        "tool_calls": [{"tool": "get_weather", "result": {"content": {"equals": "plain"}}}] * 3,
        "final_text": {"contains": "five degrees"},
    }
    stub = [{"call": "hostile:weather"}]
    project.write("scenarios/a.yaml", scenario(name.strip(), calls=(OSLO, ATLANTIS, BERN), stub=stub, expect=expect))
    result = project.run(
        "-vv", "-rA", "--show-capture=no", "--junitxml=report.xml", "-n", workers, plugins=["xdist.plugin"]
    )
    result.assert_outcomes(failed=1)
    printed = "\n".join(result.outlines)
    assert "[2J" in printed
    assert printed.replace("\n", "").replace("\u200c", "").isprintable()
    case = next(ET.parse(project.path / "report.xml").iter("testcase"))
    assert case.get("name") == name.strip()


def assert_no_traceback(result: pytest.RunResult) -> None:
    printed = str(result.stdout) + str(result.stderr)
    assert "Traceback" not in printed
    assert "pytest_plugin/items.py" not in printed or "unexpected " in printed
    assert "INTERNALERROR" not in printed
