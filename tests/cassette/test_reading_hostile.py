from __future__ import annotations

import base64
import gzip
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolreplay.cassette import bodies, plain_yaml
from toolreplay.cassette.reading import NotARecording, UnreadableError, parse_recording, read_recording
from toolreplay.errors import CassetteError

URL = "https://api.anthropic.com/v1/messages"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = f"a: &a {dict.fromkeys(range(1000), 1)}\nb: {{<<: [{', '.join(['*a'] * 1100)}]}}\n"
ZIPPED = gzip.compress(b'{"type": "message"}')


def _vcr(body: str, *, url: str = URL, encoding: str = "gzip", status: str = "200") -> str:
    return f"""\
version: 1
interactions:
- request: {{method: POST, uri: {url}, body: ''}}
  response:
    status: {{code: {status}}}
    headers: {{content-encoding: [{encoding}]}}
    body: {{string: {body}}}
"""


def _binary(data: bytes) -> str:
    return f"!!binary {base64.b64encode(data).decode()}"


@dataclass(frozen=True)
class Case:
    id: str
    content: bytes | str
    line: int
    reason: str
    kind: type[UnreadableError] = UnreadableError
    name: str = "a.yaml"


REQUEST = "interactions:\n- request:\n    uri: /v1/messages\n    method: POST\n"
UNKNOWN = "holds no recorded exchanges in a format that toolreplay knows"
ITSELF = "the alias *a stands for nothing before it, or for itself"
NO_BROTLI = "a body is brotli, which needs a package; pip install brotli, or record without br in accept-encoding"

CASES = [
    Case("empty", "", 1, "the file is empty", NotARecording),
    Case("blank", " \n\n", 1, "the file is empty", NotARecording),
    Case("comment", "# nothing\n", 1, UNKNOWN, NotARecording),
    Case("scenario", "version: 1\nname: x\n", 1, UNKNOWN, NotARecording),
    Case("scalar", "hello", 1, UNKNOWN, NotARecording),
    Case("empty-list", "[]", 1, UNKNOWN, NotARecording),
    Case("no-yaml", "a: 1\nb: [1,\n", 3, "while parsing a flow node did not find expected node content"),
    Case("nul", "a: 1\nb: \x00\n", 2, "control characters are not allowed (byte 8)"),
    Case("not-utf-8", b"a: 1\nb: \xff\n", 2, "invalid leading UTF-8 octet (byte 8)"),
    Case(
        "surrogate-escape",
        'a: 1\nb: "\\ud800"\n',
        2,
        "while parsing a quoted scalar found invalid Unicode character escape code",
    ),
    Case("deep", "[" * 5000, 1, "while increasing flow level exceeded maximum nesting depth", name="a.yaml"),
    Case("deep-json", "[" * 200_000, 1, "is nested too deeply", name="a.json"),
    Case("alias-bomb", BOMB, 8, "its aliases repeat too much"),
    Case("merge-bomb", MERGES, 2, "its merge keys repeat too much"),
    Case("alias-to-itself", "interactions:\n- &a [*a]\n", 2, ITSELF),
    Case("alias-of-other-document", "a: &a 1\n---\nb: *a\n", 3, ITSELF),
    Case("bad-binary", "a:\n  b: !!binary x\n", 2, "a !binary value is no base64"),
    Case("no-json", '{\n "a": }', 2, "is no JSON: Expecting value", name="a.json"),
    Case("json-not-utf-8", b'{\n "a": "\xff"}', 2, "is not UTF-8: invalid start byte", name="a.json"),
    Case("gz-cut", gzip.compress(b"version: 1")[:-9], 1, "is gzip that ends too early", name="a.yaml.gz"),
    Case(
        "gz-damaged",
        b"\x1f\x8bxxxxxxxxxxxx",
        1,
        "is damaged gzip: Error -3 while decompressing data: unknown compression method",
    ),
    Case("gz-bomb", gzip.compress(b"x" * 5000), 1, "is gzip of more than 0 MB when it is decompressed"),
    Case("body-cut", _vcr(_binary(ZIPPED[:-9])), 5, "a body is gzip that ends too early"),
    Case(
        "body-damaged",
        _vcr(_binary(b"\x1f\x8b123456789")),
        5,
        "a body is damaged gzip: Error -3 while decompressing data: unknown compression method",
    ),
    Case(
        "body-bomb",
        _vcr(_binary(gzip.compress(b"x" * 5000))),
        5,
        "a body is gzip of more than 0 MB when it is decompressed",
    ),
    Case(
        "body-deflate",
        _vcr(_binary(b"\x78\x9cxxxx"), encoding="deflate"),
        5,
        "a body is deflate that ends too early",
    ),
    Case("body-brotli", _vcr(_binary(b"\x0b\x02\x80hello\x03"), encoding="br"), 5, NO_BROTLI),
    Case(
        "body-zstd",
        _vcr(_binary(b"\x28\xb5\x2f\xfdxx"), encoding="zstd"),
        5,
        "a body is zstd, which cannot be read here; record without zstd in accept-encoding",
    ),
    Case(
        "body-base64",
        REQUEST + "    body: {base64_string: '1'}\n",
        3,
        "a body is no base64, though the recording says so",
    ),
    Case(
        "body-no-json",
        REQUEST + "    parsed_body: {a: !!binary aGk=}\n",
        3,
        "a body is parsed JSON that holds what JSON cannot",
    ),
    Case("no-request", "interactions:\n- {}\n", 2, "interactions[0] has no request"),
    Case("interaction-no-mapping", "interactions:\n- 3\n", 1, "interactions[0] has no request"),
    Case("no-url", "interactions:\n- request: {method: GET}\n", 2, "a request has no URL, but None"),
    Case("no-status", _vcr("''", status="ok"), 5, "a response has the status 'ok', not a number"),
    Case("uneven-lists", "requests: []\nresponses: [{}]\n", 1, "it has 0 requests and 1 responses"),
    Case(
        "own-format",
        "toolreplay: {format: 99}\ninteractions: []\n",
        1,
        "toolreplay format 99 is not known; update toolreplay or record again",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_unreadable(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LIMIT", 4096)
    monkeypatch.setattr(bodies, "_BROTLI_MODULES", ("toolreplay_no_such_module",))
    content = case.content if isinstance(case.content, bytes) else case.content.encode()

    with pytest.raises(CassetteError) as caught:
        parse_recording(content, case.name)

    assert (type(caught.value), str(caught.value)) == (case.kind, f"{case.name}:{case.line}: {case.reason}")


@pytest.mark.parametrize("kind", ["missing", "folder", "locked"])
def test_a_file_that_cannot_be_opened(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    if kind == "folder":
        path.mkdir()
    if kind == "locked":
        if os.geteuid() == 0:
            pytest.skip("root may read every file")
        path.write_text("interactions: []")
        path.chmod(0)
    reason = {
        "missing": "No such file or directory",
        "folder": "Is a directory",
        "locked": "Permission denied",
    }[kind]

    with pytest.raises(UnreadableError) as caught:
        read_recording(path)

    assert str(caught.value) == f"{path}:1: cannot be read: {reason}"


def test_what_is_damaged_beside_the_calls_of_the_model_is_let_be() -> None:
    recording = parse_recording(_vcr(_binary(ZIPPED[:-9]), url="https://example.com/").encode(), "a.yaml")

    assert [interaction.response and interaction.response.body for interaction in recording.interactions] == [
        ZIPPED[:-9]
    ]


def test_nothing_a_tag_names_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    tags = [
        f"!!python/object/apply:os.system ['touch {mark}']",
        f"!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{mark}']]",
        "!!python/name:os.system ''",
        "!!python/module:this ''",
        f"!!python/object/new:type {{args: [x, !!python/tuple [], {{}}], state: {{a: '{mark}'}}}}",
        "!ruby/object:Gem::Installer {i: x}",
        "!unknown [1]",
        "! 1",
    ]
    for tag in tags:
        content = f"interactions:\n- request: {{uri: x, headers: {{a: {tag}}}}}\n"
        assert len(parse_recording(content.encode(), "a.yaml").interactions) == 1
    assert not mark.exists()


def test_keys_in_keys_in_keys_stay_short() -> None:
    start = time.process_time()
    for content in ("{" * 900 + "}" * 900, "? " * 900 + "x", "? " + "[" * 900 + "]" * 900 + "\n: 1"):
        with pytest.raises(NotARecording):
            parse_recording(content.encode(), "a.yaml")
    assert time.process_time() - start < 5, "each level doubled the escapes of the one below"


def test_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_yaml, "_MOST_VALUES", 10)
    with pytest.raises(UnreadableError) as caught:
        parse_recording(b"interactions:\n" + b"- x\n" * 20, "a.yaml")

    assert str(caught.value) == "a.yaml:8: it holds more than 10 values"


def test_keys_that_cannot_be_keys() -> None:
    content = "interactions:\n- request: {uri: x, headers: {? [a, b] : 1, ? {c: d} : 2, 3: 4}}\n"
    (interaction,) = parse_recording(content.encode(), "a.yaml").interactions

    assert interaction.request.headers == {"['a', 'b']": "1", "{'c': 'd'}": "2", "3": "4"}


_NAMES = [
    "base64_string",
    "body",
    "code",
    "content",
    "entries",
    "headers",
    "interactions",
    "log",
    "method",
    "parsed_body",
    "path",
    "postData",
    "request",
    "requests",
    "response",
    "responses",
    "scope",
    "status",
    "string",
    "text",
    "then",
    "toolreplay",
    "uri",
    "url",
    "when",
]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_is_read_or_refused(value: object) -> None:
    _read_or_refuse(json.dumps(value).encode(), "a.json")
    _read_or_refuse(json.dumps({"interactions": [value, {"request": value, "response": value}]}).encode(), "a.yaml")
    _read_or_refuse(json.dumps([{"request": value, "response": value}]).encode(), "a.json")


@given(st.binary() | st.text(alphabet="-:[]{}&*!|>'\"a1 \n").map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    _read_or_refuse(data, "a.yaml")
    _read_or_refuse(b"interactions:\n" + data, "a.yaml")
    _read_or_refuse(b"\x1f\x8b" + data, "a.yaml.gz")


def _read_or_refuse(data: bytes, name: str) -> None:
    try:
        parse_recording(data, name)
    except CassetteError as error:
        message = str(error)
    else:
        message = f"{name}: read"
    assert "\n" not in message
    assert message.startswith(f"{name}:")
