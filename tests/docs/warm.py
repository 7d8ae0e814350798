"""Running `toolreplay`, pytest and Python text in processes of their own that start warm.

Each is forked from a process that has imported the SDK, which takes longer than what most pages run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import pytest

from toolreplay.cli import main

PROGRAMS: Final[Mapping[str, Callable[[list[str]], int]]] = {"toolreplay": main, "pytest": pytest.main}
_CONTEXT: Final = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["anthropic", "boto3", "pytest", "toolreplay.cli.check", "toolreplay.cli.record"])
_LONGEST: Final = 120


@dataclass(frozen=True)
class Job:
    """What to run: a program of `PROGRAMS` with its arguments, or Python text."""

    what: tuple[str, ...] | str
    root: Path
    environment: Mapping[str, str]


def run(job: Job) -> tuple[int, str]:
    """The exit code and everything that was printed."""
    output = job.root.with_name(f"{job.root.name}.output")
    process = _CONTEXT.Process(target=_child, args=(job, output))
    process.start()
    process.join(_LONGEST)
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    process.close()
    printed = output.read_text(encoding="utf-8")
    output.unlink()
    return (-1 if code is None else code), printed


def _child(job: Job, output: Path) -> None:
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.clear()
    os.environ.update(job.environment)
    os.chdir(job.root)
    sys.path.insert(0, str(job.root))
    if isinstance(job.what, tuple):
        program, *arguments = job.what
        sys.exit(PROGRAMS[program](arguments))
    exec(compile(job.what, "<page>", "exec", dont_inherit=True), {"__name__": "__main__"})
