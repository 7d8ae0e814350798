"""The command line, called in this process or as one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.cli import main


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.out.splitlines()


Command = Callable[..., Result]


def in_process(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line in a folder."""

    def call(*words: str) -> Result:
        monkeypatch.chdir(root)
        capsys.readouterr()
        try:
            code = main(list(words))
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return call


def program(*words: str) -> list[str]:
    """The command line as a list of words."""
    return [sys.executable, "-m", "toolreplay", *words]


def environment(**variables: str) -> dict[str, str]:
    """The environment without what changes how Python itself behaves."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, **variables}


def as_process(root: Path, *words: str, **variables: str) -> Result:
    """The command line as a process of its own, as a shell starts it."""
    done = subprocess.run(
        program(*words), cwd=root, env=environment(**variables), capture_output=True, check=False, timeout=60
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
