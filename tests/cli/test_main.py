from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command import Command, as_process, environment, program
from tests.projects import Place, asks, says, weather
from toolreplay.cli import COMMANDS

SCRIPT: Final = [asks("Oslo"), says("Rain.")]


def test_help_names_every_command(toolreplay: Command) -> None:
    done = toolreplay("--help")
    assert (done.code, done.err) == (0, "")
    assert [name for name in COMMANDS if name not in done.out] == []


def test_the_version(toolreplay: Command) -> None:
    assert toolreplay("--version").out == f"toolreplay {version('toolreplay')}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_says_what_it_does(name: str, toolreplay: Command) -> None:
    done = toolreplay(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: toolreplay {name} ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["rum"], "invalid choice: 'rum'"),
        (["run", "--lop", "x"], "unrecognized arguments: --lop"),
        (["run", "--format", "xml"], "invalid choice: 'xml'"),
        (["run", "--loop"], "expected one argument"),
        (["schema", "extra"], "unrecognized arguments: extra"),
        (["explain"], "the following arguments are required: RULE"),
        (["--quiet", "run"], "unrecognized arguments: --quiet"),
    ],
    ids=str,
)
def test_a_wrong_use_exits_2_and_prints_nothing_else(words: list[str], message: str, toolreplay: Command) -> None:
    done = toolreplay(*words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("rule", ["TR101", "tr101", "unanswered-tool-use"])
def test_explain_prints_the_page_of_a_rule(rule: str, toolreplay: Command) -> None:
    done = toolreplay("explain", rule)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("TR101")
    assert "tool_result" in done.out


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("TR1011", "did you mean TR101?"),
        ("TR999", "codes are TR101, "),
        ("lost-reslt", "did you mean lost-result?"),
        ("?", "codes are TR101, "),
    ],
)
def test_explain_of_no_rule_is_a_usage_error(rule: str, hint: str, toolreplay: Command) -> None:
    done = toolreplay("explain", rule)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"toolreplay: no rule {rule!r}; {hint}")


def test_explain_of_a_family_says_which_rules_it_has(toolreplay: Command) -> None:
    done = toolreplay("explain", "TR1")
    words = "'TR1' is the beginning of 10 codes, TR101 to TR110; name one rule"
    assert (done.code, done.out, done.err) == (2, "", f"toolreplay: {words}\n")


def test_schema_is_a_json_schema(toolreplay: Command) -> None:
    done = toolreplay("schema")
    schema = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert {"conversation", "tools", "script"} <= set(schema["properties"])


def test_without_colours_and_without_unicode(here: Place) -> None:
    here.scenario(weather(name="Grüße, 雨 and \U0001f327"))
    done = as_process(here.root, "run", NO_COLOR="1", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.code, done.err) == (3, "")
    assert "Gr\\xfc\\xdfe" in done.out


def test_what_cannot_be_encoded_at_all_is_printed_escaped(here: Place) -> None:
    here.write("echo_loop.py", "def run():\n    raise ValueError('\\ud800 alone')\n")
    here.scenario(weather(script=SCRIPT, loop="echo_loop:run"))
    done = as_process(here.root, "run")
    assert (done.code, done.err) == (1, "")
    assert "\\ud800 alone" in done.out


@pytest.mark.parametrize(
    ("words", "variables"),
    [(["explain", "TR101"], {}), (["explain", "TR101"], {"PYTHONUNBUFFERED": "1"}), (["run"], {})],
    ids=["at the end", "at once", "in the middle"],
)
def test_a_pipe_that_is_closed_is_told_by_the_exit_code_alone(
    words: list[str], variables: dict[str, str], here: Place
) -> None:
    here.scenario(weather())
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        program(*words),
        cwd=here.root,
        env=environment(**variables),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="signals are POSIX here")
def test_control_c_on_a_process(here: Place) -> None:
    here.write("waiting_loop.py", "import time\n\ndef run():\n    open('waits', 'w').close()\n    time.sleep(60)\n")
    here.scenario(weather(script=SCRIPT, loop="waiting_loop:run"))
    process = subprocess.Popen(
        program("run"), cwd=here.root, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not (here.root / "waits").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"toolreplay: interrupted\n")


def test_a_process_of_its_own_opens_no_socket_and_needs_no_credentials(here: Place) -> None:
    here.scenario(weather(script=SCRIPT))
    here.write(
        "sitecustomize.py",
        "import socket\n\ndef refuse(*words, **named):\n    raise AssertionError('a socket')\n\n"
        "socket.socket.connect = refuse\nsocket.getaddrinfo = refuse\n",
    )
    kept = dict.fromkeys(("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_ACCESS_KEY_ID"), "")
    done = as_process(here.root, "run", PYTHONPATH=str(here.root), **kept)
    assert (done.code, done.lines[-1], done.err) == (
        0,
        "1 scenario: 1 PASS; 2 requests checked, 1 tool call",
        "",
    )
    assert "\x1b" not in done.out


def test_both_ways_to_start_it_are_the_same(tmp_path: Path) -> None:
    names = [[sys.executable, "-m", module, "--version"] for module in ("toolreplay", "toolreplay.cli")]
    assert {subprocess.run(name, cwd=tmp_path, capture_output=True, check=True).stdout for name in names} == {
        f"toolreplay {version('toolreplay')}\n".encode()
    }
