from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.cassette.json_text import DuplicateKeyError, entries, entry_lines, loads

_KEYS = st.sampled_from(["interactions", "http_interactions", "log", "entries", "requests", '"', "\\", "\u2028"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(_JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_lines_are_those_of_the_entries(value: object, indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    lines = entry_lines(text)

    assert len(lines) == len(entries(value))
    for entry, line in zip(entries(value), lines, strict=True):
        first = json.dumps(entry, indent=indent, ensure_ascii=escaped).split("\n")[0]
        assert first in text.split("\n")[line - 1]


@given(_JSON)
def test_what_has_no_key_twice_is_loaded_as_ever(value: object) -> None:
    text = json.dumps(value)

    assert json.dumps(loads(text)) == json.dumps(loads(text.encode("utf-16"))) == text


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('{"a": 1, "a": 1}', 1, "a"),
        ('{"a": {"b": 1},\n "c": [{"b": 1,\n\n "b": 2}]}', 4, "b"),
        ('{"a": "}{\\"a\\": ",\n "b": {"a": 1},\n "\\u0061"\n: 2}', 3, "a"),
        ('{"\\n\\n": 1,\n "x": 1, "\\n\\n": 2}', 2, "\n\n"),
    ],
)
def test_a_key_that_stands_twice_is_told_with_its_line(text: str, line: int, key: str) -> None:
    with pytest.raises(DuplicateKeyError) as caught:
        loads(text)

    assert (str(caught.value), caught.value.line) == (key, line)
    assert "\n" not in caught.value.reason
