from __future__ import annotations

import json
from typing import Final

import pytest

from tests.cli.command import Command
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
    assert first.lines[0].startswith("FAIL  scenarios/one.yaml::one  (")
    assert [line.strip() for line in first.lines[1:3]] == [
        "error TR602 wrong-status (fidelity): messages[2].content[0]",
        "toolu_1 (get_weather) raised and its result says success",
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


def test_a_good_loop_passes(here: Place, toolreplay: Command) -> None:
    _project(here, "unused")
    done = toolreplay("fuzz", "--seed", "1", "--max-examples", "15")
    assert (done.code, done.lines[0].split("  ")[0]) == (0, "PASS")
    assert names(here.root / "scenarios") == ["one.yaml"]


def test_for_machines(here: Place, toolreplay: Command) -> None:
    _project(here, "told")
    words = ("--loop", "told:loses_the_flag", "--seed", "1", "--max-examples", "40", "--ignore", "tr609,tr101")
    done = toolreplay("fuzz", *words, "--format", "json", "--no-write")
    (found,) = json.loads(done.out)["scenarios"]
    (fault,) = found["faults"]
    assert (done.code, found["id"], found["loop"]) == (1, "scenarios/one.yaml::one", "told:loses_the_flag")
    assert (fault["code"], fault["layer"], fault["file"]) == ("TR602", "fidelity", None)
    assert fault["calls"][0]["did"].startswith("raised: ")
    assert names(here.root / "scenarios") == ["one.yaml"]


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
    assert message in done.err


def test_a_folder_that_cannot_be_made_costs_no_result(here: Place, toolreplay: Command) -> None:
    _project(here, "stuck")
    here.write("scenarios/regressions", "a file")
    done = toolreplay("fuzz", "--loop", "stuck:loses_the_flag", "--seed", "1", "--max-examples", "30", "-k", "one")
    assert done.code == 1
    assert "scenarios/regressions" in done.err
    assert any("TR602" in line for line in done.lines)
