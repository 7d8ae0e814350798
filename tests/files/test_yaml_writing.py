from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from toolreplay.files.yaml import read_documents
from toolreplay.files.yaml_writing import WIDTH, yaml_text

YAML_LIKE = st.text(
    st.sampled_from("ab:-?[]{}&*!|>'\"%@`#,<~= \n\t\r\\0123.eEnoyx_/\ufeff\x00\x7f\x85\u2028é🌧"), max_size=60
)
SENTENCES = st.lists(st.sampled_from(["rain", "and", "- no", "#", "a: b", "", "  ", "\n", "\n\n", "\t"]), max_size=60)
WORDS = YAML_LIKE | st.text() | st.text(st.characters(categories=["Cs", "Cc", "L"])) | SENTENCES.map(" ".join)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
    max_leaves=8,
)


@dataclass(frozen=True)
class Case:
    id: str
    value: dict[str, Any]
    text: str


LONG = "It rains in Oslo, and it will rain tomorrow as well, " * 2 + "and then it snows."
CASES = (
    Case(
        "plain",
        {"a": "4 degrees and rain", "b": [1, 2.5, True, None]},
        "a: 4 degrees and rain\nb: [1, 2.5, true, null]\n",
    ),
    Case("words of YAML 1.1", {"a": "no", "b": "12:30", "c": "2026-01-31"}, 'a: "no"\nb: "12:30"\nc: "2026-01-31"\n'),
    Case("a number of JSON only", {"a": "1e5", "b": 1e5}, 'a: "1e5"\nb: 100000.0\n'),
    Case("empty", {"a": "", "b": {}, "c": []}, 'a: ""\nb: {}\nc: []\n'),
    Case("quotes", {"a": 'say "no": it\'s late'}, "a: 'say \"no\": it''s late'\n"),
    Case("what cannot be seen", {"a": "\x00\x7f\ud800\u2028"}, 'a: "\\x00\\x7f\\ud800\\u2028"\n'),
    Case(
        "several lines",
        {"a": {"b": "one\n\ntwo\n", "c": "x\ny"}},
        "a:\n  b: |\n    one\n\n    two\n  c: |-\n    x\n    y\n",
    ),
    Case("lines with space before", {"a": [" one\ntwo\n\n"]}, "a:\n  - |2+\n     one\n    two\n\n"),
    Case("one long line", {"a": LONG}, f"a: >-\n  {LONG[:105]}\n  {LONG[106:]}\n"),
    Case("a list in a list", {"a": [[1, ["x" * 120]]]}, "a:\n  - - 1\n    - - " + "x" * 120 + "\n"),
    Case("opened", {"open": [{"a": 1, "b": {"c": 2}}]}, "open:\n  - a: 1\n    b: {c: 2}\n"),
    Case("a colon on one line", {"a": {"b": "m:f"}}, 'a: {b: "m:f"}\n'),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_value_as_a_person_would_write_it(case: Case) -> None:
    text = yaml_text(case.value, opened={"open"})

    assert text == case.text
    assert read_documents(text, "w.yaml")[0].data == case.value


@given(st.dictionaries(WORDS, JSON, min_size=1))
@example({"k" * 1100: {"k" * 2000: {"a": 1}}, "...": "... x", "<<": {"a": 1}, "\ud83d": "x\ny \n  \nz"})
def test_what_is_written_is_read_back(value: dict[str, Any]) -> None:
    value = json.loads(json.dumps(value))  # two halves of a character are one in JSON
    text = yaml_text(value, opened={"a"})
    found = read_documents(text, "w.yaml")[0].data

    assert (found, json.dumps(found)) == (value, json.dumps(value))


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.lists(WORDS), min_size=1))
def test_other_readers_of_yaml_see_the_same(value: dict[str, Any]) -> None:
    value = json.loads(json.dumps(value))

    assert yaml.safe_load(yaml_text(value)) == value


@given(st.dictionaries(st.sampled_from("abc"), JSON, min_size=1))
def test_values_on_one_line_are_no_longer_than_a_line(value: dict[str, Any]) -> None:
    flows = [line for line in yaml_text(value).splitlines() if line.endswith(("]", "}"))]

    assert all(len(line) <= WIDTH for line in flows if ": {" in line or ": [" in line)


@pytest.mark.parametrize(
    "number", [float("nan"), float("inf"), 10**500, -(10**5000)], ids=["nan", "inf", "long", "longer"]
)
def test_a_number_that_no_file_can_hold_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="is no number that a file can hold"):
        yaml_text({"a": number})
