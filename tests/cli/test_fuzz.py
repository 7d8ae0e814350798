from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Final

import pytest

from tests.cli.command import Command, environment, program
from tests.projects import Place, asks, names, says, weather

# A module of its own for each test: Python keeps what it imported by name.
AGENT: Final = """
def loses_the_flag(client, model, max_tokens, messages, tools, functions):
    while True:
        reply = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
        if reply.stop_reason != "tool_use":
            return messages
        messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
        results = []
        for call in reply.content:
            if call.type == "tool_use":
                try:
                    content = repr(functions[call.name](**dict(call.input)))
                except Exception as error:
                    content = f"error: {error!r}"
                results.append({"type": "tool_result", "tool_use_id": call.id, "content": content})
        messages.append({"role": "user", "content": results})


def asks_nothing(messages):
    return messages


def dies(client, model, max_tokens, messages, tools):
    import os

    client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
    if len(messages) > 0 and tools:
        os._exit(7)
"""

CARELESS: Final = """
def answers_nothing(client, model, max_tokens, messages, tools, functions):
    for _ in range(2):
        try:
            reply = client.messages.create(model=model, max_tokens=max_tokens, messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
            messages.append({"role": "user", "content": "Well?"})
            for call in reply.content:
                functions[call.name](**call.input)
        except Exception:
            continue
"""


def _project(here: Place, module: str, **fields: object) -> None:
    here.write(f"{module}.py", AGENT)
    here.scenario(weather(name="one", script=[asks("Oslo"), says()], **fields), path="scenarios/one.yaml")


def test_a_fault_is_found_written_and_known_from_then_on(here: Place, toolreplay: Command) -> None:
    _project(here, "flagless")
    words = (
        "fuzz",
        "--loop",
        "flagless:loses_the_flag",
        "--seed",
        "1",
        "--max-examples",
        "40",
        "--ignore",
        "TR609,TR101",
    )
    first = toolreplay(*words)
    (name,) = names(here.root / "scenarios" / "regressions")
    assert first.code == 1, first.err
    assert first.lines[0].startswith("FAIL  scenarios/one.yaml::one  (flagless:loses_the_flag: ")
    assert [line.strip() for line in first.lines[1:3]] == [
        "error TR602 wrong-status (fidelity): messages[2].content[0]",
        "toolu_1 (get_weather) raised and its result says success",
    ]
    assert [line.split() for line in first.lines[4:7]] == [
        ["|", "turn", "call", "the", "tool", "sent"],
        ["|", "user:", "Go", "on."],
        [
            "|",
            "1",
            "get_weather",
            '{"city":',
            '"a"}',
            "raised:",
            "mark-01",
            "success:",
            "error:",
            "ValueError('mark-01')",
        ],
    ]
    assert any(line.strip().startswith(f"written to scenarios/regressions/{name}") for line in first.lines)
    assert first.lines[-1].startswith("in ")

    again = toolreplay(*words)
    assert again.code == 1
    assert f"      still broken: TR602 in scenarios/regressions/{name}" in again.lines
    assert names(here.root / "scenarios" / "regressions") == [name]

    played = toolreplay("run", f"scenarios/regressions/{name}")
    assert (played.code, "TR602" in played.out) == (1, True)
    mended = toolreplay("run", f"scenarios/regressions/{name}", "--loop", "toolreplay.loop:run")
    assert mended.code == 0, mended.out


def test_a_fault_of_two_scenarios_is_told_once(here: Place, toolreplay: Command) -> None:
    _project(here, "twice")
    here.scenario(weather(name="two", script=[asks("Rome"), says()]), path="scenarios/two.yaml")
    words = ("--loop", "twice:loses_the_flag", "--seed", "1", "--max-examples", "40", "--ignore", "TR609,TR101")
    done = toolreplay("fuzz", *words)
    assert (done.code, done.out.count("error TR602"), done.out.count("still broken")) == (1, 1, 0)
    assert "      shown again, as told of a scenario before: TR602" in done.lines
    assert len(names(here.root / "scenarios" / "regressions")) == 1


def test_a_good_loop_passes(here: Place, toolreplay: Command) -> None:
    _project(here, "unused", loop="toolreplay.loop:run")
    done = toolreplay("fuzz", "--seed", "1", "--max-examples", "15")
    assert (done.code, done.lines[0].split("  ")[0]) == (0, "PASS")
    assert names(here.root / "scenarios") == ["one.yaml"]
    assert done.err == ""


def test_whoever_names_no_loop_is_told_whose_it_was(here: Place, toolreplay: Command) -> None:
    _project(here, "unnamed")
    told = "no loop was named, so toolreplay's own reference loop was fuzzed; name yours: --loop MODULE:FUNCTION"
    unnamed = toolreplay("fuzz", "--max-examples", "3")
    assert unnamed.lines[0].startswith("PASS  scenarios/one.yaml::one  (toolreplay's own reference loop: ")
    assert told in unnamed.lines
    assert told not in toolreplay("fuzz", "--max-examples", "3", "--loop", "toolreplay.loop:run").lines
    here.scenario(weather(name="one", loop="unnamed:loses_the_flag", script=[asks("Oslo")]), path="scenarios/one.yaml")
    named = toolreplay("fuzz", "--max-examples", "3", "--ignore", "TR602,TR101,TR609")
    assert "(unnamed:loses_the_flag: " in named.lines[0]
    assert told not in named.lines


def test_what_follows_from_hostile_replies_is_a_warning(here: Place, toolreplay: Command) -> None:
    _project(here, "spared")
    words = ("fuzz", "--loop", "toolreplay.loop:run", "--seed", "1", "--max-examples", "90")
    fair, hostile = toolreplay(*words), toolreplay(*words, "--hostile")
    assert (fair.code, hostile.code) == (0, 0)
    told = [set(re.findall(r"TR\d+", one.lines[0].partition("; warnings: ")[2])) for one in (fair, hostile)]
    assert [codes & {"TR201", "TR304"} != set() for codes in told] == [False, True]
    assert names(here.root / "scenarios") == ["one.yaml"]


def test_strict_answers_a_broken_request_as_the_api_would(here: Place, toolreplay: Command) -> None:
    here.write("careless.py", CARELESS)
    here.scenario(weather(name="one", script=[asks("Oslo"), says()]), path="scenarios/one.yaml")
    words = ("fuzz", "--loop", "careless:answers_nothing", "--seed", "1", "--max-examples", "9", "--no-write")
    lenient, strict = toolreplay(*words), toolreplay(*words, "--strict")
    refused = "API: 400, the request is refused"
    assert ("error TR101" in lenient.out, refused in lenient.out) == (True, False)
    assert ("error TR101" in strict.out, refused in strict.out) == (True, True)
    assert lenient.lines[-1].endswith(" (--strict answers those with the API's 400)")
    assert strict.lines[-1].endswith(", and a broken request was answered with the API's own 400")


def test_for_machines(here: Place, toolreplay: Command) -> None:
    _project(here, "told")
    here.write("scenarios/broken.yaml", "version: 1")
    here.scenario(weather(name="toolless", tools=[], script=[says()]), path="scenarios/toolless.yaml")
    words = ("--loop", "told:loses_the_flag", "--seed", "1", "--max-examples", "40", "--ignore", "tr609,tr101")
    done = toolreplay("fuzz", *words, "--format", "json", "--no-write")
    report = json.loads(done.out)
    broken, found, toolless = report["scenarios"]
    (fault,) = found["faults"]
    assert (done.code, done.err) == (1, "")
    assert report["counts"] == {"pass": 0, "fail": 1, "stale": 0, "skip": 1, "error": 1}
    assert (broken["id"], broken["outcome"]) == ("scenarios/broken.yaml", "ERROR")
    assert broken["errors"][0].startswith("scenarios/broken.yaml:1: ")
    assert toolless["skipped"].endswith("it has no tool that a loop runs, so there is nothing to fuzz; add one")
    assert (found["id"], found["outcome"]) == ("scenarios/one.yaml::one", "FAIL")
    assert found["loop"] == "told:loses_the_flag"
    assert (fault["code"], fault["layer"], fault["file"]) == ("TR602", "fidelity", None)
    assert fault["calls"][0]["did"].startswith("raised: ")
    assert fault["scenario"]["conversation"][0]["script"][0]["content"][0]["name"] == "get_weather"
    assert found["after_failure"] > 0
    assert names(here.root / "scenarios") == ["broken.yaml", "one.yaml", "toolless.yaml"]


def test_nothing_for_machines(here: Place, toolreplay: Command) -> None:
    done = toolreplay("fuzz", "--format", "json")
    assert (done.code, json.loads(done.out)["scenarios"]) == (3, [])
    assert done.err.startswith("no scenarios found in the project; ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["scenarios/regressions/old.yaml"], "scenarios/regressions/old.yaml"),
        (["scenarios/regressions/old.yaml::old"], "scenarios/regressions/old.yaml::old"),
        (["scenarios/../scenarios/regressions"], "scenarios/../scenarios/regressions"),
        (["scenarios", "-k", "old"], "scenarios/regressions"),
        (["-k", "old"], "scenarios/regressions"),
    ],
    ids=["file", "scenario", "folder", "keyword in a folder", "keyword"],
)
def test_regressions_are_played_and_not_fuzzed(words: list[str], said: str, here: Place, toolreplay: Command) -> None:
    _project(here, "spent")
    here.scenario(weather(name="old", script=[asks("Oslo"), says()]), path="scenarios/regressions/old.yaml")
    done = toolreplay("fuzz", *words)
    assert (done.code, done.out) == (3, "")
    assert done.err == f"{said}: regressions are not fuzzed; play them: toolreplay run {said}\n"


def test_a_regression_named_beside_others_is_told_too(here: Place, toolreplay: Command) -> None:
    _project(here, "beside")
    here.scenario(weather(name="old", script=[asks("Oslo"), says()]), path="scenarios/regressions/old.yaml")
    words = ("fuzz", "--max-examples", "3", "--loop", "toolreplay.loop:run")
    named = toolreplay(*words, "scenarios/one.yaml", "scenarios/regressions/old.yaml")
    assert (named.code, named.lines[0].split()[:2]) == (0, ["PASS", "scenarios/one.yaml::one"])
    assert named.err.startswith("scenarios/regressions/old.yaml: regressions are not fuzzed; ")
    whole = toolreplay(*words, "scenarios")
    assert (whole.code, whole.err) == (0, "")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="terminals are POSIX's")
def test_progress_on_a_terminal(here: Place) -> None:
    _project(here, "watched")
    main, side = os.openpty()
    command = program("fuzz", "--max-examples", "3")
    variables = environment(TERM="xterm", COLUMNS="100", PYTHONPATH=os.pathsep.join(sys.path))
    with subprocess.Popen(command, cwd=here.root, stdout=subprocess.PIPE, stderr=side, env=variables) as process:
        out = process.communicate(timeout=60)[0].decode()
    os.close(side)
    shown = os.read(main, 65_536).decode()
    os.close(main)
    assert "fuzzing 1 of 1: scenarios/one.yaml::one" in shown
    assert "1 examples" in shown
    assert out.startswith("PASS  scenarios/one.yaml::one  ")
    assert "\x1b" not in out


def test_a_loop_that_ends_its_process_is_a_fault_and_ends_nothing(here: Place, toolreplay: Command) -> None:
    here.write("deadly.py", AGENT.replace("if len(messages) > 0 and tools:", "if len(messages) > 1:"))
    here.scenario(weather(name="one", script=[asks("Oslo"), says()]), path="scenarios/one.yaml")
    done = toolreplay("fuzz", "--loop", "deadly:dies", "--seed", "1", "--max-examples", "40", "--ignore", "TR610")
    assert done.code == 1, done.err
    assert "      error TR609 loop-crashed (outcome): the process" in done.lines
    assert "        the loop's process ended with exit code 7" in done.lines
    assert names(here.root / "scenarios") == ["one.yaml"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["--loop", ""],
            2,
            "toolreplay: --loop is empty; name a loop, package.module:function, or leave the option out",
        ),
        (["--max-examples", "0"], 2, "toolreplay: --max-examples 0 plays nothing; give 1 or more"),
        (["--ignore", "TR1"], 2, "toolreplay: no rule 'TR1' that could be ignored; docs/rules/index.md lists them"),
        (["--loop", "silent:asks_nothing"], 3, "the loop sent no request that toolreplay could see"),
        (["--loop", "silent:nothing"], 3, "silent has no 'nothing'"),
        (["scenarios/toolless.yaml"], 3, "it has no tool that a loop runs, so there is nothing to fuzz; add one"),
        (["scenarios/nowhere.yaml"], 2, "scenarios/nowhere.yaml: no such file or folder"),
    ],
    ids=str,
)
def test_what_cannot_be_fuzzed(words: list[str], code: int, message: str, here: Place, toolreplay: Command) -> None:
    _project(here, "silent")
    here.scenario(weather(name="toolless", tools=[], script=[says()]), path="scenarios/toolless.yaml")
    done = toolreplay("fuzz", "--max-examples", "3", *words, *([] if "scenarios" in words[0] else ["-k", "one"]))
    assert done.code == code
    assert message in done.err + done.out


def test_a_folder_that_cannot_be_made_costs_no_result(here: Place, toolreplay: Command) -> None:
    _project(here, "stuck")
    here.write("scenarios/regressions", "a file")
    done = toolreplay("fuzz", "--loop", "stuck:loses_the_flag", "--seed", "1", "--max-examples", "30", "-k", "one")
    assert done.code == 1
    assert "scenarios/regressions" in done.err
    assert any("TR602" in line for line in done.lines)
