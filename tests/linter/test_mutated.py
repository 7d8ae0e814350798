from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linter.build import BAD, URL
from tests.linter.recordings import RECORDINGS
from toolreplay.linter import Report, check_text


def _judged_or_refused(data: bytes, name: str) -> Report:
    report = check_text(data, name)
    for entry in report.unreadable:
        assert entry.line >= 1
        assert entry.reason
        assert "\n" not in entry.reason
    return report


@pytest.mark.parametrize("name", RECORDINGS)
def test_each_recording_is_read_as_it_is(name: str) -> None:
    report = _judged_or_refused(RECORDINGS[name], name)

    assert report.unreadable == ()
    assert "TR102" in {one.finding.code for one in report.findings} or name == "converse.yaml"


Mutation = Callable[[bytes], bytes]
_WORDS = st.sampled_from(
    [
        *(
            b"\0",
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"\x1f\x8b",
            b"\n---\n",
            b"\r",
            b"\xed\xa0\x80",
            b"&a ",
            b"*a",
            b"<<: ",
        ),
        *(
            b"!!binary ",
            b"!!python/object/apply:os.system ",
            b"? ",
            b"- ",
            b"{",
            b"}",
            b"[",
            b"]",
            b'"',
            b"'",
            b": ",
        ),
        *(
            b"null",
            b"-1",
            b"1e999",
            b"NaN",
            b"9" * 400,
            b"[" * 200,
            b"\\ud800",
            b"interactions:",
            b"00000000",
            b"AAAA",
        ),
    ]
)


@st.composite
def mutations(draw: st.DrawFn) -> Mutation:
    """A change of bytes: cut out, repeated, moved, or put in."""
    at, length, to = (draw(st.floats(0, 1)) for _ in range(3))
    kind = draw(st.sampled_from(["cut", "end", "repeat", "move", "word", "flip"]))
    word = draw(_WORDS)

    def mutate(data: bytes) -> bytes:
        start = int(at * len(data))
        end = start + int(length**4 * (len(data) - start))
        other = int(to * len(data))
        match kind:
            case "cut":
                return data[:start] + data[end:]
            case "end":
                return data[:start]
            case "repeat":
                return data[:end] + data[start:end] * 3 + data[end:]
            case "move":
                return data[:other] + data[start:end] + data[other:]
            case "flip":
                return data[:start] + bytes(byte ^ 0x20 for byte in data[start : start + 1]) + data[start + 1 :]
        return data[:start] + word + data[start:]

    return mutate


@settings(max_examples=300)
@given(st.sampled_from(sorted(RECORDINGS)), st.lists(mutations(), min_size=1, max_size=4), st.data())
def test_bytes_that_were_changed(name: str, changes: list[Mutation], data: st.DataObject) -> None:
    changed = RECORDINGS[name]
    for change in changes:
        changed = change(changed)
    read_as = data.draw(st.sampled_from([name, "-", "a.json", "a.yaml", "a.jsonl"]))

    _judged_or_refused(changed, read_as)


_ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(
            None,
            True,
            0,
            -1,
            2**70,
            1.5,
            float("nan"),
            "",
            "\ud800",
            "é\0",
            "1" * 5000,
            [],
            {},
            [[]],
            [{}],
            [None],
            {"": []},
        ),
        *(
            {"type": "text"},
            {"type": "tool_use"},
            {"role": []},
            [["a", "b"]],
            [{"name": 1}],
            {"string": 1},
            BAD,
        ),
        *(
            {"base64_string": "*"},
            {"encoding": "UTF-8", "string": None},
            "H4sIAAAAAAAA",
            "AAAAEA==",
            "00000010",
            URL,
        ),
        *(
            {"extends": 0},
            {"extends": True},
            {"code": "x"},
            {"code": 10**400},
            {"entries": 3},
            {"messages": [3]},
        ),
    ]
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in inner for place in _places(child, (*path, key)))]


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _put(value[path[0]], path[1:], new)
    return copy


_TREES = {name: json.loads(data) for name, data in RECORDINGS.items() if name.endswith((".json", ".har"))}


@settings(max_examples=300)
@given(st.sampled_from(sorted(_TREES)), st.data())
def test_values_that_were_changed(name: str, data: st.DataObject) -> None:
    changed = _TREES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        changed = _put(changed, data.draw(st.sampled_from(_places(changed))), data.draw(_ODD))
    text = json.dumps(changed)

    for read_as in (name, "a.yaml", "a.jsonl"):
        _judged_or_refused(text.encode(), read_as)


@dataclass(frozen=True)
class Found:
    """What a fuzzer found once."""

    id: str
    name: str
    data: bytes


FOUND: list[Found] = [
    Found("keys in keys, each doubling the escapes of the one below", "a.yaml", b"{" * 900 + b"}" * 900),
]


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.id)
def test_what_was_found(case: Found) -> None:
    _judged_or_refused(case.data, case.name)
