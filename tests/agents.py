"""Real code that scenarios name under `call:`; it runs in replay and while recording, as a user's would."""

from __future__ import annotations

from threading import Thread
from typing import Any, Final

import anthropic

from toolreplay.loop import run

FACTS: Final = {"lake": "a lake in the north", "depth": "12 metres"}
LOOK_UP: Final[dict[str, Any]] = {
    "name": "look_up",
    "description": "What the lexicon says about a word.",
    "input_schema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
}


def book_table(name: str, day: str, guests: int, *, window: bool = False) -> dict[str, object]:
    """Books nothing; says what it was asked for."""
    return {"booked": f"{name}, {day}, {guests} guests", "window": window}


def ask_researcher(question: str) -> str:
    """Have a sub-agent answer: its own client and conversation, in a thread that inherits no context."""
    answers: list[str] = []
    thread = Thread(target=lambda: answers.append(_researched(question)))
    thread.start()
    thread.join()
    if not answers:
        raise RuntimeError("the researcher gave no answer")
    return answers[0]


def look_up(word: str) -> str:
    """What the lexicon says about a word.

    Raises:
        LookupError: nothing.
    """
    if word not in FACTS:
        raise LookupError(f"the lexicon has no {word!r}")
    return FACTS[word]


def _researched(question: str) -> str:
    with anthropic.Anthropic() as client:
        history = run(
            client,
            model="claude-sonnet-5-5",
            system="You are a researcher. Look words up before you answer.",
            messages=[{"role": "user", "content": question}],
            tools=[LOOK_UP],
            functions={"look_up": look_up},
        )
    return "".join(part["text"] for part in history[-1]["content"] if part["type"] == "text")
