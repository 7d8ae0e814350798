from __future__ import annotations

import copy
import json
import time
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.format import FORMAT, decode_cassette, encode, normalised
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.errors import CassetteError
from toolreplay.wire.http import HttpResponse

Json = dict[str, Any]
URL: Final = "https://api.anthropic.com/v1/messages"
HEADERS: Final = {"content-type": "application/json"}

# Texts that YAML and its readers like to take for something else, beside any text at all.
_WORDS = st.sampled_from(
    [
        "",
        " ",
        "no",
        "on",
        "~",
        "null",
        "true",
        "-.5",
        "+.5",
        "-.inf",
        ".nan",
        "-.nan",
        "1_000",
        "12:30",
        "0o17",
        "1e5",
        "=",
        "<<",
        "\n",
        "\n\n",
        " \n x",
        "x\r\ny",
        "\t",
        "# no comment",
        "- item",
        "a: b",
        "|",
        "\ufeff",
        "\u2028",
        "\x85",
        "\x7f",
        "é́",
        "😀",
        "�",
        "a�b",
        "%d",
        "---",
        "...",
        "a\n---\nb",
        "x" * 200,
        "'",
        '"',
        "\\n",
        "!!binary x",
        "*alias",
        "&anchor",
        "2026-11-30",
    ]
)
_TEXTS = st.one_of(
    _WORDS,
    st.text(st.characters(exclude_categories=()), max_size=12),
    st.from_regex(r"[-+.0-9eE:_]{1,6}", fullmatch=True),
)
_NUMBERS = st.one_of(
    st.sampled_from([0, 1, 1.0, -0.0, True, False, None, 1e16, 1e-7, 10**30, 0.1]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
_VALUES = st.recursive(
    st.one_of(_TEXTS, _NUMBERS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)),
    max_leaves=6,
)
_MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": _VALUES}), max_size=4
)
_BODIES = st.builds(
    lambda fields, messages: {**fields, "messages": messages},
    st.dictionaries(st.sampled_from(["model", "tools", "system", "stream"]), _VALUES, max_size=3),
    _MESSAGES,
)


@st.composite
def _growing(draw: st.DrawFn) -> list[object]:
    """Bodies that mostly go on from one another, as a loop's do: messages added, cut, fields changed."""
    bodies: list[object] = []
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["grow", "grow", "grow", "new", "any", "bytes"]))
        dicts = [body for body in bodies if isinstance(body, dict)]
        if kind == "grow" and dicts:
            base = copy.deepcopy(draw(st.sampled_from(dicts)))
            kept = base.get("messages")
            if isinstance(kept, list):
                base["messages"] = kept[: draw(st.integers(0, len(kept)))] + draw(_MESSAGES)
            if draw(st.booleans()):
                base[draw(st.sampled_from(["model", "tools", "system"]))] = draw(_VALUES)
            if draw(st.booleans()):
                base.pop(draw(st.sampled_from(["model", "tools", "system"])), None)
            bodies.append(base)
        elif kind == "any":
            bodies.append(draw(st.one_of(st.lists(_VALUES, max_size=2), st.dictionaries(_TEXTS, _VALUES, max_size=3))))
        elif kind == "bytes":
            bodies.append(draw(st.binary(max_size=8)))
        else:
            bodies.append(draw(_BODIES))
    return bodies


def _exchange(body: object, response: HttpResponse | None = None) -> Exchange:
    return Exchange("POST", URL, HEADERS, body, response or HttpResponse(200, HEADERS, b'{"id": "msg_1"}'))


def _exact(body: object) -> object:
    """A body so that 1, 1.0 and true are three things."""
    return body if isinstance(body, bytes) else json.dumps(body, sort_keys=True)


def _through_a_file(path: Path, *exchanges: Exchange) -> tuple[Exchange, ...]:
    write_cassette(path, Cassette(exchanges, Provenance()))
    return read_cassette(path).exchanges


@settings(max_examples=80)
@given(bodies=_growing())
@example(bodies=[{"messages": [{"role": "user", "content": one}]} for one in (1, 1.0, True)])
@example(
    bodies=[
        {"messages": [{"role": "user", "content": [0]}, {"role": "a"}]},
        {"messages": [{"role": "user", "content": [False]}]},
    ]
)
@example(bodies=[{"messages": [{"role": "user", "content": "\ud800"}]}] * 2)
def test_any_bodies_come_back_from_a_file_as_they_were(
    bodies: list[object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "round_trip.yaml"
    again = _through_a_file(file, *map(_exchange, bodies))
    assert [_exact(exchange.body) for exchange in again] == [_exact(_as_parsed(body)) for body in bodies]


def _as_parsed(body: object) -> object:
    """Bytes that are a JSON object or array are kept as such."""
    if not isinstance(body, bytes):
        return body
    try:
        value = json.loads(body)
    except ValueError:
        return body
    return value if isinstance(value, dict | list) else body


@settings(max_examples=100)
@given(
    body=st.one_of(
        st.binary(max_size=20),
        _VALUES.map(lambda value: json.dumps(value).encode()),
        _TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")),
    ),
    kind=st.sampled_from(["application/json", "text/event-stream", ""]),
)
@example(body=b"\xff\xfe", kind="application/json")
@example(body=b'{"a": 1}', kind="")
@example(body=b'{"a": 1.0, "b": true, "c": "\\ud800"}', kind="application/json")
@example(body=b"event: ping\r\ndata: {}\r\n\r\n", kind="text/event-stream")
def test_any_response_comes_back_from_a_file(body: bytes, kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "response.yaml"
    headers = {"content-type": kind} if kind else {}
    (again,) = _through_a_file(file, _exchange({}, HttpResponse(200, headers, body)))
    sent = HttpResponse(200, headers, body)
    if kind == "application/json" and isinstance(sent.json, dict):
        assert _exact(again.response.json) == _exact(sent.json)
    else:
        assert again.response.body == body


def _turns(count: int) -> tuple[Exchange, ...]:
    messages: list[Json] = [{"role": "user", "content": "Count the files."}]
    exchanges = []
    for number in range(count):
        body = {
            "model": "claude-sonnet-5-5",
            "max_tokens": 1024,
            "messages": list(messages),
            "tools": [{"name": "ls"}],
        }
        exchanges.append(_exchange(body))
        call = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "ls",
            "input": {"path": f"/srv/{number}"},
        }
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"file {number}\n" * 3}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return tuple(exchanges)


def test_only_what_is_new_is_written() -> None:
    written = encode(Cassette(_turns(3)))["interactions"]
    assert [one.get("toolreplay") for one in written] == [None, {"extends": 0}, {"extends": 1}]
    assert written[2]["request"]["body"] == {"messages": _turns(3)[2].body["messages"][3:]}  # type: ignore[index]


def test_a_history_that_was_cut_and_fields_that_went_are_written_as_such() -> None:
    (first, second, _) = _turns(3)
    assert isinstance(first.body, dict)
    assert isinstance(second.body, dict)
    cut = {"model": "other", "messages": [*first.body["messages"], {"role": "user", "content": "Go on."}]}
    written = encode(Cassette((second, _exchange(cut))))["interactions"][1]
    assert written["toolreplay"] == {"extends": 0, "keep": 1, "drop": ["max_tokens", "tools"]}
    assert written["request"]["body"] == {
        "model": "other",
        "messages": [{"role": "user", "content": "Go on."}],
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Cassettes of 20 and of 200 turns."""
    files = {count: tmp_path_factory.getbasetemp() / f"turns_{count}.yaml" for count in (20, 200)}
    for count, file in files.items():
        write_cassette(file, Cassette(_turns(count)))
    return files


def test_a_cassette_grows_by_what_is_new(written: dict[int, Path]) -> None:
    assert written[200].stat().st_size / written[20].stat().st_size <= 12


def test_a_cassette_loads_in_time_that_grows_by_what_is_new(written: dict[int, Path]) -> None:
    def load(file: Path) -> float:
        started = time.process_time()
        read_cassette(file)
        return time.process_time() - started

    assert min(load(written[200]) for _ in range(7)) / min(load(written[20]) for _ in range(7)) <= 12


def test_what_a_turn_adds_is_restored_once(tmp_path: Path) -> None:
    exchanges = _through_a_file(tmp_path / "long.yaml", *_turns(50))
    messages = {id(message) for one in exchanges for message in one.body["messages"]}  # type: ignore[index]
    assert len(messages) == 99


SECRETS: Final = {
    "authorization": "Bearer secret-1",
    "x-api-key": "secret-2",
    "cookie": "session=secret-3",
    "proxy-authorization": "Basic secret-4",
    "x-amz-security-token": "secret-5",
    "anthropic-organization-id": "secret-6",
    "set-cookie": "secret-7",
}


def test_no_header_but_the_allowed_ones_reaches_the_file(tmp_path: Path) -> None:
    kept = {"content-type": "application/json", "anthropic-version": "2023-06-01", "anthropic-beta": "a,b"}
    answer = {"content-type": "application/json", "request-id": "req_1", "retry-after": "3"}
    exchange = Exchange("POST", URL, {**SECRETS, **kept}, {}, HttpResponse(200, {**SECRETS, **answer}, b"{}"))
    (again,) = _through_a_file(tmp_path / "c.yaml", exchange)
    assert (again.headers, again.response.headers) == (kept, answer)
    assert "secret" not in (tmp_path / "c.yaml").read_text()


@pytest.mark.parametrize(
    ("count", "kept"), [("0", {}), ("2", {"x-stainless-retry-count": "2"})], ids=["first try", "retried"]
)
def test_only_a_retry_is_worth_its_header(count: str, kept: Json) -> None:
    exchange = Exchange("POST", URL, {"x-stainless-retry-count": count}, {}, HttpResponse(200))
    assert normalised(exchange).headers == kept


def _data(**changes: object) -> Json:
    interaction: Json = {
        "request": {"method": "POST", "uri": URL, "headers": {}, "body": {"messages": [{"role": "user"}]}},
        "response": {"status": {"code": 200, "message": ""}, "headers": {}, "body": {"json": {}}},
    }
    return {"version": 1, "toolreplay": {"format": FORMAT}, "interactions": [interaction], **changes}


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ({"format": 2}, "2"),
        ({"format": "1"}, "'1'"),
        ({}, "None"),
        ("yes", "'yes'"),
        (None, "None"),
        ([1], "[1]"),
    ],
)
def test_a_format_of_another_number_is_refused(head: object, shown: str) -> None:
    with pytest.raises(CassetteError) as caught:
        decode_cassette(_data(toolreplay=head), "c.yaml")
    assert str(caught.value) == (f"c.yaml: toolreplay format {shown} is not known; update toolreplay or record again")


def _broken(**changes: object) -> Json:
    """A second interaction, in place of whose parts others stand: `request__body=...`."""
    data = _data()
    second: Any = copy.deepcopy(data["interactions"][0])
    for name, value in changes.items():
        *path, last = name.split("__")
        holder = second
        for part in path:
            holder = holder[part]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
    return _data(interactions=[*data["interactions"], second])


@pytest.mark.parametrize(
    "changes",
    [
        {"request": ...},
        {"response": None},
        {"request": "GET"},
        {"request__method": ...},
        {"request__method": 5},
        {"request__uri": None},
        {"request__headers": "none"},
        {"response__status": 200},
        {"response__status__code": "200"},
        {"response__status__code": True},
        {"response__body": "text"},
        {"response__body": {"string": 5}},
        {"response__headers": [1]},
        {"toolreplay": {"extends": 7}},
        {"toolreplay": {"extends": 1}},
        {"toolreplay": {"extends": -1}},
        {"toolreplay": {"extends": "0"}},
        {"toolreplay": {"extends": 0, "keep": "all"}},
        {"toolreplay": {"extends": 0, "keep": -1}},
        {"toolreplay": {"extends": 0, "drop": 5}},
        {"toolreplay": {"extend": 0}},
        {"toolreplay": "extends"},
        {"toolreplay": {"extends": 0}, "request__body": "text"},
        {"toolreplay": {"extends": 0}, "request__body": {}},
        {"toolreplay": {"extends": 0}, "request__body": None},
        {"toolreplay": {"extends": 0}, "request__body": {"messages": "all"}},
    ],
    ids=str,
)
def test_a_broken_interaction_is_one_line_with_its_index(changes: Json) -> None:
    with pytest.raises(CassetteError) as caught:
        decode_cassette(_broken(**changes), "c.yaml")
    message = str(caught.value)
    assert message.startswith("c.yaml: interaction 1 is broken (")
    assert message.endswith("); record the scenario again")
    assert "\n" not in message


@pytest.mark.parametrize("interactions", [5, "text", {"request": {}}, [5], [None]], ids=str)
def test_interactions_that_are_none_are_an_error(interactions: object) -> None:
    with pytest.raises(CassetteError, match=r"^c\.yaml: .*; record the scenario again$"):
        decode_cassette(_data(interactions=interactions), "c.yaml")


@pytest.mark.parametrize(
    "changes", [{"digests": 5}, {"loop": None}, {"digests": {"tools": 1}}, {"scenario": [1]}], ids=str
)
def test_provenance_of_another_shape_is_an_error(changes: Json) -> None:
    with pytest.raises(CassetteError) as caught:
        decode_cassette(_data(toolreplay={"format": FORMAT, **changes}), "c.yaml")
    (name,) = changes
    assert str(caught.value).startswith(f"c.yaml: toolreplay.{name} is ")


def test_provenance_of_a_later_version_is_read_for_what_is_known() -> None:
    head = {"format": FORMAT, "loop": "a:b", "digests": {"tools": "0a"}, "model_family": "new"}
    assert decode_cassette(_data(toolreplay=head), "c.yaml").provenance == Provenance(
        loop="a:b", digests={"tools": "0a"}
    )


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_cassette_never_raises_anything_else(data: st.DataObject) -> None:
    whole: Any = encode(Cassette(_turns(3), Provenance(loop="a:b")))
    holder, keys = whole, list(whole)
    while True:
        key = data.draw(st.sampled_from(keys))
        if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.integers(0, 3)) == 0:
            break
        holder = holder[key]
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    holder[key] = data.draw(
        st.one_of(st.none(), st.integers(-2, 3), st.text(max_size=3), st.just([]), st.just({}), st.just([1]))
    )
    try:
        cassette = decode_cassette(whole, "c.yaml")
    except CassetteError as error:
        assert str(error).startswith("c.yaml: ")  # noqa: PT017
        return
    for exchange in cassette.exchanges:
        assert exchange.request.json is None or exchange.request.body
        assert isinstance(exchange.response.status, int)


def test_vcrpy_reads_our_files_as_far_as_it_can(tmp_path: Path) -> None:
    write_cassette(tmp_path / "c.yaml", Cassette(_turns(2)))
    data = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert (data["version"], len(data["interactions"])) == (1, 2)
    assert {*data["interactions"][1]["request"]} == {"method", "uri", "headers", "body"}
