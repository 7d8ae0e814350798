"""Two recordings compared, for a terminal: `-` is what the first one has, `+` what the second one has."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.transcript.comparison import Compared, Comparison
from toolreplay.transcript.model import Transcript
from toolreplay.wire.difference import Difference

from .lines import Line, count
from .printable import printable


def diff_lines(comparison: Comparison, recorded: Transcript, now: Transcript) -> Iterator[Line]:
    """The differences by conversation, then how many turns are equal."""
    several = len(comparison.conversations) > 1
    for compared in comparison.conversations:
        if compared.recorded is None or compared.now is None:
            yield from _alone(compared, recorded, now)
            continue
        if several and compared.differences:
            yield Line(f"conversation {compared.recorded}", "underline")
        for difference in compared.differences:
            yield from _difference(difference)
    ids = [pair for compared in comparison.conversations for pair in compared.ids]
    if ids:
        old, new = ids[0]
        yield Line(
            printable(f"{count(len(ids), 'call')} with another id ({old} is {new}); ids are no difference"), "dim"
        )
    yield Line(f"{comparison.equal} of {count(comparison.turns, 'turn')} equal", "bold")


def _difference(difference: Difference) -> Iterator[Line]:
    yield Line(printable(difference.place))
    if difference.recorded is not None:
        yield Line(printable(f"  - {difference.recorded}"), "red")
    if difference.now is not None:
        yield Line(printable(f"  + {difference.now}"), "green")


def _alone(compared: Compared, recorded: Transcript, now: Transcript) -> Iterator[Line]:
    file = now.file if compared.recorded is None else recorded.file
    number = compared.now if compared.recorded is None else compared.recorded
    words = f"conversation {number} is only in {file}: {count(compared.turns, 'turn')}"
    yield Line(printable(words), "green" if compared.recorded is None else "red")
