from __future__ import annotations

import json
import re
import sys
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.cli.command import Command
from tests.projects import Place, ScriptedModel, asks, says, weather

SCRIPT: Final = [asks("Oslo", "Atlantis"), says("Rain.")]
EXPECT: Final = {"user": "What is the weather?", "expect": {"final_text": "Snow."}}
NEW: Final = "write one: toolreplay new scenarios/first.yaml"
_TIME: Final = re.compile(r"\d+\.\d\d s")


def _good(here: Place, name: str = "good", **fields: object) -> None:
    here.scenario(weather(name=name, script=SCRIPT, **fields), path=f"scenarios/{name}.yaml")


def _failing(here: Place, name: str = "failing") -> None:
    _good(here, name, conversation=[EXPECT])


def _missing(here: Place) -> None:
    here.scenario(weather(name="missing"), path="scenarios/missing.yaml")


def _stale(here: Place) -> None:
    scenario = here.scenario(weather(name="stale"), path="scenarios/stale.yaml")
    here.record(scenario, ScriptedModel(*SCRIPT))
    here.scenario(weather(name="stale", system="New."), path="scenarios/stale.yaml")


def _plain(text: str) -> str:
    return _TIME.sub("0.00 s", text)


@pytest.mark.parametrize(
    ("kinds", "code", "last"),
    [
        ([_good], 0, "1 scenario: 1 PASS; 2 requests checked, 2 tool calls"),
        ([_good, _failing], 1, "2 scenarios: 1 PASS, 1 FAIL; 4 requests checked, 4 tool calls"),
        ([_good, _missing], 3, "2 scenarios: 1 PASS, 1 ERROR; 2 requests checked, 2 tool calls"),
        ([_good, _stale], 4, "2 scenarios: 1 PASS, 1 STALE; 2 requests checked, 2 tool calls"),
        (
            [_missing, _failing, _stale],
            1,
            "3 scenarios: 1 FAIL, 1 STALE, 1 ERROR; 2 requests checked, 2 tool calls",
        ),
        ([_missing, _stale], 3, "2 scenarios: 1 STALE, 1 ERROR; 0 requests checked, 0 tool calls"),
        ([], 3, f"no scenarios found in the project; {NEW}"),
    ],
    ids=["pass", "fail", "error", "stale", "fail before error", "error before stale", "nothing"],
)
def test_exit_codes(kinds: list[Any], code: int, last: str, here: Place, toolreplay: Command) -> None:
    for make in kinds:
        make(here)
    done = toolreplay("run")
    assert (done.code, done.lines[-1], done.err) == (code, last, "")


def test_a_folder_without_scenarios_is_an_error(here: Place, toolreplay: Command) -> None:
    (here.root / "scenarios" / "empty").mkdir(parents=True)
    done = toolreplay("run", "scenarios/empty")
    assert (done.code, done.out) == (3, f"no scenarios found in scenarios/empty; {NEW}\n")


def test_a_keyword_that_no_scenario_has_is_an_error(here: Place, toolreplay: Command) -> None:
    _good(here)
    done = toolreplay("run", "-k", "tokyo")
    assert (done.code, done.out) == (3, "no scenarios found in the project whose id contains 'tokyo'; change -k\n")


def test_what_a_failure_looks_like(here: Place, toolreplay: Command) -> None:
    _failing(here)
    done = toolreplay("run")
    assert _plain(done.out).splitlines() == [
        "FAIL  scenarios/failing.yaml::failing  (2 turns, 2 calls, 2 requests checked, 0.00 s)",
        '      scenarios/failing.yaml:31: final_text: expected "Snow.", got "Rain."',
        "1 scenario: 1 FAIL; 2 requests checked, 2 tool calls",
    ]


def test_what_a_finding_looks_like(here: Place, toolreplay: Command) -> None:
    _good(here)
    done = toolreplay("run", "--loop", "tests.loops.faulty:loses_is_error")
    assert done.code == 1
    assert [line.strip() for line in done.lines[1:4]] == [
        "error TR602 wrong-status: messages[2].content[1]",
        "toolu_2 (get_weather) raised and its result says success",
        "fix: set `is_error: true` (Converse: `status: error`) exactly when the tool failed.",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 1\nname: [\n", "scenarios/broken.yaml:3: not YAML: "),
        ("version: 1\nname: x\nmodle: m\nconversation: [{user: Hi}]\n", "scenarios/broken.yaml:3: modle: "),
        ("", "scenarios/broken.yaml:1: the file holds no scenario; start one with version: 1"),
        ("a: 1\na: 2\n", "scenarios/broken.yaml:2: "),
    ],
    ids=["syntax", "field", "empty", "twice"],
)
def test_a_broken_file_is_one_line_and_keeps_no_other_from_being_played(
    text: str, message: str, here: Place, toolreplay: Command
) -> None:
    here.write("scenarios/broken.yaml", text)
    _good(here)
    done = toolreplay("run")
    assert (done.code, done.err) == (3, "")
    assert done.lines[0].startswith("ERROR scenarios/broken.yaml")
    assert done.lines[1].strip().startswith(message)
    assert done.lines[-2].startswith("PASS  scenarios/good.yaml::good")
    assert done.lines[-1].startswith("2 scenarios: 1 PASS, 1 ERROR")


def test_json(here: Place, toolreplay: Command) -> None:
    _good(here)
    _failing(here)
    here.write("scenarios/broken.yaml", "version: 2")
    done = toolreplay("run", "--format", "json", "--loop", "tests.loops.faulty:sets_is_error_on_good_results")
    data = json.loads(done.out)
    assert (done.code, list(data)) == (1, ["scenarios", "counts"])
    assert data["counts"] == {"pass": 1, "fail": 1, "stale": 0, "skip": 0, "error": 1}
    broken, failing, good = data["scenarios"]
    assert (broken["id"], broken["outcome"], broken["failures"][0]["outcome"]) == (
        "scenarios/broken.yaml",
        "ERROR",
        "ERROR",
    )
    assert {name: good[name] for name in ("id", "outcome", "turns", "tool_calls", "requests", "failures")} == {
        "id": "scenarios/good.yaml::good",
        "outcome": "PASS",
        "turns": 2,
        "tool_calls": 2,
        "requests": 2,
        "failures": [],
    }
    assert 0 < good["seconds"] < 60
    assert [set(one) for one in good["findings"]] == [
        {"code", "name", "severity", "path", "message", "fix", "api", "request"}
    ]
    assert (good["findings"][0]["code"], good["findings"][0]["severity"]) == ("TR602", "warning")
    assert failing["failures"] == [
        {
            "outcome": "FAIL",
            "where": "scenarios/failing.yaml:31",
            "message": 'final_text: expected "Snow.", got "Rain."',
            "fix": "",
        }
    ]


def test_json_of_nothing_is_json_and_an_error(toolreplay: Command) -> None:
    done = toolreplay("run", "--format", "json")
    assert (done.code, json.loads(done.out)["scenarios"], done.err) == (
        3,
        [],
        f"toolreplay: no scenarios found in the project; {NEW}\n",
    )


def _verdicts(case: ET.Element) -> list[str]:
    return [child.tag for child in case if child.tag != "properties"]


def test_junit(here: Place, toolreplay: Command) -> None:
    for make in (_good, _failing, _missing, _stale):
        make(here)
    done = toolreplay("run", "--format", "junit")
    suite = ET.fromstring(done.out)
    counts = {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")}
    assert (done.code, suite.tag, counts) == (
        1,
        "testsuite",
        {"name": "toolreplay", "tests": "4", "failures": "2", "errors": "1", "skipped": "0"},
    )
    assert [(case.get("classname"), case.get("name"), _verdicts(case)) for case in suite] == [
        ("scenarios/failing.yaml", "failing", ["failure"]),
        ("scenarios/good.yaml", "good", []),
        ("scenarios/missing.yaml", "missing", ["error"]),
        ("scenarios/stale.yaml", "stale", ["failure"]),
    ]
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert 'expected "Snow."' in (failure.text or "")


def test_names_that_xml_cannot_hold_do_not_break_junit(here: Place, toolreplay: Command) -> None:
    stub = [{"raise": {"type": "ValueError", "message": "no \u0007 bell & <tag>"}}]
    tool = {"name": "get_weather", "input_schema": {"type": "object"}, "stub": stub}
    _good(here, name="odd & <name>", tools=[tool], conversation=[EXPECT])
    done = toolreplay("run", "--format", "junit", "--loop", "tests.loops.faulty:lets_the_exception_out")
    (case,) = ET.fromstring(done.out)
    assert case.get("name") == "odd & <name>"


@pytest.mark.parametrize(
    ("words", "played"),
    [
        ([], ["one", "two", "three"]),
        (["scenarios"], ["one", "two", "three"]),
        (["scenarios/sub"], ["three"]),
        (["scenarios/pair.yaml"], ["one", "two"]),
        (["scenarios/pair.yaml::two"], ["two"]),
        (["scenarios/pair.yaml::two", "scenarios/sub/single.yaml"], ["two", "three"]),
        (["scenarios/pair.yaml", "scenarios/pair.yaml::one", "scenarios"], ["one", "two", "three"]),
        (["-k", "TWO"], ["two"]),
        (["-k", "sub/"], ["three"]),
    ],
    ids=str,
)
def test_which_scenarios_are_played(words: list[str], played: list[str], here: Place, toolreplay: Command) -> None:
    here.scenario(weather(name="one", script=SCRIPT), weather(name="two", script=SCRIPT), path="scenarios/pair.yaml")
    here.scenario(weather(name="three", script=SCRIPT), path="scenarios/sub/single.yaml")
    done = toolreplay("run", *words)
    names = [line.partition("::")[2].partition("  ")[0] for line in done.lines[:-1]]
    assert (done.code, names) == (0, played)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scenarios/nothing.yaml"], "scenarios/nothing.yaml: no such file or folder; check the path"),
        (
            ["scenarios/god.yaml"],
            "scenarios/god.yaml: no such file or folder; did you mean 'scenarios/good.yaml'?",
        ),
        (["scenarios/good.yaml::god"], "no scenario is named 'god'; did you mean 'good'?"),
    ],
    ids=str,
)
def test_a_path_that_names_nothing(words: list[str], message: str, here: Place, toolreplay: Command) -> None:
    _good(here)
    done = toolreplay("run", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_keyword_that_matches_nothing_is_an_error(here: Place, toolreplay: Command) -> None:
    _good(here)
    assert toolreplay("run", "-k", "snow").code == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nowhere", None, "a loop is named package.module:function"),
        (
            "no_such_loop_module:run",
            None,
            "cannot import no_such_loop_module: No module named 'no_such_loop_module'",
        ),
        ("loop_a:rum", "def run(messages): ...", "loop_a has no 'rum'; did you mean 'run'?"),
        ("loop_b:run", "run = 5", "it is int, not a function"),
        (
            "loop_c:run",
            "def run(mesages): ...",
            "asks for 'mesages', which is not offered; did you mean 'messages'?",
        ),
        ("loop_d:run", "raise ValueError('at import')", "cannot import loop_d: ValueError: at import"),
        ("loop_e:run", "def run(:", "cannot import loop_e: SyntaxError"),
        ("loop_f:run", "import sys\nsys.exit(0)", "cannot import loop_f: SystemExit: 0"),
        (".loop_g:run", None, "cannot import .loop_g"),
    ],
)
def test_a_loop_that_cannot_be_played_is_one_line(
    name: str, text: str | None, message: str, here: Place, toolreplay: Command
) -> None:
    if text is not None:
        here.write(f"{name.partition(':')[0]}.py", text)
    _good(here)
    done = toolreplay("run", "--loop", name)
    assert (done.code, done.err) == (3, "")
    assert done.lines[0].startswith("ERROR scenarios/good.yaml::good")
    assert message in done.lines[1]
    assert done.lines[2].startswith("1 scenario: 1 ERROR")


@pytest.mark.parametrize(
    "error",
    ["SystemExit(0)", "SystemExit('bye')", "GeneratorExit()", "__import__('asyncio').CancelledError()"],
)
def test_a_loop_that_leaves_by_another_door_does_not_pass(error: str, here: Place, toolreplay: Command) -> None:
    here.write("leaving_loop.py", f"def run(client):\n    raise {error}\n")
    _good(here, loop="leaving_loop:run")
    sys.modules.pop("leaving_loop", None)
    done = toolreplay("run")
    assert (done.code, done.lines[-1]) == (1, "1 scenario: 1 FAIL; 0 requests checked, 0 tool calls")
    assert "the loop raised" in done.lines[1]


def test_control_c_ends_the_command(here: Place, toolreplay: Command) -> None:
    here.write("interrupted_loop.py", "def run(client):\n    raise KeyboardInterrupt\n")
    _good(here, loop="interrupted_loop:run")
    done = toolreplay("run")
    assert (done.code, done.err) == (130, "toolreplay: interrupted\n")


def test_a_configuration_that_is_broken_is_a_usage_error(here: Place, toolreplay: Command) -> None:
    here.write("pyproject.toml", "[tool.toolreplay]\nscenario = 'x'\n")
    done = toolreplay("run")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("toolreplay: ")


def test_scenarios_and_cassettes_may_lie_outside_the_project(
    here: Place, tmp_path_factory: pytest.TempPathFactory, toolreplay: Command
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    here.write("pyproject.toml", f"[tool.toolreplay]\nscenarios = '{outside}'\ncassettes = '{outside}/tapes'\n")
    here.scenario(weather(script=SCRIPT), path=f"{outside}/good.yaml")
    here.scenario(weather(name="no tape"), path=f"{outside}/missing.yaml")
    done = toolreplay("run")
    assert (done.code, done.lines[-1]) == (
        3,
        "2 scenarios: 1 PASS, 1 ERROR; 2 requests checked, 2 tool calls",
    )
    assert f"it has no cassette {outside}/tapes/missing.yaml" in done.out


def test_a_scenario_that_was_recorded_is_played_from_its_cassette(here: Place, toolreplay: Command) -> None:
    scenario = here.scenario(weather())
    here.record(scenario, ScriptedModel(*SCRIPT))
    done = toolreplay("run")
    assert (done.code, done.lines[-1]) == (0, "1 scenario: 1 PASS; 2 requests checked, 2 tool calls")


def test_a_cassette_that_cannot_be_looked_at_is_no_fault_of_ours(here: Place, toolreplay: Command) -> None:
    cassette = here.cassette(here.scenario(weather()))
    cassette.parent.mkdir()
    cassette.symlink_to(cassette)
    done = toolreplay("run")
    what = "cassettes/weather.yaml: cannot be read: Too many levels of symbolic links; mend the path or its permissions"
    assert (done.code, done.lines[1].strip()) == (3, f"scenarios/weather.yaml:1: {what}")


@pytest.mark.parametrize("name", ["loop", "n" * 300], ids=["loop", "long"])
def test_a_path_that_cannot_be_looked_at_is_a_usage_error(name: str, here: Place, toolreplay: Command) -> None:
    (here.root / "loop").symlink_to(here.root / "loop")
    for words in ([name], [f"{name}::x"]):
        done = toolreplay("run", *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert done.err.startswith(f"toolreplay: {here.root / name}: cannot be read: ")


def test_scenarios_that_lie_outside_the_project_have_their_cassettes_as_others(
    here: Place, toolreplay: Command, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside").resolve()
    (here.root / "scenarios").symlink_to(outside)
    (outside / "weather.yaml").write_text(yaml.safe_dump(weather()))
    done = toolreplay("run")
    assert (done.code, done.lines[1].strip()) == (
        3,
        f"{outside.as_posix()}/weather.yaml:1: it has no cassette cassettes/weather.yaml",
    )
