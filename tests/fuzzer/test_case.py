"""How a drawn case is printed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolreplay.fuzzer.case import Case, Json
from toolreplay.fuzzer.replies import call


def _case(*replies: Json) -> Case:
    stub = [
        {"when": {"equals": {"a": 1}}, "raise": {"type": "ValueError", "message": "mark-01"}},
        {"when": {"equals": {"a": 2}}, "return": "x" * 50_000},
        {"return": "some other result"},
    ]
    tools = [{"name": "add", "input_schema": {"type": "object"}, "stub": stub}, {"name": "get", "stub": {"return": 1}}]
    steps: list[Json] = [{"user": "Go on.", "script": list(replies)}, {"user": [{"type": "text", "text": "And?"}]}]
    return Case({"version": 1, "tools": tools, "conversation": steps})


ADD_1, ADD_2, GET = call("toolu_1", "add", {"a": 1}), call("toolu_2", "add", {"a": 2}), call("toolu_3", "get", {})


@pytest.mark.parametrize(
    ("replies", "shown"),
    [
        ([], []),
        ([{"content": [ADD_1]}], ['add({"a": 1}) raise: ValueError "mark-01"']),
        (
            [{"http_error": 429}, {"content": [{"type": "text", "text": "Well."}, ADD_1, GET]}],
            ["http_error: 429", 'add({"a": 1}) raise: ValueError "mark-01", get({}) return: 1'],
        ),
        ([{"content": [ADD_2], "piece": 16}], [f'add({{"a": 2}}) return: "{"x" * 59}..., piece: 16']),
        ([{"content": [GET], "stop_reason": "max_tokens"}], ['get({}) return: 1, stop_reason: "max_tokens"']),
        ([{"content": [GET] * 10}], [f"{', '.join(['get({}) return: 1'] * 8)}, 2 more calls"]),
        ([{"content": []}, {"text": "Done."}], ["text", 'text: "Done."']),
    ],
)
def test_what_happens_is_shown(replies: list[Json], shown: list[str]) -> None:
    lines = ['user: "Go on."', *shown, 'user: [{"type": "text", "text": "And?"}]']
    assert repr(_case(*replies)) == f"Case({'; '.join(lines)})"


def test_many_replies_are_cut() -> None:
    shown = repr(_case(*[{"content": [GET]}] * 40))
    assert shown.count("get({})") == 29
    assert shown.endswith("; get({}) return: 1; and 12 more)")


@pytest.mark.parametrize(
    ("replies", "shown"),
    [
        ([], 'Case(user: "Go on."; user: [{"type": "text", "text": "And?"}])'),
        (
            [{"content": [ADD_1]}, {"content": [ADD_2]}],
            """Case(
        user: "Go on."
        add({"a": 1}) raise: ValueError "mark-01"
        add({"a": 2}) return: "XXX...
        user: [{"type": "text", "text": "And?"}])""".replace("XXX", "x" * 59),
        ),
    ],
)
def test_hypothesis_prints_the_same(replies: list[Json], shown: str) -> None:
    @settings(database=None, max_examples=1)
    @given(case=st.just(_case(*replies)))
    def fails(case: Case) -> None:
        raise LookupError

    with pytest.raises(LookupError) as caught:
        fails()
    assert f"fails(\n    case={shown},\n)" in "\n".join(caught.value.__notes__)
