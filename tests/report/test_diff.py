from __future__ import annotations

from tests.transcript.build import Json, assistant, body, exchange, loop, reply, text, transcript, user
from toolreplay.report.diff_text import diff_lines
from toolreplay.report.lines import rendered
from toolreplay.transcript.comparison import compare

HELLO = exchange(body(user("Hi")), reply(assistant(text("Hello."))))


def shown(recorded: list[Json], now: list[Json]) -> list[str]:
    first, second = transcript(*recorded, file="a.json"), transcript(*now, file="b\x1b.json")
    return "".join(rendered(diff_lines(compare(first, second), first, second))).splitlines()


def test_nothing_differs() -> None:
    assert shown(loop(), loop()) == ["2 of 2 turns equal"]


def test_what_differs_is_told_by_side() -> None:
    assert shown(loop(found="18\n"), loop(found="19\x1b", ids=("a", "b"), system="Be brief.")[:1]) == [
        "system",
        "  + Be brief.",
        "turn 2, all of it",
        "  - 18\\n; no such city; 18 in Oslo.",
        "2 calls with another id (t1 is a); ids are no difference",
        "0 of 2 turns equal",
    ]


def test_several_conversations_are_told_apart() -> None:
    assert shown([HELLO, *loop()], [*loop(found="19"), exchange(body(user("Ho")), reply(assistant()))]) == [
        "conversation 1 is only in a.json: 1 turn",
        "conversation 2",
        "turn 2, result of get_weather for Oslo",
        "  - 18",
        "  + 19",
        "conversation 2 is only in b\\x1b.json: 1 turn",
        "1 of 4 turns equal",
    ]
