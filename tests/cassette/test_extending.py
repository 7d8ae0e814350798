from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.cassette.extending import Bodies, Extension
from toolreplay.wire.sameness import same_text

Json = dict[str, Any]


def _body(*messages: object, **fields: object) -> Json:
    return {"messages": list(messages), **fields}


@dataclass(frozen=True)
class Case:
    id: str
    earlier: tuple[object, ...]
    body: Json
    extension: Extension | None


CASES: Final = (
    Case("nothing before it", (), _body("a"), None),
    Case("another beginning", (_body("a"),), _body("b"), None),
    Case("no message", (_body(),), _body(), None),
    Case("it goes on", (_body("a"),), _body("a", "b"), {"extends": 0}),
    Case("two go on by turns", (_body("a"), _body("b"), _body("a", "c")), _body("b", "d"), {"extends": 1}),
    Case("the latest", (_body("a"), _body("a", "b"), _body("a", "c")), _body("a", "b"), {"extends": 2, "keep": 1}),
    Case("what is no object lies between", (_body("a"), b"text", ["a"], {"x": 1}), _body("a"), {"extends": 0}),
    Case("another number", (_body({"n": 1}),), _body({"n": 1.0}), None),
    Case("another order", (_body({"a": 1, "b": 2}),), _body({"b": 2, "a": 1}), None),
    Case("a field that goes", (_body("a", x=1, y=2),), _body("a", y=3), {"extends": 0, "drop": ["x"]}),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_latest_body_with_the_same_beginning_is_extended(case: Case) -> None:
    bodies = Bodies()
    for one in case.earlier:
        bodies.append(one)
    new, extension = bodies.shortened(case.body)
    assert extension == case.extension
    assert (bodies.extended(new, extension) if extension else new) == case.body


def test_what_is_new_stands_in_the_order_in_which_it_comes_back() -> None:
    bodies = Bodies()
    bodies.append({"model": "m", "tools": [1], "messages": ["a"]})
    body = {"container": "c", "messages": ["a", "b"], "tools": [2], "model": "m"}
    new, extension = bodies.shortened(body)
    assert extension is not None
    whole = bodies.extended(new, extension)
    assert (list(new), list(whole)) == (["tools", "messages", "container"], ["model", "tools", "messages", "container"])
    assert whole == body
    assert same_text(bodies.shortened(whole), (new, extension))


_MESSAGE: Final = st.sampled_from(["a", "b", 1, 1.0, True, {"x": 1}, {"x": 1.0}])
_BODY: Final = st.builds(_body, _MESSAGE, _MESSAGE, x=st.sampled_from([1, 1.0])) | st.builds(_body, _MESSAGE)


@given(st.lists(_BODY, max_size=8))
def test_every_body_comes_back(given_bodies: list[Json]) -> None:
    bodies = Bodies()
    for body in given_bodies:
        new, extension = bodies.shortened(body)
        assert same_text(bodies.extended(new, extension) if extension else new, body) or extension is not None
        assert (bodies.extended(new, extension) if extension else new) == body
        bodies.append(body)


class _Counted(dict[str, int]):
    compared = 0

    def __eq__(self, other: object) -> bool:
        _Counted.compared += 1
        return super().__eq__(other)

    __hash__ = None


def test_conversations_that_share_nothing_are_not_compared_with_each_other() -> None:
    bodies = Bodies()
    for number in range(500):
        body = _body(_Counted(n=number))
        assert bodies.shortened(body) == (body, None)
        bodies.append(body)
    assert _Counted.compared <= 500
