"""Playing a page: its files are written, its programs and commands run, in a project of their own."""

from __future__ import annotations

import configparser
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from toolreplay.scenario.load import load_file, load_text
from toolreplay.scenario.model import Scenario

from . import warm
from .blocks import Block, Command, commands, prints

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / "docs" / "examples" / "weather"
PAGES: Final = (
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
_PROGRAMS: Final = (*warm.PROGRAMS, "python")


def _tool(name: str, **properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": value} for key, value in properties.items()}}
    return {"name": name, "input_schema": schema, "stub": {}}


# What a fragment of a scenario is part of.
_REST: Final[Mapping[str, Any]] = {
    "version": 1,
    "name": "a fragment",
    "model": "claude-sonnet-5-5",
    "tools": [_tool("get_weather", city="string"), _tool("delete_file", path="string")],
    "conversation": [{"user": "What is the weather in Oslo?"}],
}


class Untrue(AssertionError):
    """A page says what is not so."""


@dataclass(frozen=True)
class Player:
    """Plays pages in `root`, which starts as a copy of the example.

    Attributes:
        model: the URL of the model that recording asks.
    """

    root: Path
    model: str

    def play(self, page: str, blocks: Iterable[Block]) -> None:
        """Play the blocks of a page, in order; `Untrue` says everything that is not as the page says."""
        shutil.copytree(EXAMPLE, self.root, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        printed: str | None = None
        problems = []
        for block in blocks:
            try:
                printed = self._play(block, printed)
            except Exception as error:  # noqa: BLE001  (whatever a block raises, it is not as the page says)
                problems.append(f"{page}:{block.line}: {error}")
        if problems:
            raise Untrue("\n".join(problems))

    def _play(self, block: Block, printed: str | None) -> str | None:
        if block.language not in _LANGUAGES:
            raise Untrue(f"a block of {block.language or 'no language'}; write one of {', '.join(_LANGUAGES)}")
        check = _LANGUAGES[block.language]
        if check is not None:
            check(block.text)
        if block.file is not None:
            self._write(block, block.file)
        elif block.language == "yaml":
            _validate(block.text)
        elif block.language == "console":
            for command in commands(block):
                self._run(command)
        elif block.language == "python":
            return self._output(block.text, 0, warm.run(self._job(block.text)))
        elif block.language == "text" and printed is not None and not prints(block.text, printed):
            raise Untrue(f"it prints\n{printed}")
        return None

    def _write(self, block: Block, name: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if name.startswith("scenarios/") and not path.stem.startswith("broken"):
            load_file(path, self.root)

    def _run(self, command: Command) -> None:
        if not command.words.startswith(_PROGRAMS):
            raise Untrue(f"{command.words!r} is not run; commands for people stand in a block of sh")
        words = tuple(shlex.split(command.words))
        warms_up = words[0] in warm.PROGRAMS and "<" not in words
        done = warm.run(self._job(words)) if warms_up else self._shell(command.words)
        actual = self._output(command.words, command.code, done)
        if not prints(command.output, actual):
            raise Untrue(f"`{command.words}` prints\n{actual}")

    def _output(self, words: str, code: int, done: tuple[int, str]) -> str:
        if done[0] != code:
            raise Untrue(f"{words!r} ends with {done[0]}\n{done[1]}")
        return done[1]

    def _job(self, what: tuple[str, ...] | str) -> warm.Job:
        return warm.Job(what, self.root, self._environment("record" in what))

    def _shell(self, words: str) -> tuple[int, str]:
        done = subprocess.run(
            words,
            shell=True,
            cwd=self.root,
            env=self._environment("--record-mode" in words),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout

    def _environment(self, recording: bool) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "ANTHROPIC_", "AWS_", "COV_"))
        }
        kept["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", "")))
        if recording:
            kept |= {
                "ANTHROPIC_BASE_URL": self.model,
                "ANTHROPIC_API_KEY": "the-scripted-model-asks-for-none",
            }
        return kept


def _validate(text: str) -> None:
    """Load a scenario, or a part of one in the place where it belongs."""
    data = yaml.safe_load(text)
    if isinstance(data, dict) and "version" in data:
        load_text(text)
    elif isinstance(data, dict) and data.keys() <= Scenario.model_fields.keys():
        load_text(yaml.safe_dump({**_REST, **data}, sort_keys=False))
    else:
        raise Untrue("it is no part of a scenario; name the file that it is, in a comment on its first line")


def _compile(text: str) -> None:
    compile(text, "<page>", "exec", dont_inherit=True)


_LANGUAGES: Final[Mapping[str, Callable[[str], object] | None]] = {
    "console": None,
    "ini": configparser.ConfigParser().read_string,
    "json": json.loads,
    "python": _compile,
    "sh": None,
    "text": None,
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
}
