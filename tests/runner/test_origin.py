"""Who answered, and who asked, as a cassette says it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import anthropic
import httpx
import pytest

from tests.projects import MODEL, ScriptedModel, place, says, weather
from toolreplay.cassette.exchange import Exchange, Provenance
from toolreplay.cassette.store import read_cassette
from toolreplay.runner.clients import DUMMIES
from toolreplay.runner.origin import provenance_of
from toolreplay.wire.http import HttpResponse

JSON: Final = {"content-type": "application/json"}
CONVERSE: Final = {"messages": [{"role": "user", "content": [{"text": "What is the weather?"}]}]}


def by_the_sdk(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    client.messages.create(model=model, max_tokens=9, messages=messages)


def by_urllib(client: anthropic.Anthropic, model: str, messages: Any) -> None:
    body = json.dumps({"model": model, "max_tokens": 9, "messages": messages}).encode()
    url = f"{client.base_url}".rstrip("/") + "/v1/messages"
    urlopen(Request(url, body, {**JSON, "anthropic-version": "2023-06-01"})).close()


def by_boto3(client: Any, model: str, messages: Any) -> None:
    client.converse(modelId=model, messages=messages)


def by_httpx(client: Any, messages: Any) -> None:
    httpx.post(f"{client.meta.endpoint_url}/model/{MODEL}/converse", json={"messages": messages})


@pytest.mark.parametrize(
    ("loop", "package"),
    [(by_the_sdk, "anthropic"), (by_urllib, ""), (by_boto3, "boto3"), (by_httpx, "")],
    ids=["SDK", "urllib", "boto3", "Converse over httpx"],
)
def test_the_package_that_asked_is_named_where_it_can_be_told(
    loop: Callable[..., object], package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in DUMMIES:
        monkeypatch.delenv(name, raising=False)
    on_converse = loop in (by_boto3, by_httpx)
    if on_converse and find_spec("boto3") is None:
        pytest.skip("boto3 is not installed")
    here = place(tmp_path)
    scenario = here.scenario(weather(tools=[], wire="converse" if on_converse else "messages"))
    run = here.record(scenario, ScriptedModel(says("Rain.")), loop)
    assert (run.outcome, run.turns) == ("PASS", 1)
    (path,) = (tmp_path / "cassettes").iterdir()
    cassette = read_cassette(path)
    assert cassette.provenance is not None
    assert cassette.provenance.sdk == (f"{package} {version(package)}" if package else "")
    assert "amz-sdk" not in path.read_text()


def _exchange(host: str, **headers: str) -> Exchange:
    return Exchange("POST", f"https://{host}/v1/messages", headers, {}, HttpResponse(200))


def test_every_host_that_answered_is_named_once(tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather())
    asked = [_exchange(host) for host in ("a.example", "b.example", "a.example")]
    assert provenance_of(scenario, "m:f", asked).recorded_from == "a.example, b.example"


def test_a_recording_that_was_not_served_from_says_nothing(tmp_path: Path) -> None:
    scenario = place(tmp_path).scenario(weather())
    old, new = _exchange("api.anthropic.com"), _exchange("new.example")
    before = Provenance(recorded_from="simulator", sdk="anthropic 1.0.0")
    found = [
        provenance_of(scenario, "m:f", exchanges, recorded=[old], before=before)
        for exchanges in ([new], [old, new], [old])
    ]
    assert [(one.recorded_from, one.sdk) for one in found] == [
        ("new.example", ""),
        ("simulator, new.example", "anthropic 1.0.0"),
        ("simulator", "anthropic 1.0.0"),
    ]


def test_a_package_that_is_not_installed_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = place(tmp_path).scenario(weather())
    monkeypatch.setattr("sys.path", [])  # where the versions of packages are looked up
    sent = [_exchange("a.example", **{"amz-sdk-request": "attempt=1"})]
    assert provenance_of(scenario, "m:f", sent).sdk == ""
