from __future__ import annotations

import copy
import gc
import gzip
import http.client
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest
import requests
import vcr
import vcr.serialize
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.projects import ScriptedModel, asks, names, says
from vcr.cassette import CassetteContextDecorator
from vcr.persisters.filesystem import FilesystemPersister
from vcr.request import Request

from toolreplay import vcr_serializer
from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.reading import read_recording
from toolreplay.cassette.store import write_cassette
from toolreplay.errors import CassetteError, RecordingError
from toolreplay.linter import check_text
from toolreplay.serve.http import serving
from toolreplay.wire.eventstream import encode_frame
from toolreplay.wire.http import HttpRequest, HttpResponse

Json = dict[str, Any]
URL: Final = "https://api.anthropic.com/v1/messages"
JSON: Final = {"Content-Type": "application/json"}
OK: Final[Json] = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": b""}}
# Put together, so that no scanner of this repository takes it for a real one.
KEY: Final = "sk-" + "ant-api03-" + "Zx9" * 12
FRAMES: Final = encode_frame({":event-type": "messageStop"}, b'{"stopReason":"end_turn"}')


def _recorder(**options: Any) -> Any:
    recorder = vcr.VCR(serializer="toolreplay", **options)
    vcr_serializer.register(recorder)
    return recorder


def _data(*pairs: tuple[Request, Json]) -> Json:
    return {"requests": [request for request, _ in pairs], "responses": [response for _, response in pairs]}


def _request(body: Any, headers: Json | None = None) -> Request:
    return Request("POST", URL, body, JSON if headers is None else headers)


def _text(*pairs: tuple[Request, Json]) -> str:
    text: str = vcr.serialize.serialize(_data(*pairs), vcr_serializer)
    return text


def _again(*pairs: tuple[Request, Json]) -> list[tuple[Request, Json]]:
    """What vcrpy has after it has written and read."""
    found = vcr.serialize.deserialize(_text(*pairs), vcr_serializer)
    return list(zip(found[0], found[1], strict=True))


def _shown(pairs: list[tuple[Request, Json]]) -> list[object]:
    """All of them, JSON that a matcher reads as JSON as its value."""
    shown: list[object] = []
    for request, response in pairs:
        body: object = request.body
        if any("application/json" in str(value) for value in request.headers.values()):
            try:
                body = json.dumps(json.loads(request.body), sort_keys=True)
            except (TypeError, ValueError, RecursionError):
                body = request.body
        shown.append((request.method, request.uri, dict(request.headers), body, response))
    return shown


_WORDS: Final = st.sampled_from(["", "no", "~", "12:30", "<<", "a\n\nb", "x\r\ny", "\x85", "é", "# no", "- a", "1e5"])
_TEXTS: Final = st.one_of(_WORDS, st.text(max_size=8))
_VALUES: Final = st.recursive(
    st.one_of(_TEXTS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(_TEXTS, inner, max_size=2)),
    max_leaves=5,
)
_OBJECTS: Final = st.dictionaries(st.sampled_from(["model", "tools", "messages", "system"]), _VALUES, max_size=4)
_NAMES: Final = st.sampled_from(["Content-Type", "accept", "X-One", "content-length", "Content-Encoding"])
_HEADERS: Final = st.dictionaries(_NAMES, st.one_of(_TEXTS, st.just("application/json")), max_size=3)


@st.composite
def _bodies(draw: st.DrawFn) -> bytes | None:
    """Bodies of any kind; JSON in any spelling."""
    kind = draw(st.sampled_from(["json", "json", "bytes", "text", "none", "frames"]))
    if kind == "json":
        value = draw(st.one_of(_OBJECTS, _VALUES))
        blanks = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", ":  ")]))
        return json.dumps(value, ensure_ascii=draw(st.booleans()), separators=blanks).encode()
    if kind == "frames":
        return FRAMES * draw(st.integers(1, 2))
    return None if kind == "none" else draw(st.binary(max_size=8)) if kind == "bytes" else draw(_TEXTS).encode()


@st.composite
def _conversations(draw: st.DrawFn) -> list[bytes]:
    """Bodies that go on from one another, with a field changed, dropped or moved at times."""
    body: Json = {"model": "m", "messages": []}
    found = []
    for _ in range(draw(st.integers(0, 4))):
        body = {
            **body,
            "messages": [*body["messages"][: draw(st.integers(0, 9))], *draw(st.lists(_VALUES, max_size=2))],
        }
        if draw(st.booleans()):
            body = {"system": draw(_VALUES), **body}
        elif draw(st.booleans()):
            body.pop("system", None)
        found.append(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode())
    return found


def _deep(levels: int) -> bytes:
    return b'{"messages":[0,' + b"[" * levels + b"]" * levels + b"]}"


_RESPONSES: Final = st.builds(
    lambda code, message, headers, body: {
        "status": {"code": code, "message": message},
        "headers": headers,
        "body": {"string": body},
    },
    st.integers(100, 599),
    st.one_of(st.none(), _TEXTS),
    st.dictionaries(_NAMES, st.lists(_TEXTS, min_size=1, max_size=2), max_size=3),
    _bodies(),
)
_PAIRS: Final = st.tuples(
    st.builds(Request, st.sampled_from(["GET", "POST"]), st.just(URL), _bodies(), _HEADERS), _RESPONSES
)


@settings(max_examples=150)
@given(
    pairs=st.lists(_PAIRS, max_size=3),
    conversation=_conversations(),
    headers=_HEADERS,
)
@example(pairs=[(_request(b'{"a":1e999,"b":1.0,"c":true}'), OK)], conversation=[], headers={})
@example(pairs=[(_request(b'{"a": "\\ud800"}', {}), OK)], conversation=[], headers={})
@example(
    pairs=[(_request(b"[" * 5000 + b"]" * 5000), OK), (_request(b"[" * 200 + b"]" * 200), OK)],
    conversation=[],
    headers={},
)
@example(pairs=[], conversation=[_deep(80), _deep(200), _deep(800), _deep(800)], headers=JSON)
@example(pairs=[], conversation=[b'{"messages":["\\ud800"]}', b'{"messages":["\\ud800",1]}'], headers={})
def test_whatever_vcrpy_records_comes_back(
    pairs: list[tuple[Request, Json]], conversation: list[bytes], headers: Json
) -> None:
    pairs = [*pairs, *((_request(body, headers), OK) for body in conversation)]
    assert _shown(_again(*copy.deepcopy(pairs))) == _shown(pairs)  # vcrpy writes into what it is given


@dataclass(frozen=True)
class Case:
    id: str
    body: bytes
    written: str


SPELLED: Final = (
    Case("as the SDKs write it", b'{"messages":["\xc3\xa9"]}', "body:\n      messages: [\xe9]\n"),
    Case("as Python writes it", b'{"messages": ["\\u00e9"]}', "spelling: spaced-ascii\n"),
    Case("as Go writes it", b'{"messages":["\\u00e9"]}', "spelling: compact-ascii\n"),
    Case("indented", b'{\n"messages": []}', 'body: |-\n      {\n      "messages": []}\n'),
)


@pytest.mark.parametrize("case", SPELLED, ids=lambda case: case.id)
def test_json_comes_back_byte_by_byte_where_no_header_says_that_it_is_json(case: Case) -> None:
    text = _text((_request(case.body, {}), OK))
    assert case.written in text
    ((request, _),) = _again((_request(case.body, {}), OK))
    assert request.body == case.body


@pytest.mark.parametrize("spaces", [(",", ":"), (", ", ": ")], ids=["compact", "spaced"])
def test_the_bytes_of_a_response_stay_as_many_as_its_header_says(spaces: tuple[str, str], tmp_path: Path) -> None:
    body = json.dumps({"id": "msg_1", "content": [{"type": "text", "text": "é"}]}, separators=spaces).encode()
    answer = HttpResponse(200, {"content-type": "application/json", "content-length": str(len(body))}, body)
    with serving(lambda _: answer) as url:
        for _ in range(2):
            with _recorder().use_cassette(str(tmp_path / "c.yaml")):
                assert requests.post(url, json={"messages": []}, timeout=5).content == body
    assert "json:\n" in (tmp_path / "c.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "body",
    [b'{"a":1,"a":2}', b'{"a":{"b":1,"b":2}}', b'{ "a": 1e999 }'],
    ids=["a key twice", "further in", "a number that is none"],
)
def test_json_that_means_something_else_when_it_is_written_anew_stays_text(body: bytes) -> None:
    ((request, _),) = _again((_request(body), OK))
    assert request.body == body


def test_check_says_of_a_key_that_stands_twice_what_it_says_of_vcrpys_own_file() -> None:
    text = _text((_request(b'{"messages":[],"a":1,"a":2}'), OK))
    told = "exchange 0: in the request body the key 'a' stands twice in one object; remove one"
    assert [one.reason for one in check_text(text.encode(), "c.yaml").unreadable] == [told]


CREDENTIALS: Final = (
    *("api-key", "x-api-key", "apikey", "x-goog-api-key", "x-portkey-api-key", "ocp-apim-subscription-key"),
    *("authorization", "proxy-authorization", "cf-aig-authorization", "helicone-auth"),
    *("x-auth-token", "x-amz-security-token", "x-vault-token", "private-token", "x-client-secret"),
)
HARMLESS: Final = (
    *("content-type", "idempotency-key", "sec-websocket-key", "surrogate-key", "anthropic-ratelimit-tokens-limit"),
    *("x-amzn-bedrock-input-token-count", "anthropic-ratelimit-input-tokens-remaining", "www-authenticate"),
)


@pytest.mark.parametrize("name", CREDENTIALS)
def test_check_finds_no_credential_among_the_headers_of_what_is_written(name: str) -> None:
    token = "9f86d081884c7d65" + "9a2feaa0c55ad015"
    pair = _request(b'{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}', {name: token}), OK
    assert check_text(_text(pair).encode(), "c.yaml").findings == ()


@pytest.mark.parametrize("name", [*CREDENTIALS, *HARMLESS])
def test_a_header_is_left_out_if_its_name_says_that_it_is_a_credential(name: str) -> None:
    ((request, _),) = _again((_request(b"{}", {name.title(): "some value"}), OK))
    assert (name.title() in request.headers) is (name in HARMLESS)


def test_of_the_headers_credentials_alone_are_left_out() -> None:
    secret = {"X-Api-Key": "k", "authorization": "Bearer k", "Cookie": "k", "X-Amz-Security-Token": "k"}
    kept = {"Content-Type": "application/json", "X-Trace": "one", "X-Bytes": b"\xff"}
    answer = {**OK, "headers": {"Set-Cookie": ["k", "k"], "Via": ["a", "b"]}}
    ((request, response),) = _again((_request(b"{}", {**secret, **kept}), answer))
    assert (dict(request.headers), response["headers"]) == (kept, {"Via": ["a", "b"]})


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (io.BytesIO(b"from a file"), b"from a file"),
        (iter([b"in ", b"pieces"]), b"in pieces"),
        (iter(["in ", "pieces"]), b"in pieces"),
        (iter(b"\x00\xff"), b"\x00\xff"),
        ({"messages": [1]}, {"messages": [1]}),
    ],
    ids=["file", "chunks", "texts", "numbers", "aiohttp's json="],
)
def test_a_body_that_is_no_text(sent: object, kept: object) -> None:
    ((request, _),) = _again((_request(sent), OK))
    assert request.body == kept


def test_metadata_of_a_cassette_is_kept() -> None:
    data = {**_data((_request(b"{}"), OK)), "metadata": {"seed": [1, "a"]}}
    found = vcr.serialize.deserialize(vcr.serialize.serialize(data, vcr_serializer), vcr_serializer)
    assert found[2] == {"seed": [1, "a"]}


def _turns(count: int) -> Iterator[tuple[Request, Json]]:
    messages: list[Json] = [{"role": "user", "content": "Count the files."}]
    for number in range(count):
        yield _request(json.dumps({"model": "m", "messages": messages}, separators=(",", ":")).encode()), OK
        messages += [
            {"role": "assistant", "content": f"turn {number}"},
            {"role": "user", "content": f"file {number}\n" * 3},
        ]


def test_a_cassette_grows_by_what_is_new() -> None:
    assert len(_text(*_turns(100))) / len(_text(*_turns(10))) <= 11


def test_an_object_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(RecordingError) as caught:
        _text((_request({"file": object()}), OK))
    assert str(caught.value) == (
        "the cassette: interaction 0 holds a value of type object, which no file can hold; "
        "send bytes or text, or take it out before recording"
    )


def test_a_character_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(RecordingError) as caught:
        _text((Request("GET", f"{URL}?\ud800", None, {}), OK))
    assert str(caught.value) == (
        "the cassette: the character '\\ud800' cannot be written; take it out of the request or response"
    )


@pytest.mark.parametrize(
    ("program", "loaded"),
    [
        ("from toolreplay import vcr_serializer", []),
        ("from toolreplay import vcr_serializer; vcr_serializer.serialize({'interactions': []})", ["yaml"]),
    ],
    ids=["imported", "used"],
)
def test_it_loads_what_it_needs(program: str, loaded: list[str]) -> None:
    heavy = ("anthropic", "boto3", "httpx", "hypothesis", "pydantic", "pytest", "vcr", "yaml", "toolreplay.contract")
    shown = f"import json, sys\n{program}\nprint(json.dumps([name for name in {heavy} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", shown], capture_output=True, check=True)
    assert json.loads(done.stdout) == loaded


# With the SDK, over HTTP.


def _ask(url: str, *prompts: str) -> list[str]:
    """Ask one question after another in one conversation; what the model said."""
    said = []
    messages: list[Any] = []
    with anthropic.Anthropic(api_key="a-dummy", base_url=url, max_retries=0) as client:
        for prompt in prompts:
            messages.append({"role": "user", "content": prompt})
            reply = client.messages.create(model="m", max_tokens=9, messages=messages)
            messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
            said.append("".join(block.text for block in reply.content if block.type == "text"))
    return said


@pytest.mark.parametrize("body", ["body", "raw_body"])
def test_the_sdk_records_and_replays(body: str, tmp_path: Path) -> None:
    model = ScriptedModel(says("one"), says("two é"), says("three"))
    recorder = _recorder(match_on=["method", "uri", body])
    with serving(model) as url:
        with recorder.use_cassette(str(tmp_path / "c.yaml")):
            assert _ask(url, "1", "2") == ["one", "two é"]
        with recorder.use_cassette(str(tmp_path / "c.yaml"), record_mode="new_episodes"):
            assert _ask(url, "1", "2", "3") == ["one", "two é", "three"]
        with recorder.use_cassette(str(tmp_path / "c.yaml"), record_mode="none") as cassette:
            assert _ask(url, "1", "2", "3") == ["one", "two é", "three"]
        assert (len(model.asked), cassette.all_played, len(cassette)) == (3, True, 3)
    text = (tmp_path / "c.yaml").read_text(encoding="utf-8")
    assert (text.count("extends:"), "a-dummy" in text, names(tmp_path)) == (2, False, ["c.yaml"])
    assert len(read_recording(tmp_path / "c.yaml").interactions) == 3


def test_the_module_alone_is_a_serializer(tmp_path: Path) -> None:
    recorder = vcr.VCR(serializer="ours")
    recorder.register_serializer("ours", vcr_serializer)
    with serving(ScriptedModel(says("one"))) as url, recorder.use_cassette(str(tmp_path / "c.yaml")):
        _ask(url, "1")
    with recorder.use_cassette(str(tmp_path / "c.yaml"), record_mode="none"):
        assert _ask(url, "1") == ["one"]


def _zipped(model: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def answer(request: HttpRequest) -> HttpResponse:
        response = model(request)
        body = gzip.compress(response.body)
        return HttpResponse(response.status, {**response.headers, "content-encoding": "gzip"}, body)

    return answer


@pytest.mark.parametrize("decodes", [False, True])
def test_compressed_responses_are_kept_as_vcrpy_gives_them(decodes: bool, tmp_path: Path) -> None:
    recorder = _recorder(decode_compressed_response=decodes)
    with serving(_zipped(ScriptedModel(says("one")))) as url:
        for _ in range(2):
            with recorder.use_cassette(str(tmp_path / "c.yaml")):
                assert _ask(url, "1") == ["one"]
    assert ("!!binary" in (tmp_path / "c.yaml").read_text()) is not decodes
    (found,) = read_recording(tmp_path / "c.yaml").interactions
    assert found.response is not None
    assert found.response.json["content"] == [{"type": "text", "text": "one"}]


def _refusal(recorder: Any, file: Path, url: str) -> str:
    """What is said when a secret is recorded; the exception, and with it vcrpy's context, is let go."""
    with (
        pytest.raises(RecordingError) as caught,
        recorder.use_cassette(str(file), record_mode="new_episodes", match_on=["body"]),
    ):
        _ask(url, "1", f"My key is {KEY}")
    return str(caught.value)


@pytest.mark.parametrize("registered", [True, False])
def test_a_secret_is_refused_and_the_old_file_stays(registered: bool, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    recorder = _recorder() if registered else vcr.VCR(serializer="toolreplay")
    recorder.register_serializer("toolreplay", vcr_serializer)
    with serving(ScriptedModel(says("one"), says("two"))) as url:
        with recorder.use_cassette(str(file)):
            _ask(url, "1")
        before = file.read_bytes()
        message = _refusal(recorder, file, url)
        gc.collect()
    assert message == (
        f"{file if registered else 'the cassette'}: interaction 1, request body messages[2].content "
        "holds an Anthropic API key; keep it out of prompts and tools, "
        "or take it out in vcrpy's before_record_request or _response"
    )
    assert (file.read_bytes(), names(tmp_path)) == (before, ["c.yaml"])


@pytest.mark.parametrize("decorates", [False, True])
def test_a_cassette_that_is_not_saved_leaves_no_patch_behind(decorates: bool, tmp_path: Path) -> None:
    def record() -> None:
        requests.post(url, json={"system": KEY}, timeout=5)
        assert http.client.HTTPConnection is not original

    recorder, original = _recorder(), http.client.HTTPConnection
    use = recorder.use_cassette(str(tmp_path / "c.yaml"))
    with serving(lambda _: HttpResponse(200)) as url, pytest.raises(RecordingError) as caught:
        if decorates:
            use(record)()
        with use:
            record()
    assert (http.client.HTTPConnection, caught.type) == (original, RecordingError)


def _ok() -> AbstractContextManager[str]:
    return serving(lambda _: HttpResponse(200))


def test_what_the_project_calls_a_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.toolreplay]\nsecrets = ['member \\d+']\n")
    use = _recorder().use_cassette(str(tmp_path / "cassettes" / "c.yaml"))
    with _ok() as url, pytest.raises(RecordingError) as caught, use:
        requests.post(url, json={"system": "member 4711"}, timeout=5)
    assert "request body system holds what matches 'member \\\\d+'; " in str(caught.value)
    assert not (tmp_path / "cassettes").exists()


def test_the_module_alone_asks_the_project_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.toolreplay]\nsecrets = ['member']\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecordingError, match="request body system holds what matches 'member'"):
        _text((_request(b'{"system":"member 4711"}'), OK))


@pytest.mark.parametrize(
    ("owner", "name"), [(CassetteContextDecorator, "_patch_generator"), (vcr.VCR, "_use_cassette")]
)
def test_a_vcrpy_that_has_changed_is_told_and_all_else_holds(
    owner: type, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = vcr.VCR(serializer="toolreplay")
    monkeypatch.delattr(owner, name)
    told = rf"^toolreplay: vcrpy {re.escape(vcr.__version__)} has changed: if a cassette cannot be saved, "
    with pytest.warns(RuntimeWarning, match=told) as warned:
        vcr_serializer.register(recorder)
    monkeypatch.undo()
    assert [one.filename for one in warned] == [__file__]
    with _ok() as url, recorder.use_cassette(str(tmp_path / "c.yaml")) as cassette:
        requests.post(url, json={"system": "a"}, timeout=5)
    assert (len(cassette), names(tmp_path)) == (1, ["c.yaml"])


# Files that are there.


def _own(path: Path, *bodies: Json) -> None:
    answer = HttpResponse(200, {"content-type": "application/json"}, json.dumps({"n": 1}).encode())
    kept = tuple(Exchange("POST", URL, {"content-type": "application/json"}, body, answer) for body in bodies)
    write_cassette(path, Cassette(kept, Provenance(recorded_from="simulator", digests={"tools": "0a"})))


def test_a_cassette_of_toolreplay_record_plays(tmp_path: Path) -> None:
    asked: list[Json] = [{"messages": [1]}, {"messages": [1, 2]}]
    _own(tmp_path / "c.yaml", *asked)
    with _recorder(match_on=["method", "uri", "body"]).use_cassette(str(tmp_path / "c.yaml"), record_mode="none"):
        assert [requests.post(URL, json=body, timeout=5).json() for body in reversed(asked)] == [{"n": 1}] * 2


@pytest.mark.parametrize("serializer", ["yaml", "json"])
def test_a_cassette_of_plain_vcrpy_plays_and_is_written_anew_in_this_format(serializer: str, tmp_path: Path) -> None:
    file = str(tmp_path / "c.yaml")
    with serving(ScriptedModel(says("one"), says("two"))) as url:
        with vcr.VCR(serializer=serializer).use_cassette(file):
            _ask(url, "1")
        with _recorder(match_on=["body"]).use_cassette(file, record_mode="new_episodes") as cassette:
            assert (_ask(url, "1", "2"), len(cassette)) == (["one", "two"], 2)
    assert "extends: 0\n" in (tmp_path / "c.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("interactions: [", ":2: while parsing a flow node did not find expected node content"),
        ("a: 1", ":1: holds no recorded exchanges in a format that toolreplay knows"),
        ("toolreplay: {format: 9}", ": toolreplay format 9 is not known; update toolreplay or record again"),
        (
            "toolreplay: {format: 1}\ninteractions: [{request: {}, response: {}}]",
            ": interaction 0 is broken (method is None); record it again",
        ),
        (
            (
                "toolreplay: {format: 1}\ninteractions:\n"
                "- {toolreplay: {spelling: odd}, request: {method: GET, uri: u, body: {}}, response: {}}"
            ),
            (
                ": interaction 0 is broken (spelling is 'odd', none of compact, spaced, compact-ascii, spaced-ascii); "
                "record it again"
            ),
        ),
    ],
    ids=["no YAML", "no cassette", "a later format", "broken", "an unknown spelling"],
)
def test_a_cassette_that_cannot_be_read_is_an_error_and_not_empty(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(CassetteError) as caught, _recorder().use_cassette(str(file), record_mode="all"):
        pass
    assert str(caught.value) == f"{file}{message}"
    assert file.read_text() == text


def test_a_cassette_is_utf_8_whatever_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_bytes(b"\xff")
    with pytest.raises(CassetteError, match=r"c\.yaml:1: "), _recorder().use_cassette(str(tmp_path / "c.yaml")):
        pass


def test_an_empty_file_is_recorded_as_vcrpy_does(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_bytes(b"")
    with serving(ScriptedModel(says("one"))) as url, _recorder().use_cassette(str(tmp_path / "c.yaml")):
        assert _ask(url, "1") == ["one"]


def test_cassettes_of_other_serializers_are_left_to_vcrpy(tmp_path: Path) -> None:
    with serving(ScriptedModel(asks("Oslo"))) as url:
        for recorder, name in ((_recorder(), "a.yaml"), (vcr.VCR(), "b.yaml")):
            with recorder.use_cassette(str(tmp_path / name), serializer="yaml"):
                _ask(url, "1")
            with recorder.use_cassette(str(tmp_path / name), serializer="yaml", record_mode="none"):
                _ask(url, "1")
    text = (tmp_path / "a.yaml").read_text()
    assert (text.splitlines()[0], "toolreplay:" in text) == ("interactions:", False)


def test_a_persister_that_keeps_no_files_of_vcrpys_is_left_in_place() -> None:
    class Elsewhere(FilesystemPersister):  # type: ignore[misc]  # vcrpy has no type information
        @staticmethod
        def save_cassette(cassette_path: str, cassette_dict: Json, serializer: object) -> None:
            raise NotImplementedError

    recorder = vcr.VCR()
    recorder.register_persister(Elsewhere)
    vcr_serializer.register(recorder)
    assert recorder.persister is Elsewhere


def test_registering_twice_is_registering_once() -> None:
    recorder = _recorder()
    persister = recorder.persister
    vcr_serializer.register(recorder)
    assert recorder.persister is persister
