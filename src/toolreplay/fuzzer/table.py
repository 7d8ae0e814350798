"""A conversation as a table: what was asked for, what the tool did, what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolreplay.runner.run import Call, Run
from toolreplay.wire.words import value_words

_MOST: Final = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One call.

    Attributes:
        turn: the reply that asked for it, from 1.
        call: its tool and input.
        did: what the tool did; "not run" where nothing was.
        sent: status and content of its result; "nothing" where none was sent.
    """

    turn: int
    call: str
    did: str
    sent: str


def rows_of(run: Run) -> tuple[Row, ...]:
    """The calls of a run, the first dozen."""
    return tuple(_row(call) for call in run.calls[:_MOST])


def _row(call: Call) -> Row:
    result = call.result
    sent = "nothing" if result is None else f"{result.status}: {_content(result.content)}"
    return Row(call.turn, f"{call.name} {value_words(call.input)}", call.did or "not run", sent)


def _content(content: object) -> str:
    """The content as sent; of a single text block its text."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and "text" in content[0]:
        return value_words(content[0]["text"])
    return value_words(content)
