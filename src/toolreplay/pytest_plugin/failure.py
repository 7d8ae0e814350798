"""What a scenario that did not pass shows: at most 25 lines, and none of them a traceback of ours."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from toolreplay.report.printable import printable
from toolreplay.report.run_text import MOST_LINES

_FRAMES: Final = 8
_WIDTH: Final = 300
_IMPORTING: Final = "<frozen importlib"
_ROOMS: Final = Path(__file__).parents[2]


class ScenarioFailed(Exception):
    """A scenario that did not pass; its text is all that pytest prints.

    Attributes:
        line: where in the scenario file, from 1.
        headline: the reason on one line, for short summaries.
    """

    def __init__(self, lines: list[str], line: int, headline: str) -> None:
        super().__init__("\n".join(_bounded(lines)))
        self.line = line
        self.headline = printable(headline)


def unexpected(error: BaseException) -> list[str]:
    """An exception that nobody expected, in the lines a maintainer needs: its name and the innermost frames.

    It may be a fault of ours, or code of the user's that raised what is no Exception (SystemExit).
    """
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(_IMPORTING)]
    shown = frames[-_FRAMES:]
    above = [f"  ... {len(frames) - len(shown)} frames"] if len(frames) > len(shown) else []
    return [
        f"unexpected {_named(error)}",
        *above,
        *(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}" for frame in shown),
        "  fix: if the last place is in your code, mend it; if not, report these lines to toolreplay",
    ]


def _named(error: BaseException) -> str:
    try:
        message = " ".join(str(error).split())
    except Exception as other:  # noqa: BLE001  (an exception need not have a text)
        message = f"its text cannot be shown, str() raised {type(other).__name__}"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _place(filename: str) -> str:
    path = Path(filename)
    return next(
        (path.relative_to(root).as_posix() for root in (_ROOMS, Path.cwd()) if path.is_relative_to(root)),
        filename,
    )


def _bounded(lines: list[str]) -> list[str]:
    """At most 24 lines that no terminal acts upon; under `--tb=line` pytest adds the 25th."""
    if len(lines) >= MOST_LINES:
        lines = [*lines[: MOST_LINES - 2], f"... {len(lines) - MOST_LINES + 2} more lines"]
    return [_narrow(printable(line)) for line in lines]


def _narrow(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
