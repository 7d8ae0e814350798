"""A page that is not true is found out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from .blocks import Block, Command, blocks, commands, prints
from .player import Player, Untrue


def page(*lines: str) -> str:
    return "\n".join(lines)


def test_blocks_know_their_language_file_and_line() -> None:
    text = page("Text", "```yaml", "# scenarios/a.yaml", "version: 1", "```", "", "```text", "```")
    found = list(blocks(text))
    assert found == [Block("yaml", "# scenarios/a.yaml\nversion: 1\n", 2), Block("text", "", 7)]
    assert [block.file for block in found] == ["scenarios/a.yaml", None]


def test_commands_know_their_output_and_exit_code() -> None:
    block = Block("console", "$ toolreplay run  # exit code 4\nSTALE\n$ pytest -q\n", 10)
    assert list(commands(block)) == [
        Command(11, "toolreplay run", 4, "STALE\n"),
        Command(13, "pytest -q", 0, ""),
    ]


@dataclass(frozen=True)
class Output:
    id: str
    expected: str
    actual: str
    fits: bool


@pytest.mark.parametrize(
    "case",
    [
        Output("equal", "a\nb\n", "a\nb\n", fits=True),
        Output("a time", "PASS (0.01 s)", "PASS (1.73 s)", fits=True),
        Output("anything within a line", "a ... c", "a b c", fits=True),
        Output("anything over lines", "a\n...\nd", "a\nb\nc\nd", fits=True),
        Output("nothing shown", "", "whatever", fits=True),
        Output("more than shown", "a", "a\nb", fits=False),
        Output("less than shown", "a\nb", "a", fits=False),
        Output("a sign of regular expressions", "a.c", "abc", fits=False),
    ],
    ids=lambda case: case.id,
)
def test_output_is_compared_whole(case: Output) -> None:
    assert prints(case.expected, case.actual) is case.fits


@dataclass(frozen=True)
class Case:
    id: str
    lines: tuple[str, ...]
    problem: str


CASES = (
    Case("no language", ("```", "x", "```"), "page:1: a block of no language"),
    Case("an unknown language", ("```rust", "x", "```"), "page:1: a block of rust"),
    Case("python that is none", ("```python", "if", "```"), "page:1: invalid syntax"),
    Case("python that raises", ("```python", "1 / 0", "```"), "ZeroDivisionError"),
    Case(
        "python that prints something else",
        ("```python", "print(1)", "```", "```text", "2", "```"),
        "page:4: it prints",
    ),
    Case("json that is none", ("```json", "{", "```"), "page:1: Expecting property name"),
    Case("a part of a scenario that is wrong", ("```yaml", "max_turns: many", "```"), "page:1: <scenario>"),
    Case(
        "yaml that is no part of a scenario",
        ("```yaml", "jobs: []", "```"),
        "page:1: it is no part of a scenario",
    ),
    Case("a scenario that is wrong", ("```yaml", "version: 1", "```"), "missing"),
    Case(
        "a scenario file that is wrong",
        ("```yaml", "# scenarios/a.yaml", "version: 1", "```"),
        "scenarios/a.yaml:2: name: missing",
    ),
    Case("a command that ends otherwise", ("```console", "$ toolreplay run gone.yaml", "```"), "ends with 2"),
    Case("a command that is not run", ("```console", "$ rm -r x", "```"), "page:1: 'rm -r x' is not run"),
    Case("a command that prints something else", ("```console", "$ toolreplay --version", "0", "```"), "prints"),
    Case("a console without a command", ("```console", "PASS", "```"), "starts without '$ '"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_not_so_is_told(case: Case, tmp_path: Path) -> None:
    with pytest.raises(Untrue, match="page:") as caught:
        Player(tmp_path, "http://127.0.0.1:9").play("page", blocks(page(*case.lines)))
    assert case.problem in str(caught.value)


def test_every_problem_of_a_page_is_told(tmp_path: Path) -> None:
    with pytest.raises(Untrue) as caught:
        Player(tmp_path, "").play("page", blocks(page("```json", "{", "```", "```toml", "=", "```")))
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == ["page:1", "page:4"]
