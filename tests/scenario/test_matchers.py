# ruff: noqa: E501  (tables of one case a line)
from __future__ import annotations

from dataclasses import dataclass

import pytest

from toolreplay.scenario.matchers import Mismatch, in_words, mismatch
from toolreplay.wire.model import MISSING


@dataclass(frozen=True)
class Case:
    id: str
    expected: object
    actual: object
    differs: Mismatch | None = None
    subset: bool = False


def _off(where: str, expected: object, actual: object) -> Mismatch:
    return Mismatch(where, expected, actual)


CASES = [
    Case("text", "rain", "rain"),
    Case("other-text", "rain", "sun", _off("it", "rain", "sun")),
    Case("text-is-no-substring", "rain", "rain and sun", _off("it", "rain", "rain and sun")),
    Case("text-as-json", "rain", '"rain"'),
    Case("text-that-is-json", "18", "18"),
    Case("text-that-is-other-json", "18", "18.0", _off("it", "18", "18.0")),
    Case("number", 4, 4.0),
    Case("number-in-text", 4, "4"),
    Case("number-is-not-true", 1, True, _off("it", 1, True)),
    Case("false-is-not-zero", False, 0, _off("it", False, 0)),
    Case("null", None, None),
    Case("null-in-text", None, "null"),
    Case("null-is-not-nothing", None, MISSING, _off("it", None, MISSING)),
    Case("mapping", {"a": 1}, {"a": 1}),
    Case("mapping-in-text", {"a": 1}, '{"a": 1}'),
    Case("mapping-in-broken-text", {"a": 1}, '{"a": 1', _off("it", {"a": 1}, '{"a": 1')),
    Case("mapping-in-endless-text", {"a": 1}, "[" * 100_000, _off("it", {"a": 1}, "[" * 100_000)),
    Case("mapping-differs", {"a": {"b": 1}}, {"a": {"b": 2}}, _off("it.a.b", 1, 2)),
    Case("mapping-lacks", {"a": 1, "b": 2}, {"a": 1}, _off("it.b", 2, MISSING)),
    Case("mapping-has-more", {"a": 1}, {"a": 1, "b": 2}, _off("it.b", MISSING, 2)),
    Case("mapping-is-a-list", {"a": 1}, [1], _off("it", {"a": 1}, [1])),
    Case("nested-text-is-not-parsed", {"a": 5}, {"a": "5"}, _off("it.a", 5, "5")),
    Case("list", [1, "a"], [1, "a"]),
    Case("list-in-text", [1, "a"], '[1, "a"]'),
    Case("list-differs", [1, 2], [1, 3], _off("it[1]", 2, 3)),
    Case("list-too-short", [1, 2], [1], _off("it[1]", 2, MISSING)),
    Case("list-too-long", [1], [1, 2], _off("it[1]", MISSING, 2)),
    Case("list-is-text", [1], "x", _off("it", [1], "x")),
    Case("subset", {"a": 1}, {"a": 1, "b": 2}, subset=True),
    Case("subset-deep", {"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, subset=True),
    Case("subset-lacks", {"a": None}, {}, _off("it.a", None, MISSING), subset=True),
    Case("subset-of-nothing", {}, {"a": 1}, subset=True),
    Case("subset-of-no-mapping", {}, "x", _off("it", {}, "x"), subset=True),
    Case("equals", {"equals": {"a": 1}}, '{"a": 1}'),
    Case("equals-is-whole", {"equals": {"a": 1}}, {"a": 1, "b": 2}, _off("it.b", MISSING, 2), subset=True),
    Case("equals-escapes", {"equals": {"regex": "^a"}}, {"regex": "^a"}),
    Case("equals-takes-no-matcher", {"equals": {"any": True}}, {"x": 1}, _off("it.any", True, MISSING)),
    Case("contains", {"contains": "Oslo"}, "In Oslo: rain"),
    Case("contains-all", {"contains": ["Oslo", "rain"]}, "In Oslo: rain"),
    Case("contains-not-all", {"contains": ["Oslo", "sun"]}, "In Oslo: rain", _off("it", {"contains": "sun"}, "In Oslo: rain")),
    Case("contains-case", {"contains": "oslo"}, "Oslo", _off("it", {"contains": "oslo"}, "Oslo")),
    Case("contains-number", {"contains": 4}, "4 degrees"),
    Case("contains-in-json", {"contains": "Göteborg"}, {"city": "Göteborg"}),
    Case("contains-in-nothing", {"contains": "a"}, MISSING, _off("it", {"contains": "a"}, MISSING)),
    Case("regex", {"regex": r"\d+ degrees$"}, "now 4 degrees"),
    Case("regex-all", {"regex": ["^a", "z$"]}, "a to z"),
    Case("regex-not", {"regex": ["^a", "^z"]}, "a to z", _off("it", {"regex": "^z"}, "a to z")),
    Case("json", {"json": {"a": {"b": 1}}}, '{"a": {"b": 1, "c": 2}, "d": 3}'),
    Case("json-differs", {"json": {"a": 1}}, '{"a": 2}', _off("it.a", 1, 2)),
    Case("json-in-a-field", {"a": {"json": {"b": 1}}}, {"a": '{"b": 1, "c": 2}'}),
    Case("json-of-matchers", {"json": {"a": {"regex": "^x"}}}, '{"a": "xyz"}'),
    Case("any", {"any": True}, None),
    Case("any-of-nothing", {"a": {"any": True}}, {}, _off("it.a", {"any": True}, MISSING)),
    Case("any-of", {"any": ["a", {"contains": "b"}]}, "abc"),
    Case("none-of", {"any": ["a", 1]}, "b", _off("it", {"any": ["a", 1]}, "b")),
    Case("matchers-inside", {"a": {"contains": "x"}, "b": [{"any": True}]}, {"a": "axb", "b": [None]}),
    Case("matcher-inside-differs", {"a": [{"contains": "x"}]}, {"a": ["y"]}, _off("it.a[0]", {"contains": "x"}, "y")),
    Case("two-keys-are-data", {"contains": "a", "b": 1}, {"contains": "a", "b": 1}),
    Case("text-blocks", {"t": 1}, [{"type": "text", "text": '{"t": 1}'}]),
    Case("text-blocks-contain", {"contains": ["a", "b"]}, [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    Case("converse-text", "rain", [{"text": "rain"}]),
    Case("converse-json", {"equals": {"t": 1}}, [{"json": {"t": 1}}]),
    Case("text-beside-an-image", {"contains": "a"}, [{"type": "image", "source": {}}, {"type": "text", "text": "a"}]),
    Case("list-of-blocks", [{"type": "text", "text": {"any": True}}], [{"type": "text", "text": "a"}]),
    Case("equal-list-of-blocks", {"equals": [{"text": "a"}]}, [{"text": "a"}]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_mismatch(case: Case) -> None:
    assert mismatch(case.expected, case.actual, "it", subset=case.subset) == case.differs


@dataclass(frozen=True)
class Words:
    id: str
    value: object
    text: str


WORDS = [
    Words("text", "a\nb", '"a\\nb"'),
    Words("number", 4, "4"),
    Words("nothing", MISSING, "nothing"),
    Words("null", None, "null"),
    Words("mapping", {"a": "é"}, '{"a": "é"}'),
    Words("surrogate", "\ud800", '"\\ud800"'),
    Words("not-json", {1}, '"{1}"'),
    Words("equals", {"equals": {"a": 1}}, '{"a": 1}'),
    Words("contains", {"contains": ["a", "b"]}, 'text that contains "a" and "b"'),
    Words("regex", {"regex": "^a"}, 'text that matches "^a"'),
    Words("json", {"json": {"a": 1}}, 'JSON with {"a": 1}'),
    Words("any", {"any": True}, "anything"),
    Words("any-of", {"any": ["a", {"contains": "b"}]}, 'one of "a", text that contains "b"'),
    Words("long", "x" * 500, '"' + "x" * 196 + "..."),
]


@pytest.mark.parametrize("case", WORDS, ids=lambda case: case.id)
def test_in_words(case: Words) -> None:
    assert in_words(case.value) == case.text


def test_a_mismatch_is_one_line() -> None:
    found = mismatch({"a": {"contains": "x\ny"}}, {"a": "z"}, "result.content")

    assert str(found) == 'result.content.a: expected text that contains "x\\ny", got "z"'
