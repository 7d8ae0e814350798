"""An exception that nobody expected, in the few lines that a maintainer needs."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_FRAMES: Final = 8
_MESSAGE: Final = 300
_PACKAGE: Final = Path(__file__).parents[2]


def unexpected(error: BaseException) -> list[str]:
    """What was raised, the innermost frames outermost first, and what to do; at most 11 lines."""
    frames = traceback.extract_tb(error.__traceback__)
    shown = frames[-_FRAMES:]
    left_out = f" ({len(frames) - len(shown)} more above them)" if len(frames) > len(shown) else ""
    return [
        f"unexpected {_named(error)}",
        *(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}" for frame in shown),
        f"  fix: if the last place{left_out} is in your code, mend it; if not, report these lines to toolreplay",
    ]


def _named(error: BaseException) -> str:
    try:
        message = " ".join(str(error).split())
    except Exception as other:  # noqa: BLE001  (an exception under test may not even have a text)
        message = f"its text cannot be shown, str() raised {type(other).__name__}"
    return f"{type(error).__name__}: {message[:_MESSAGE]}" if message else type(error).__name__


def _place(filename: str) -> str:
    path = Path(filename)
    roots: Sequence[Path] = (_PACKAGE, Path.cwd())
    return next((path.relative_to(root).as_posix() for root in roots if path.is_relative_to(root)), filename)
