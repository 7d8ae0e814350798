from __future__ import annotations

import subprocess
import sys

import pytest

import toolreplay

HEAVY = (
    "anthropic",
    "boto3",
    "httpx",
    "hypothesis",
    "pydantic",
    "pytest",
    "rich",
    "starlette",
    "uvicorn",
    "vcr",
    "yaml",
)


def _loaded(program: str) -> list[str]:
    """Which heavy packages a program has loaded at its end."""
    shown = f"import sys\n{program}\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", shown], capture_output=True, text=True, check=True)
    return [word.strip("'") for word in done.stdout.strip()[1:-1].split(", ") if word]


def test_the_public_names() -> None:
    assert toolreplay.__all__ == [
        "Finding",
        "FuzzFailure",
        "Outcome",
        "Run",
        "RunFailed",
        "Severity",
        "ToolreplayError",
        "check",
        "fuzz",
        "play",
        "session",
    ]
    assert all(getattr(toolreplay, name) is not None for name in toolreplay.__all__)
    assert set(toolreplay.__all__) <= set(dir(toolreplay))


def test_a_name_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match=r"^module 'toolreplay' has no attribute 'paly'$"):
        toolreplay.paly  # noqa: B018


@pytest.mark.parametrize(
    ("program", "loaded"),
    [
        ("import toolreplay", []),
        ("import toolreplay; toolreplay.check({'messages': []})", []),
        ("import toolreplay.loop", []),
        ("import toolreplay.cli", []),
        ("from toolreplay.cli import main; main(['explain', 'TR101'])", []),
    ],
)
def test_what_is_imported_is_what_is_needed(program: str, loaded: list[str]) -> None:
    quiet = f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    {program}"
    assert _loaded(quiet) == loaded


def test_every_module_can_be_imported_by_itself() -> None:
    program = (
        "import importlib, pkgutil, toolreplay\n"
        "for one in pkgutil.walk_packages(toolreplay.__path__, 'toolreplay.'):\n"
        "    if not one.name.endswith('__main__'): importlib.import_module(one.name)"
    )
    assert "vcr" in _loaded(program)
