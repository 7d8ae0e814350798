from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest
import vcr
import yaml
from tests.projects import ScriptedModel, asks, names, outline, place, says, weather

from toolreplay.cassette import extending
from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.errors import CassetteError, RecordingError
from toolreplay.runner.run import Outcome
from toolreplay.serve.http import serving
from toolreplay.wire.http import HttpRequest, HttpResponse

URL: Final = "https://api.anthropic.com/v1/messages"
JSON: Final = {"content-type": "application/json"}


def _exchange(body: object = None, answer: bytes = b"{}") -> Exchange:
    return Exchange("POST", URL, JSON, body or {"messages": []}, HttpResponse(200, JSON, answer))


def test_a_cassette_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CassetteError) as caught:
        read_cassette(tmp_path / "c.yaml")
    assert str(caught.value) == (f"{tmp_path / 'c.yaml'}: there is no such cassette; record it with: toolreplay record")


def test_a_cassette_that_cannot_be_reached_is_not_said_to_be_missing(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.symlink_to("c.yaml")
    with pytest.raises(CassetteError) as caught:
        read_cassette(file)
    assert str(caught.value) == f"{file}:1: cannot be read: Too many levels of symbolic links"


TWICE: Final = {
    "top": "version: 1\ntoolreplay: {format: 1}\ntoolreplay: {format: 1}\ninteractions: []\n",
    "json": '{"version": 1,\n"toolreplay": {"format": 1, "format": 1}, "interactions": []}',
}


@pytest.mark.parametrize("name", TWICE)
def test_a_cassette_with_a_key_twice_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text(TWICE[name])
    with pytest.raises(CassetteError, match="stands twice in one") as caught:
        read_cassette(file)
    assert str(caught.value).startswith(f"{file}:{1 if name == 'top' else 2}: the key ")


def test_what_is_written_is_made_for_people(tmp_path: Path) -> None:
    body = {"messages": [{"role": "user", "content": "two\nlines: é"}], "stop_sequences": ["a", "b"]}
    write_cassette(tmp_path / "c.yaml", Cassette((_exchange(body),), Provenance(recorded_at="2026-11-30")))
    text = (tmp_path / "c.yaml").read_text(encoding="utf-8")
    assert text.startswith("# Recorded by toolreplay")
    assert "content: |-\n          two\n          lines: é\n" in text
    assert "stop_sequences: [a, b]\n" in text
    assert ("&" not in text, "recorded_at: '2026-11-30'" in text) == (True, True)


def test_the_same_recording_is_written_to_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        write_cassette(tmp_path / name, Cassette((_exchange(), _exchange({"messages": [1]}))))
    write_cassette(tmp_path / "c.yaml", read_cassette(tmp_path / "a.yaml"))
    assert (
        (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes() == (tmp_path / "c.yaml").read_bytes()
    )


def test_a_stream_is_written_as_text_and_comes_back_byte_by_byte(tmp_path: Path) -> None:
    events = b'event: message_start\ndata: {"type": "message_start"}\n\nevent: ping\ndata: {"type": "ping"}\n\n'
    stream = Exchange("POST", URL, JSON, {}, HttpResponse(200, {"content-type": "text/event-stream"}, events))
    write_cassette(tmp_path / "c.yaml", Cassette((stream,)))
    assert 'data: {"type": "ping"}\n' in (tmp_path / "c.yaml").read_text()
    assert read_cassette(tmp_path / "c.yaml").exchanges[0].response.body == events


def test_a_body_that_is_no_text_is_written_as_binary(tmp_path: Path) -> None:
    data = bytes(range(256))
    frames = Exchange("POST", URL, JSON, {}, HttpResponse(200, {"content-type": "x/y"}, data))
    write_cassette(tmp_path / "c.yaml", Cassette((frames,)))
    assert "!!binary" in (tmp_path / "c.yaml").read_text()
    assert read_cassette(tmp_path / "c.yaml").exchanges[0].response.body == data


def test_what_would_be_lost_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("old")
    bad = Exchange("POST", URL, {"content-type": 5}, {}, HttpResponse(200))  # type: ignore[dict-item]
    with pytest.raises(RecordingError) as caught:
        write_cassette(tmp_path / "c.yaml", Cassette((bad,)))
    assert str(caught.value) == (
        f"{tmp_path / 'c.yaml'}: the recording does not survive being written; please report this"
    )
    assert ((tmp_path / "c.yaml").read_text(), names(tmp_path)) == ("old", ["c.yaml"])


def test_a_place_that_cannot_be_written_to_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "cassettes").write_text("a file in the way")
    with pytest.raises(RecordingError) as caught:
        write_cassette(tmp_path / "cassettes" / "c.yaml", Cassette((_exchange(),)))
    file = tmp_path / "cassettes" / "c.yaml"
    assert str(caught.value) == f"{file}: cannot be written: Not a directory; nothing was replaced"


def _plain_vcr(folder: Path, answer: Callable[[HttpRequest], HttpResponse], serializer: str) -> Path:
    """Record one conversation with vcrpy alone, as a user would."""
    file = folder / f"user.{serializer}"
    turn: list[dict[str, Any]] = [{"role": "user", "content": "What is the weather?"}]
    recorder = vcr.VCR(filter_headers=["x-api-key"], serializer=serializer)
    with (
        serving(answer) as url,
        recorder.use_cassette(str(file)),
        anthropic.Anthropic(api_key="k", base_url=url) as client,
    ):
        fields: dict[str, Any] = {"model": "m", "max_tokens": 9}
        reply = client.messages.create(messages=turn, **fields).to_dict()  # type: ignore[arg-type]
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "rain"}
        turn += [
            {"role": "assistant", "content": reply["content"]},
            {"role": "user", "content": [result]},
        ]
        client.messages.create(messages=turn, **fields)  # type: ignore[arg-type]
    return file


def _zipped(model: ScriptedModel) -> Callable[[HttpRequest], HttpResponse]:
    def answer(request: HttpRequest) -> HttpResponse:
        response = model(request)
        headers = {**response.headers, "content-encoding": "gzip"}
        return HttpResponse(response.status, headers, gzip.compress(response.body))

    return answer


# vcrpy's JSON serializer cannot write compressed bodies.
@pytest.mark.parametrize(("serializer", "packed"), [("yaml", False), ("yaml", True), ("json", False)])
def test_a_cassette_of_plain_vcrpy_plays(serializer: str, packed: bool, tmp_path: Path) -> None:
    here = place(tmp_path)
    model = ScriptedModel(asks("Oslo"), says("Rain."))
    file = _plain_vcr(tmp_path, _zipped(model) if packed else model, serializer)
    scenario = here.scenario(
        weather(conversation=[{"user": "What is the weather?", "expect": {"final_text": "Rain."}}])
    )
    target = here.cassette(scenario)
    target.parent.mkdir()
    target.write_bytes(file.read_bytes())
    run = here.play(scenario)
    assert (outline(run), run.outcome, run.turns) == ([], Outcome.PASS, 2)


def test_a_cassette_without_digests_is_stale_when_its_first_request_is_another(tmp_path: Path) -> None:
    here = place(tmp_path)
    file = _plain_vcr(tmp_path, ScriptedModel(asks("Oslo"), says()), "yaml")
    scenario = here.scenario(weather(conversation=[{"user": "Something else?"}]))
    target = here.cassette(scenario)
    target.parent.mkdir()
    target.write_bytes(file.read_bytes())
    run = here.play(scenario)
    assert run.outcome is Outcome.STALE
    assert outline(run) == [
        (
            "STALE",
            (
                "no recorded exchange answers this request; nearest is exchange 0: turn 1, "
                "user text: recorded `What is the weather?`, now `Something else?`"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("interactions: [", ":2: "),
        ("", ":1: the file is empty"),
        ("a: 1", ":1: holds no recorded exchanges in a format that toolreplay knows"),
        ("version: 1\ntoolreplay: {format: 9}\ninteractions: []", ": toolreplay format 9 is not known"),
        ("version: 1\ntoolreplay: {format: 1}\ninteractions: [5]", ": interaction 0 is broken ("),
    ],
)
def test_a_cassette_that_cannot_be_read_is_an_error_of_the_run(text: str, reason: str, tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather())
    here.write("cassettes/weather.yaml", text)
    run = here.play(scenario)
    assert run.outcome is Outcome.ERROR
    (failure,) = run.failures
    assert failure.message.startswith(f"{here.cassette(scenario)}{reason}")
    assert "\n" not in failure.message


def test_a_cassette_without_exchanges_fails_and_does_not_pass(tmp_path: Path) -> None:
    here = place(tmp_path)
    scenario = here.scenario(weather())
    here.write("cassettes/weather.yaml", "version: 1\ntoolreplay: {format: 1}\ninteractions: []\n")
    assert here.play(scenario).outcome is not Outcome.PASS


def test_an_unanswered_request_of_a_foreign_recording_is_left_out(tmp_path: Path) -> None:
    request = {"method": "POST", "uri": URL, "headers": {}, "body": json.dumps({"messages": []})}
    answered = {
        "request": request,
        "response": {"status": {"code": 200}, "headers": {}, "body": {"string": "{}"}},
    }
    interactions = [answered, {"request": request, "response": None}]
    (tmp_path / "c.yaml").write_text(yaml.safe_dump({"version": 1, "interactions": interactions}))
    assert len(read_cassette(tmp_path / "c.yaml").exchanges) == 1


def test_what_two_requests_share_is_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    shared = extending._shared

    def counted(body: Mapping[str, Any], base: Any) -> int:
        compared.append(body)
        return shared(body, base)

    monkeypatch.setattr(extending, "_shared", counted)
    messages = [{"role": "user", "content": str(number)} for number in range(4)]
    exchanges = tuple(_exchange({"messages": messages[: count + 1]}) for count in range(4))
    write_cassette(tmp_path / "c.yaml", Cassette(exchanges))
    assert len(compared) == 3
