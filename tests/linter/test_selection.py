from __future__ import annotations

from dataclasses import dataclass

import pytest

from toolreplay.errors import UsageError
from toolreplay.linter.selection import selection

CODES = ["TR101", "TR102", "TR110", "TR201", "TR304"]


@dataclass(frozen=True)
class Case:
    id: str
    select: list[str]
    ignore: list[str]
    wanted: list[str]


@pytest.mark.parametrize(
    "case",
    [
        Case("all", [], [], CODES),
        Case("a code", ["TR101"], [], ["TR101"]),
        Case("codes", ["TR101,TR304", "tr201"], [], ["TR101", "TR201", "TR304"]),
        Case("a family", ["TR1"], [], ["TR101", "TR102", "TR110"]),
        Case("half a family", ["TR10"], [], ["TR101", "TR102"]),
        Case("a name", ["unanswered-tool-use"], [], ["TR101"]),
        Case("ignored", [], ["TR1", "blank-text"], ["TR201"]),
        Case("ignored of a family", ["TR1"], ["TR110"], ["TR101", "TR102"]),
        Case("selected of a family that is ignored", ["TR", "TR101"], ["TR1"], ["TR101", "TR201", "TR304"]),
    ],
    ids=lambda case: case.id,
)
def test_selection(case: Case) -> None:
    chosen = selection(case.select, case.ignore)

    assert [code for code in CODES if chosen.wants(code)] == case.wanted


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("unanswered-tool", "did you mean unanswered-tool-use?"),
        ("Unanswered-Tool-Uses", "did you mean unanswered-tool-use?"),
        ("TR999", "write a code (TR101), its beginning (TR1) or a name"),
        ("E9", "write a code (TR101), its beginning (TR1) or a name"),
        ("", "write a code (TR101), its beginning (TR1) or a name"),
        ("T", "write a code (TR101), its beginning (TR1) or a name"),
    ],
)
def test_a_rule_that_does_not_exist(word: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        selection([], [f"TR1,{word}"])

    assert str(caught.value) == f"no rule {word!r}; {hint}"


@pytest.mark.parametrize(
    ("select", "ignore", "told"),
    [([], ["TR"], "TR"), (["TR101"], ["TR101"], "TR101"), (["TR1"], ["TR101, TR1"], "TR101, TR1")],
)
def test_a_selection_that_leaves_nothing(select: list[str], ignore: list[str], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        selection(select, ignore)

    assert str(caught.value) == f"ignore: {told} leaves no rule to check by; ignore fewer, or select others"
