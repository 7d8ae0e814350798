from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest
import vcr
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.contract.corpus import CORPUS, MISSING
from tests.projects import ScriptedModel, names, says

from toolreplay.cassette.bodies import TRANSPORT
from toolreplay.cassette.converting import Format, beside, convert
from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.reading import parse_recording
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.cassette.vcr_packing import is_left_out
from toolreplay.errors import CassetteError, RecordingError
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

Json = dict[str, Any]
ROOT: Final = Path(__file__).resolve().parents[2]
OWN: Final = sorted((ROOT / "cassettes").rglob("*.yaml"))
URL: Final = "https://api.anthropic.com/v1/messages"
KEY: Final = "sk-" + "ant-api03-" + "Zx9" * 12
ASK: Final = json.dumps({"model": "m", "messages": [{"role": "user", "content": "é"}]})
SAY: Final = json.dumps({"id": "msg_1", "content": []}).encode()


def _to(to: Format, data: bytes) -> bytes:
    return convert(data, "c.yaml", to).text.encode()


def _value(body: bytes) -> object:
    """A body as its value; as text, since 1 and True are equal in Python."""
    try:
        return json.dumps(json.loads(body), sort_keys=True)
    except (ValueError, RecursionError):
        return body


def _kept(message: HttpRequest | HttpResponse) -> dict[str, str]:
    return {name: value for name, value in message.headers.items() if name not in TRANSPORT and not is_left_out(name)}


def _shown(data: bytes) -> list[object]:
    """Every answered exchange, whatever the format."""
    return [
        (one.request.method, one.request.url, _kept(one.request), _value(one.request.body), _answer(one.response))
        for one in parse_recording(data, "c.yaml").interactions
        if one.response is not None
    ]


def _answer(response: HttpResponse) -> object:
    return response.status, _kept(response), _value(response.body)


def _there_and_back(data: bytes) -> None:
    wanted = _shown(data)
    ours = _to(Format.TOOLREPLAY, data)
    plain = _to(Format.VCR, ours)
    assert (_shown(ours), _shown(plain), _shown(_to(Format.TOOLREPLAY, plain))) == (wanted, wanted, wanted)
    assert _shown(_to(Format.VCR, data)) == wanted


@dataclass(frozen=True)
class Case:
    id: str
    data: bytes
    exchanges: int = 1
    unanswered: int = 0


def _yaml(value: object) -> bytes:
    return yaml.safe_dump(value, sort_keys=False).encode()


PAIR: Final[Json] = {
    "request": {"method": "POST", "uri": URL, "headers": {"content-type": ["application/json"]}, "body": ASK},
    "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": SAY.decode()}},
}
PARSED: Final[Json] = {
    "request": {"method": "POST", "uri": URL, "headers": {}, "parsed_body": json.loads(ASK)},
    "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "parsed_body": json.loads(SAY)},
}
LANGCHAIN: Final[Json] = {"requests": [PAIR["request"]], "responses": [PAIR["response"]]}
GO: Final[Json] = {
    "version": 2,
    "interactions": [
        {
            "request": {"method": "GET", "url": "https://example.org/a", "headers": {}, "body": ""},
            "response": {"code": 404, "status": "404 Not Found", "headers": {"X": ["1", "2"]}, "body": "no"},
        }
    ],
}
RUBY: Final[Json] = {
    "http_interactions": [
        {
            "request": {"method": "post", "uri": URL, "headers": {}, "body": {"encoding": "UTF-8", "string": ASK}},
            "response": {"status": {"code": 200}, "headers": {}, "body": {"encoding": "UTF-8", "string": "hi"}},
        }
    ]
}
HAR: Final[Json] = {
    "log": {
        "entries": [
            {
                "request": {"method": "POST", "url": URL, "headers": [], "postData": {"text": ASK}},
                "response": {"status": 200, "headers": [{"name": "X", "value": "1"}], "content": {"text": "hi"}},
            },
            {"request": {"method": "GET", "url": URL, "headers": []}, "response": {"status": 0}},
        ]
    }
}
NOCK: Final[list[Json]] = [
    {"scope": "https://api.anthropic.com:443", "method": "POST", "path": "/v1/messages", "body": {}, "status": 200}
]
FORMATS: Final = (
    Case("vcrpy", _yaml({"version": 1, "interactions": [PAIR, PAIR]}), 2),
    Case("vcrpy as JSON", json.dumps({"version": 1, "interactions": [PAIR]}).encode()),
    Case("vcrpy, gzipped", gzip.compress(_yaml({"version": 1, "interactions": [PAIR]}))),
    Case("vcrpy, nothing recorded", _yaml({"version": 1, "interactions": []}), 0),
    Case("pydantic-ai", _yaml({"version": 1, "interactions": [PARSED]})),
    Case("langchain", gzip.compress(_yaml(LANGCHAIN))),
    Case("go-vcr", _yaml(GO)),
    Case("Ruby VCR", _yaml(RUBY)),
    Case("HAR, one without a response", json.dumps(HAR).encode(), 1, 1),
    Case("pairs", json.dumps([PAIR, {"request": PAIR["request"]}]).encode(), 1, 1),
    Case("nock", json.dumps(NOCK).encode()),
)


@pytest.mark.parametrize("case", FORMATS, ids=lambda case: case.id)
def test_every_format_is_converted_and_nothing_that_was_answered_is_lost(case: Case) -> None:
    for to in Format:
        converted = convert(case.data, "c.yaml", to)
        assert (converted.exchanges, converted.unanswered) == (case.exchanges, case.unanswered)
    _there_and_back(case.data)


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_a_cassette_of_this_repository_comes_back(file: Path, tmp_path: Path) -> None:
    _there_and_back(file.read_bytes())
    (tmp_path / "c.yaml").write_bytes(_to(Format.TOOLREPLAY, _to(Format.VCR, file.read_bytes())))
    again, before = read_cassette(tmp_path / "c.yaml"), read_cassette(file)
    assert again.provenance == before.provenance
    assert [one.response for one in again.exchanges] == [one.response for one in before.exchanges]


def _sample() -> Iterator[Path]:
    """Every ninth recording of each repository."""
    folders = sorted(path for path in CORPUS.iterdir() if path.is_dir()) if CORPUS.is_dir() else []
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".json", ".gz", ".har"))[::9]


@pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)
def test_public_recordings_come_back() -> None:
    for file in _sample():
        _there_and_back(file.read_bytes())


_VALUES: Final = st.recursive(
    st.one_of(st.text(max_size=5), st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=5), inner, max_size=2)),
    max_leaves=5,
)
_BODIES: Final = st.one_of(
    st.none(),
    st.binary(max_size=6).filter(lambda body: not body.startswith((b"\x1f\x8b", b"00", b"AA"))),
    st.builds(lambda body: json.dumps(body).encode(), st.dictionaries(st.text(max_size=3), _VALUES, max_size=2)),
    st.builds(lambda items: json.dumps({"messages": items}).encode(), st.lists(_VALUES, max_size=3)),
)
_EXCHANGES: Final = st.builds(
    lambda asked, answered, kind: {
        "request": {"method": "POST", "uri": URL, "headers": {"content-type": [kind]}, "body": asked},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": answered}},
    },
    _BODIES,
    _BODIES,
    st.sampled_from(["application/json", "text/plain"]),
)


@settings(max_examples=60)
@given(exchanges=st.lists(_EXCHANGES, max_size=4))
@example(exchanges=[PAIR, PAIR])
def test_any_cassette_of_vcrpy_comes_back(exchanges: list[Json]) -> None:
    _there_and_back(yaml.safe_dump({"version": 1, "interactions": exchanges}).encode())


def test_a_compressed_response_is_made_readable() -> None:
    packed: Json = {
        "request": PAIR["request"],
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Encoding": ["gzip"], "Content-Length": ["9"], "X": ["1"]},
            "body": {"string": gzip.compress(SAY)},
        },
    }
    data = _yaml({"version": 1, "interactions": [packed]})
    written = yaml.safe_load(_to(Format.TOOLREPLAY, data))["interactions"][0]["response"]
    assert (written["headers"], written["body"]) == ({"X": ["1"]}, {"json": json.loads(SAY)})
    plain = yaml.safe_load(_to(Format.VCR, data))["interactions"][0]["response"]
    assert plain == packed["response"]


def test_what_cannot_be_decompressed_stays_as_it_came() -> None:
    headers = {"content-encoding": ["zstd"]}
    body = {"string": b"\x28\xb5\x2f\xfd\xff"}
    answer = {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": body}
    request = {**PAIR["request"], "uri": "https://example.org/"}
    data = _yaml({"version": 1, "interactions": [{"request": request, "response": answer}]})
    plain = _to(Format.VCR, _to(Format.TOOLREPLAY, data))
    assert yaml.safe_load(plain)["interactions"][0]["response"] == answer


@pytest.mark.parametrize("to", list(Format))
def test_a_secret_stops_both_ways_and_a_credential_among_the_headers_goes(to: Format) -> None:
    headers = {"content-type": ["application/json"], "X-Api-Key": [KEY]}
    kept = {**PAIR, "request": {**PAIR["request"], "headers": headers}}
    assert KEY.encode() not in _to(to, _yaml({"version": 1, "interactions": [kept]}))
    told = {**PAIR, "request": {**PAIR["request"], "body": json.dumps({"system": KEY})}}
    with pytest.raises(RecordingError, match=r"^c\.yaml: interaction 0, request body system holds an Anthropic API"):
        _to(to, _yaml({"version": 1, "interactions": [told]}))


def _beside(**more: Any) -> Json:
    return {"version": 1, "interactions": [PAIR], **more}


def _answered(**more: Any) -> Json:
    return _beside(interactions=[{**PAIR, "response": {**PAIR["response"], **more}}])


def _coming(**more: str) -> Json:
    return _beside(provenance={"format": 1, **more})


BESIDE: Final = {
    "metadata": (_beside(metadata={"k": [KEY]}), "metadata.k[0]"),
    "a status": (_answered(status={"code": 200, "message": KEY}), "interactions[0].response.status.message"),
    "a method": (
        _beside(interactions=[{**PAIR, "request": {**PAIR["request"], "method": KEY}}]),
        "interaction 0, request method",
    ),
    "a field of a response": (_answered(url=f"https://x/?k%3D{KEY}"), "interactions[0].response.url"),
    "a field of a body": (_answered(body={"string": "", "note": KEY}), "interactions[0].response.body.note"),
    "a header's name": (_answered(headers={KEY: ["x"]}), "interaction 0, response header"),
    "a header's second value": (_answered(headers={"x": ["a", KEY]}), "interaction 0, response header x"),
    "the first of two equal keys": (
        _answered(body={"string": f'{{"a": "{KEY}", "a": 1}}'}),
        "interaction 0, response body [0].a",
    ),
    "a compressed body that was cut": (
        _answered(body={"string": gzip.compress(KEY.encode())[:-3]}),
        "interaction 0, response body",
    ),
}


@pytest.mark.parametrize("to", list(Format))
@pytest.mark.parametrize(("data", "place"), BESIDE.values(), ids=BESIDE)
def test_a_secret_is_found_wherever_it_would_be_written(data: Json, place: str, to: Format) -> None:
    with pytest.raises(RecordingError) as caught:
        _to(to, _yaml(data))
    assert str(caught.value).startswith(f"c.yaml: {place} holds an Anthropic API key; ")


@pytest.mark.parametrize(("to", "name"), [(Format.VCR, "provenance"), (Format.TOOLREPLAY, "toolreplay")])
def test_a_secret_is_found_in_what_a_recording_says_of_its_origin(to: Format, name: str) -> None:
    with pytest.raises(RecordingError, match=rf"^c\.yaml: {name}\.sdk holds an Anthropic API key; "):
        _to(to, _yaml(_coming(sdk=KEY)))


def test_plain_vcrpy_plays_what_was_recorded_here_and_converted(tmp_path: Path) -> None:
    answer = HttpResponse(200, {"content-type": "application/json"}, ScriptedModel(says("there"))(_asked()).body)
    exchange = Exchange("POST", URL, {"content-type": "application/json"}, json.loads(ASK), answer)
    write_cassette(tmp_path / "ours.yaml", Cassette((exchange,), Provenance(recorded_from="simulator")))
    (tmp_path / "c.yaml").write_bytes(_to(Format.VCR, (tmp_path / "ours.yaml").read_bytes()))
    with (
        vcr.use_cassette(str(tmp_path / "c.yaml"), record_mode="none", match_on=["method", "uri", "body"]),
        anthropic.Anthropic(api_key="k", max_retries=0) as client,
    ):
        fields = {name: value for name, value in json.loads(ASK).items() if name != "max_tokens"}
        reply = client.post("/v1/messages", body=fields, cast_to=dict[str, Any])
    assert reply["content"] == [{"type": "text", "text": "there"}]


def _asked() -> HttpRequest:
    return HttpRequest("POST", URL, {}, ASK.encode())


def test_what_the_sdk_recorded_plays_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    with serving(ScriptedModel(says("one"), says("two"))) as url:
        with vcr.use_cassette(str(file), filter_headers=["x-api-key"]):
            _talk(url)
        for to in (Format.TOOLREPLAY, Format.VCR):
            file.write_bytes(_to(to, file.read_bytes()))
        with vcr.use_cassette(str(file), record_mode="none", match_on=["method", "uri", "body"]) as cassette:
            assert (_talk(url), cassette.all_played) == (["one", "two"], True)
    assert names(tmp_path) == ["c.yaml"]


def _talk(url: str) -> list[str]:
    said = []
    messages: list[Any] = []
    with anthropic.Anthropic(api_key="k", base_url=url, max_retries=0) as client:
        for prompt in ("1", "2"):
            messages.append({"role": "user", "content": prompt})
            reply = client.messages.create(model="m", max_tokens=9, messages=messages)
            messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
            said += [block.text for block in reply.content if block.type == "text"]
    return said


@pytest.mark.parametrize(
    ("name", "ours", "plain"),
    [
        ("a.yaml", "a.toolreplay", "a.vcr.yaml"),
        ("a.toolreplay", "a.toolreplay.toolreplay", "a.yaml"),
        ("a.b.json.gz", "a.b.toolreplay", "a.b.yaml"),
        ("a.har", "a.toolreplay", "a.yaml"),
        ("test_x[1.5]", "test_x[1.5].toolreplay", "test_x[1.5].yaml"),
        (".yaml", ".yaml.toolreplay", ".yaml.yaml"),
    ],
)
def test_a_converted_file_stands_beside_the_original(name: str, ours: str, plain: str) -> None:
    file = Path("cassettes") / name
    assert (beside(file, Format.TOOLREPLAY), beside(file, Format.VCR)) == (
        Path("cassettes") / ours,
        Path("cassettes") / plain,
    )


LONE: Final = "\ud83d"


def _pair(request: Json, response: Json) -> Json:
    asked = {"method": "POST", "uri": URL, "headers": {}, "body": "x", **request}
    answered = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "y"}, **response}
    return {"request": asked, "response": answered}


def _without(name: str, **more: Any) -> Json:
    pair = _pair({}, more)
    del pair["response"][name]
    return pair


def _own(pair: Json) -> bytes:
    return json.dumps({"version": 1, "toolreplay": {"format": 1}, "interactions": [pair]}).encode()


@pytest.mark.parametrize("to", list(Format))
@pytest.mark.parametrize(
    "data",
    [
        _own(_without("headers")),
        _own(_without("body", headers={"content-encoding": ["gzip"]})),
        _own(_pair({}, {"headers": None, "body": None})),
        _own(_pair({"body": LONE}, {"body": {"string": LONE}})),
        _own(_pair({"body": {"messages": [LONE]}}, {"body": {"json": {"a": LONE}}})),
        json.dumps({"interactions": [_pair({"body": LONE}, {"body": {"string": LONE}})]}).encode(),
        json.dumps({"interactions": [_pair({"body": f'{{"a":"{LONE}"}}'}, {})]}).encode(),
    ],
    ids=["no headers", "no body", "null", "ours, half a character", "ours, in JSON", "vcrpy's", "vcrpy's, in JSON"],
)
def test_nothing_is_lost_of_what_is_left_out_or_no_utf_8(data: bytes, to: Format) -> None:
    assert _shown(_to(to, data)) == _shown(data)


@dataclass(frozen=True)
class Refused:
    id: str
    data: bytes
    message: str


MEND: Final = "; record it again"
REFUSED: Final = (
    Refused("no status", _own(_without("status")), f"interaction 0 is broken (status is None){MEND}"),
    Refused("no code", _own(_pair({}, {"status": {}})), f"interaction 0 is broken (code is None){MEND}"),
    Refused("headers", _own(_pair({}, {"headers": [1]})), f"interaction 0 is broken (headers is [1]){MEND}"),
    Refused("body", _own(_pair({}, {"body": "y"})), f"interaction 0 is broken (body is 'y'){MEND}"),
    Refused("text", _own(_pair({}, {"body": {"string": 3}})), f"interaction 0 is broken (body.string is 3){MEND}"),
    Refused(
        "no list",
        json.dumps({"toolreplay": {"format": 1}, "interactions": {"a": 1}}).encode(),
        "interactions is {'a': 1}, not a list; record the scenario again",
    ),
    Refused(
        "a list behind a tag",
        b"toolreplay: {format: 1}\ninteractions: !!python/object/apply:x.y\n- {a: 1}\n- {b: 2}\n",
        "interactions is {'a': 1}, not a list; record the scenario again",
    ),
    Refused(
        "half a character in a header",
        json.dumps({"interactions": [_pair({"headers": {"x": [LONE]}}, {})]}).encode(),
        "the character '\\ud83d' cannot be written; take it out of the request or response",
    ),
)


@pytest.mark.parametrize("to", list(Format))
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_what_cannot_be_converted_is_told_in_one_line(case: Refused, to: Format) -> None:
    with pytest.raises((CassetteError, RecordingError)) as caught:
        _to(to, case.data)
    assert str(caught.value) == f"c.yaml: {case.message}"


ANSWER: Final = HttpResponse(200, {"content-type": "application/json"}, b"{}")
BODIES: Final[dict[str, tuple[Json, ...]]] = {
    "half a character": ({"messages": [LONE]}, {"messages": [LONE, "b"]}),
    "half a character later": ({"messages": ["\xe9"]}, {"messages": ["\xe9", LONE]}, {"messages": ["\xe9", LONE, "c"]}),
    "a field of such a name": ({LONE: 1, "messages": ["a"]}, {"messages": ["a", "b"]}),
    "a field that comes first": (
        {"model": "m", "messages": ["a"]},
        {"container": "c", "model": "m", "messages": ["a", "b"]},
    ),
    "a number that is none": ({"t": float("nan"), "messages": ["a"]}, {"t": float("nan"), "messages": ["a", "b"]}),
}


@pytest.mark.parametrize("bodies", BODIES.values(), ids=BODIES)
def test_a_recording_of_ours_is_the_same_text_after_it_was_there_and_back(
    bodies: tuple[Json, ...], tmp_path: Path
) -> None:
    headers = {"content-type": "application/json"}
    exchanges = tuple(Exchange("POST", URL, headers, body, ANSWER) for body in bodies)
    write_cassette(tmp_path / "c.yaml", Cassette(exchanges, Provenance(sdk="anthropic 1.0")))
    before = (tmp_path / "c.yaml").read_bytes()
    after = _to(Format.TOOLREPLAY, _to(Format.VCR, before))
    # But for the first line, and for how a response was spelled, which a file of vcrpy says.
    after = re.sub(rb" *spelling: compact\n", b"", after)
    assert after.splitlines()[1:] == before.splitlines()[1:]


@pytest.mark.parametrize("to", list(Format))
def test_a_number_that_is_none_can_be_written(to: Format) -> None:
    data = json.dumps({"version": 1, "interactions": [_pair({"body": float("nan")}, {})]}).encode()
    assert "body: .nan\n" in _to(to, data).decode()


@pytest.mark.parametrize("head", ["", "toolreplay: {format: 1}\n"], ids=["vcrpy's", "ours"])
@pytest.mark.parametrize("to", list(Format))
def test_a_key_that_stands_twice_is_refused_whoever_wrote_the_file(to: Format, head: str) -> None:
    request = "{method: GET, method: PUT, uri: x, headers: {}, body: null}"
    response = "{status: {code: 200}, headers: {}, body: {string: ''}}"
    text = f"{head}version: 1\ninteractions:\n- request: {request}\n  response: {response}\n"
    line = text.count("\n") - 1
    with pytest.raises(CassetteError) as caught:
        _to(to, text.encode())
    assert str(caught.value) == f"c.yaml:{line}: the key 'method' stands twice in one mapping; remove one"


@pytest.mark.parametrize("to", list(Format))
def test_what_the_project_calls_a_secret_stops_both_ways(to: Format) -> None:
    data = _yaml({"version": 1, "interactions": [_pair({"body": "member 4711"}, {})]})
    with pytest.raises(RecordingError, match=r"^c\.yaml: interaction 0, request body holds what matches 'member "):
        convert(data, "c.yaml", to, patterns=[re.compile(r"member \d+")])
