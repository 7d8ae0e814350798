from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from toolreplay.files.yaml import YamlError, read_documents

# What YAML takes in a file as it is; a JSON text escapes the rest in ways that YAML does not read.
WORDS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
    max_leaves=20,
)
YAML_LIKE = st.text(st.sampled_from("ab:-?[]{}&*!|>'\"%@`#,<~ \n\t\r\\0123.\ufeff\x00é"), max_size=60)


@given(JSON)
def test_json_means_itself(value: object) -> None:
    [document] = read_documents(json.dumps(value, indent=1), "w.yaml")

    assert document.data == value


@given(YAML_LIKE | st.text())
@example("\ud800")
@example("a: !<tag:yaml.org,2002:python/name:os.system> x")
@example("%TAG ! x\n%TAG ! y\n--- a")
@example("%YAML 9.9\n--- a")
def test_any_text_is_read_or_refused_on_one_line(text: str) -> None:
    refused = _refusal(text)

    if refused is not None:
        assert "\n" not in str(refused)
        assert 1 <= refused.line <= len(text.splitlines()) + 1


def _refusal(text: str) -> YamlError | None:
    try:
        read_documents(text, "w.yaml")
    except YamlError as error:
        return error
    return None
