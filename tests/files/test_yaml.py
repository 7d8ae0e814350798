from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import yaml

from toolreplay.files.yaml import MAX_BYTES, YamlError, read_documents, read_file
from toolreplay.files.yaml_nodes import MAX_DEPTH, MAX_VALUES

if TYPE_CHECKING:
    from pathlib import Path

needs_libyaml = pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="the wording of syntax errors is libyaml's")


@dataclass(frozen=True)
class Case:
    id: str
    text: str
    expected: object


def _bomb() -> str:
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for last, name in zip("abcdefgh", "bcdefghi", strict=True):
        tenfold = ", ".join([f"*{last}"] * 10)
        lines.append(f"{name}: &{name} [{tenfold}]")
    return "\n".join(lines)


NEST = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
VALUES = [
    Case("nothing", "v:", None),
    Case("null", "v: null", None),
    Case("tilde", "v: ~", "~"),
    Case("NULL", "v: NULL", "NULL"),
    Case("true", "v: true", True),
    Case("false", "v: false", False),
    Case("True", "v: True", "True"),
    Case("yes", "v: yes", "yes"),
    Case("no", "v: no", "no"),
    Case("on", "v: on", "on"),
    Case("time", "v: 12:30", "12:30"),
    Case("hexadecimal", "v: 0x10", "0x10"),
    Case("octal", "v: 0o17", "0o17"),
    Case("leading-zero", "v: 010", "010"),
    Case("underscore", "v: 1_000", "1_000"),
    Case("plus", "v: +1", "+1"),
    Case("bare-fraction", "v: .5", ".5"),
    Case("dot-at-end", "v: 1.", "1."),
    Case("infinity", "v: .inf", ".inf"),
    Case("not-a-number", "v: .nan", ".nan"),
    Case("other-digits", "v: \u0661", "\u0661"),
    Case("date", "v: 2020-01-01", "2020-01-01"),
    Case("datetime", "v: 2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
    Case("integer", "v: 12", 12),
    Case("negative", "v: -12", -12),
    Case("big", "v: 123456789012345678901234567890", 123456789012345678901234567890),
    Case("fraction", "v: -1.5", -1.5),
    Case("exponent", "v: 1e3", 1000.0),
    Case("single-quotes", "v: '12'", "12"),
    Case("double-quotes", 'v: "true"', "true"),
    Case("empty-quotes", 'v: ""', ""),
    Case("escape", 'v: "\\x00\\e\\U0001F600"', "\x00\x1b\U0001f600"),
    Case("surrogate-escape", 'v: "\\ud800"', "\ud800"),
    Case("surrogate-escapes-of-json", 'v: "\\uD83D\\ude00"', "\U0001f600"),
    Case("literal-block", "v: |\n  12\n", "12\n"),
    Case("tag-str", "v: !!str 12", "12"),
    Case("tag-int", "v: !!int '12'", 12),
    Case("tag-float", "v: !!float 12", 12.0),
    Case("tag-bool", "v: !!bool true", True),
    Case("tag-null", "v: !!null", None),
    Case("tag-list", "v: !!seq [1]", [1]),
    Case("tag-mapping", "v: !!map {a: 1}", {"a": 1}),
    Case("list", "v: [1, no, {a: on}]", [1, "no", {"a": "on"}]),
    Case("odd-keys", "v: {no: 1, ~: 2, 12:30: 3, '1': 4}", {"no": 1, "~": 2, "12:30": 3, "1": 4}),
    Case("quoted-merge", "v: {'<<': 1}", {"<<": 1}),
    Case("deep", f"v: {NEST}", json.loads(NEST)),
]


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case.id)
def test_values_are_of_jsons_types(case: Case) -> None:
    [document] = read_documents(case.text, "w.yaml")

    assert document.data == {"v": case.expected}
    assert type(document.data) is dict
    assert type(document.data["v"]) is type(case.expected)


DOCUMENTS = [
    Case("empty", "", []),
    Case("blank", " \n\n", []),
    Case("comments", "# nothing\n# here\n", []),
    Case("marker", "---\n", [None]),
    Case("trailing-marker", "a: 1\n---\n", [{"a": 1}, None]),
    Case("two", "a: 1\n---\na: 2\n", [{"a": 1}, {"a": 2}]),
    Case("byte-order-mark", "\ufeffa: 1", [{"a": 1}]),
    Case("windows-lines", "a: 1\r\nb:\r\n  - 2\r\n", [{"a": 1, "b": [2]}]),
    Case("scalar", "text", ["text"]),
    Case("directive", "%YAML 1.2\n---\na: no\n", [{"a": "no"}]),
    Case("alias", "a: &x [1]\nb: *x\n", [{"a": [1], "b": [1]}]),
    Case("alias-of-null", "a: &x\nb: *x\n", [{"a": None, "b": None}]),
    Case("merge", "a: &x {p: 1, q: 2}\nb: {<<: *x, p: 3}", [{"a": {"p": 1, "q": 2}, "b": {"p": 3, "q": 2}}]),
    Case("merge-list", "a: {<<: [{p: 1}, {p: 2, q: 2}], r: 3}", [{"a": {"p": 1, "q": 2, "r": 3}}]),
    Case("hundred", "---\na: 1\n" * 100, [{"a": 1}] * 100),
]


@pytest.mark.parametrize("case", DOCUMENTS, ids=lambda case: case.id)
def test_documents(case: Case) -> None:
    assert [document.data for document in read_documents(case.text, "w.yaml")] == case.expected


def test_aliases_are_copies() -> None:
    [document] = read_documents("a: &x {p: [1]}\nb: *x\n", "w.yaml")
    assert isinstance(document.data, dict)

    document.data["a"]["p"].append(2)

    assert document.data["b"] == {"p": [1]}


@dataclass(frozen=True)
class Spot:
    id: str
    path: tuple[str | int, ...]
    line: int


TEXT = """# a comment

name: x
tools:
  - name: &anchored
      first: 1
      second: 2
    raise:
      type: X

  - {a: 1,
     b: [1,
         2]}
again:
  *anchored
merged:
  <<: *anchored
  own: 1
text: |
  one
  two
"""
SPOTS = [
    Spot("document", (), 3),
    Spot("scalar", ("name",), 3),
    Spot("list", ("tools",), 4),
    Spot("item", ("tools", 0), 5),
    Spot("key-not-value", ("tools", 0, "raise"), 8),
    Spot("nested", ("tools", 0, "raise", "type"), 9),
    Spot("absent-field", ("tools", 0, "raise", "message"), 8),
    Spot("absent-branch", ("tools", 7, "name"), 4),
    Spot("flow", ("tools", 1, "b", 1), 13),
    Spot("alias", ("again",), 14),
    Spot("inside-alias", ("again", "second"), 7),
    Spot("merged", ("merged", "first"), 6),
    Spot("beside-merged", ("merged", "own"), 18),
    Spot("block-text", ("text",), 19),
]


@pytest.mark.parametrize("spot", SPOTS, ids=lambda spot: spot.id)
def test_fields_keep_their_lines(spot: Spot) -> None:
    [document] = read_documents(TEXT, "w.yaml")

    assert document.positions.line(spot.path) == spot.line
    assert document.line == 3


def test_lines_go_on_in_later_documents() -> None:
    documents = read_documents("a: 1\n---\n\na: 2\nb: 3\n", "w.yaml")

    assert [(document.line, document.positions.line(("b",))) for document in documents] == [(1, 1), (4, 5)]


LEAVE = "is not read, values are plain data; leave the tag out"
TOO_MANY = "more than 100,000 values, aliases written out; use fewer aliases, or split the file"
TOO_DEEP = "values are nested more than 100 deep; flatten them"
ESCAPE = 'is not allowed in YAML; remove it, or write an escape such as "\\x00" in double quotes'
ADD = "add it, or put the value in quotes"
SINCE = "that starts on line 1; check quotes, brackets and indentation"
NOT = "not YAML: "
QUOTE = "put the value in quotes, or check the indentation"
CHECK = "check quotes, brackets and indentation"
REFUSED = [
    Case("duplicate-key", "a: 1\nb: 2\na: 3", "3: the key 'a' stands twice, first on line 1; remove one"),
    Case("nested-duplicate", "a:\n  b: 1\n  'b': 2", "3: the key 'b' stands twice, first on line 2; remove one"),
    Case("number-key", "a:\n  1: x", '2: the key 1 is not text; put it in quotes: "1"'),
    Case("boolean-key", "true: x", '1: the key true is not text; put it in quotes: "true"'),
    Case("null-key", "null: x", '1: the key null is not text; put it in quotes: "null"'),
    Case("list-key", "? [a]\n: x", "1: a key is a list or mapping; keys are text"),
    Case(
        "python-object",
        "a: !!python/object/apply:os.system [ls]",
        f"1: the tag '!!python/object/apply:os.system' {LEAVE}",
    ),
    Case("python-name", "a: !!python/name:os.system", f"1: the tag '!!python/name:os.system' {LEAVE}"),
    Case("own-tag", "a: !env HOME", f"1: the tag '!env' {LEAVE}"),
    Case("bare-tag", "a: ! 12", f"1: the tag '!' {LEAVE}"),
    Case("tag-set", "a: !!set {x}", f"1: the tag '!!set' {LEAVE}"),
    Case("tag-binary", "a: !!binary eA==", f"1: the tag '!!binary' {LEAVE}"),
    Case("tag-on-wrong-kind", "a: !!seq {}", f"1: the tag '!!seq' {LEAVE}"),
    Case("tag-misfit", "a: !!int twelve", "1: the tag '!!int' does not fit 'twelve'; leave the tag out"),
    Case("tag-bool-misfit", "a: !!bool yes", "1: the tag '!!bool' does not fit 'yes'; leave the tag out"),
    Case(
        "aliased-tag",
        "%TAG ! tag:yaml.org,2002:python/\n---\na: !name:os.system",
        f"3: the tag '!!python/name:os.system' {LEAVE}",
    ),
    Case(
        "merge-of-text",
        "a: {<<: b}",
        "1: '<<' takes a mapping or a list of mappings; put it in quotes if it is a key",
    ),
    Case("recursive-list", "a: &a [*a]", "1: the alias '*a' stands inside its own anchor; write the value out"),
    Case(
        "recursive-mapping",
        "a: &a\n  b:\n    c: *a",
        "3: the alias '*a' stands inside its own anchor; write the value out",
    ),
    Case("unknown-alias", "a: *b", f"1: no anchor '&b' stands before the alias '*b'; {ADD}"),
    Case(
        "alias-of-other-document",
        "a: &x 1\n---\nb: *x",
        f"3: no anchor '&x' stands before the alias '*x'; {ADD}",
    ),
    Case("alias-bomb", _bomb(), f"5: {TOO_MANY}"),
    Case("too-many", "- 1\n" * MAX_VALUES, f"100000: {TOO_MANY}"),
    Case("too-deep", "[" * 101, f"1: {TOO_DEEP}"),
    Case("far-too-deep", "[" * 200_000, f"1: {TOO_DEEP}"),
    Case("deep-mappings", "{a: " * 5_000, f"1: {TOO_DEEP}"),
    Case(
        "deep-by-alias",
        "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60,
        f"2: {TOO_DEEP}",
    ),
    Case("long-number", f"a: {'9' * 5000}", "1: a number of 5000 characters is too long; put it in quotes"),
    Case("large-number", "a: 1e999", "1: the number 1e999 is too large; put it in quotes"),
    Case("nul", "a: 1\nb: \0", f"2: the character U+0000 {ESCAPE}"),
    Case("escape-character", "a: \x1b[0m", f"1: the character U+001B {ESCAPE}"),
    Case("surrogate", "a: \ud800", f"1: the character U+D800 {ESCAPE}"),
    Case("large-text", "#" * (MAX_BYTES + 1), "1: the file is over 10 MB; split it"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_refused(case: Case) -> None:
    with pytest.raises(YamlError) as caught:
        read_documents(case.text, "w.yaml")

    assert str(caught.value) == f"w.yaml:{case.expected}"


SYNTAX = [
    Case("tab", "a:\n\tb: 1", "2: a tab stands where YAML takes only spaces; indent with spaces"),
    Case("at-sign", "a: @x", "1: a plain value cannot start with '@'; put the value in quotes"),
    Case("backtick", "a: `x`", "1: a plain value cannot start with '`'; put the value in quotes"),
    Case("colon", "a: b: c", f"1: a ': ' stands where no key may be; {QUOTE}"),
    Case("indentation", "a: 1\n b: 2", f"2: a ': ' stands where no key may be; {QUOTE}"),
    Case(
        "open-bracket",
        "a: [1,\nb: 2\n",
        f"3: {NOT}did not find expected ',' or ']' while parsing a flow sequence {SINCE}",
    ),
    Case(
        "open-quote",
        "a: 'x\nb: 1\n",
        f"3: {NOT}found unexpected end of stream while scanning a quoted scalar {SINCE}",
    ),
    Case(
        "list-then-key",
        "- a\nb: 1",
        f"2: {NOT}did not find expected '-' indicator while parsing a block collection {SINCE}",
    ),
    Case("bad-escape", 'a: "\\q"', f"1: not YAML: found unknown escape character; {CHECK}"),
]


@needs_libyaml
@pytest.mark.parametrize("case", SYNTAX, ids=lambda case: case.id)
def test_syntax_errors(case: Case) -> None:
    with pytest.raises(YamlError) as caught:
        read_documents(case.text, "w.yaml")

    assert str(caught.value) == f"w.yaml:{case.expected}"
    assert "\n" not in str(caught.value)


def test_a_tag_that_would_run_code_runs_none(tmp_path: Path) -> None:
    target = tmp_path / "made"
    with pytest.raises(YamlError):
        read_documents(f"a: !!python/object/apply:os.mkdir ['{target}']", "w.yaml")

    assert not target.exists()


def test_errors_say_where() -> None:
    with pytest.raises(YamlError) as caught:
        read_documents("a: 1\na: 2", "w.yaml")

    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.name, error.line, error.message) == (
        "w.yaml",
        2,
        "the key 'a' stands twice, first on line 1; remove one",
    )


@dataclass(frozen=True)
class FileCase:
    id: str
    raw: bytes
    expected: str


FILES = [
    FileCase("latin-1", b"a: 1\nb: caf\xe9\n", "w.yaml:2: byte 0xe9 is not UTF-8; save the file as UTF-8"),
    FileCase("utf-16", "a: 1".encode("utf-16-le"), f"w.yaml:1: the character U+0000 {ESCAPE}"),
    FileCase("utf-16-mark", "a: 1".encode("utf-16"), "w.yaml:1: byte 0xff is not UTF-8; save the file as UTF-8"),
    FileCase("large", b"#" * (MAX_BYTES + 1), "w.yaml:1: the file is over 10 MB; split it"),
]


@pytest.mark.parametrize("case", FILES, ids=lambda case: case.id)
def test_files_refused(case: FileCase, tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(case.raw)

    with pytest.raises(YamlError) as caught:
        read_file(path, "w.yaml")

    assert str(caught.value) == case.expected


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(YamlError) as absent:
        read_file(tmp_path / "w.yaml", "w.yaml")
    with pytest.raises(YamlError) as folder:
        read_file(tmp_path, "folder")

    hint = "check the path and its permissions"
    assert str(absent.value) == f"w.yaml:1: cannot be read: No such file or directory; {hint}"
    assert str(folder.value) == f"folder:1: cannot be read: Is a directory; {hint}"


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: caf\xc3\xa9\r\n")

    assert [document.data for document in read_file(path, "w.yaml")] == [{"a": "café"}]


def test_pydantic_is_not_imported() -> None:
    code = "import sys, toolreplay.files.yaml, toolreplay.scenario.head; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
