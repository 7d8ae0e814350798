"""Lines for a terminal, with colour where somebody reads them and none in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .printable import printable

_TAB = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        style: a style of rich's (`bold`, `dim`, `red`), or "".
    """

    text: str
    style: str = ""


def count(number: int, word: str) -> str:
    """`1 file`, `1,234 files`."""
    plural = word if word == "info" or number == 1 else f"{word}s"
    return f"{number:,} {plural}"


def text_lines(label: str, text: str, *, indent: str, style: str = "", most: int | None) -> Iterator[Line]:
    """A text of any length under a label, its lines kept and set in below it.

    Args:
        text: what a model, a tool or a file supplied.
        most: characters that are shown; None for all of them.
    """
    shown = text if most is None else text[:most]
    lines = shown.expandtabs(_TAB).split("\n")
    yield Line(printable(f"{indent}{label}: {lines[0]}".rstrip()), style)
    yield from (Line(printable(f"{indent}  {line}".rstrip()), style) for line in lines[1:])
    if len(shown) < len(text):
        yield Line(f"{indent}  … {len(text) - len(shown):,} more characters; --full shows all", "dim")


def rendered(lines: Iterable[Line]) -> Iterator[str]:
    """The lines as text, each with its newline; rich decides about colour, by the terminal and the environment."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    if console.color_system is None:
        yield from (f"{line.text}\n" for line in lines)
        return
    for line in lines:
        with console.capture() as captured:
            console.print(Text(line.text, style=line.style))
        yield captured.get()
