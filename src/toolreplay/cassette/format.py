"""toolreplay's cassette format: vcrpy's `version: 1, interactions:` with three additions.

* `toolreplay:` at the top: `format: 1` and the provenance.
* A request body that is JSON stands as YAML, a response body under `body.json`, an AWS event stream under
  `body.frames`; anything else stays vcrpy's `body.string`, and `!!binary` where it is no text.
* `toolreplay: {extends: i}` beside a request: its body is that of interaction `i` with the fields that stand here,
  and its `messages` are the first `keep` messages of `i` (all of them where `keep` is absent) followed by those that
  stand here. `drop` names fields of `i` that are gone. So a loop that repeats its history grows by what is new.

Both stand outside `request`, whose keys vcrpy passes on as arguments. The format is versioned: a reader refuses a
number it does not know.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from toolreplay.errors import CassetteError
from toolreplay.wire.http import HttpRequest, HttpResponse

from .exchange import Cassette, Exchange, Provenance
from .response_bodies import decode_body, encode_body, text_or_bytes, yaml_can_hold
from .shown import shown

FORMAT: Final = 1
_Kind = TypeVar("_Kind")

# What a replay or a check may need; everything else is noise or secret.
REQUEST_HEADERS: Final = frozenset({"content-type", "anthropic-version", "anthropic-beta", "x-stainless-retry-count"})
RESPONSE_HEADERS: Final = frozenset(
    {"content-type", "request-id", "retry-after", "retry-after-ms", "x-should-retry", "x-amzn-errortype"}
)


def encode(cassette: Cassette) -> dict[str, Any]:
    """The cassette as the data of a YAML file."""
    provenance = cassette.provenance or Provenance()
    head: dict[str, Any] = {"version": 1, "toolreplay": {"format": FORMAT, **dataclasses.asdict(provenance)}}
    bodies: list[object] = []
    interactions = []
    for exchange in cassette.exchanges:
        interactions.append(_encode_exchange(exchange, bodies))
        bodies.append(exchange.body)
    return {**head, "interactions": interactions}


def decode_cassette(data: Mapping[str, Any], name: str) -> Cassette:
    """The cassette from the data of a YAML file.

    Raises:
        CassetteError: the data is not of a format this version reads.
    """
    provenance = _provenance(data.get("toolreplay"), name)
    interactions = data.get("interactions") or []
    if not isinstance(interactions, list):
        raise CassetteError(f"{name}: interactions is {shown(interactions)}, not a list; record the scenario again")
    bodies: list[object] = []
    exchanges = []
    for index, interaction in enumerate(interactions):
        try:
            exchange = _decode_exchange(interaction, bodies)
        except ValueError as error:
            raise CassetteError(f"{name}: interaction {index} is broken ({error}); record the scenario again") from None
        exchanges.append(exchange)
        bodies.append(exchange.body)
    return Cassette(tuple(exchanges), provenance)


def decode(data: Mapping[str, Any], name: str) -> Iterator[tuple[HttpRequest, HttpResponse | None]]:
    """The exchanges alone, as every other format's reader gives them."""
    for exchange in decode_cassette(data, name).exchanges:
        yield exchange.request, exchange.response


def normalised(exchange: Exchange) -> Exchange:
    """The exchange as it comes back from a file: headers allowed, JSON bodies in one spelling."""
    response = exchange.response
    return dataclasses.replace(
        exchange,
        headers=allowed(exchange.headers, REQUEST_HEADERS),
        response=HttpResponse(
            response.status, allowed(response.headers, RESPONSE_HEADERS), decode_body(encode_body(response))
        ),
    )


def allowed(headers: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    """The headers that may be kept; a retry count of 0 says nothing and is left out."""
    return {
        name: value
        for name, value in headers.items()
        if name in names and (name, value) != ("x-stainless-retry-count", "0")
    }


def _encode_exchange(exchange: Exchange, bodies: Sequence[object]) -> dict[str, Any]:
    body, extension = exchange.body, None
    if not isinstance(body, bytes) and not yaml_can_hold(body):
        body = json.dumps(body)
    elif isinstance(body, dict):
        base = _latest_base(body, bodies)
        if base is not None:
            index, keep = base
            body, extension = _difference(body, bodies[index], index, keep)
    entry: dict[str, Any] = {"toolreplay": extension} if extension else {}
    entry["request"] = {
        "method": exchange.method,
        "uri": exchange.url,
        "headers": _lists(allowed(exchange.headers, REQUEST_HEADERS)),
        "body": text_or_bytes(body) if isinstance(body, bytes) else body,
    }
    entry["response"] = {
        "status": {"code": exchange.response.status, "message": ""},
        "headers": _lists(allowed(exchange.response.headers, RESPONSE_HEADERS)),
        "body": encode_body(exchange.response),
    }
    return entry


def _latest_base(body: Mapping[str, Any], bodies: Sequence[object]) -> tuple[int, int] | None:
    """The latest earlier body that shares leading messages: its index, and how many it shares."""
    for index in range(len(bodies) - 1, -1, -1):
        keep = _shared(body, bodies[index]) if isinstance(bodies[index], dict) else 0
        if keep:
            return index, keep
    return None


def _shared(body: Mapping[str, Any], base: Any) -> int:
    """How many leading messages are the same as JSON: 1, 1.0 and true are equal to Python and not here."""
    mine, theirs = body.get("messages"), base.get("messages")
    if not isinstance(mine, list) or not isinstance(theirs, list):
        return 0
    # Nearly always the base's messages are all there: one comparison, and one of the texts, tells.
    if mine[: len(theirs)] == theirs and json.dumps(mine[: len(theirs)]) == json.dumps(theirs):
        return len(theirs)
    pairs = enumerate(zip(mine, theirs, strict=False))
    return next((n for n, (a, b) in pairs if not _same(a, b)), min(len(mine), len(theirs)))


def _difference(body: Mapping[str, Any], base: Any, index: int, keep: int) -> tuple[dict[str, Any], dict[str, Any]]:
    extension: dict[str, Any] = {"extends": index}
    if keep < len(base["messages"]):
        extension["keep"] = keep
    dropped = [key for key in base if key not in body]
    if dropped:
        extension["drop"] = dropped
    changed = {key: value for key, value in body.items() if key not in base or not _same(base[key], value)}
    return {**changed, "messages": body["messages"][keep:]}, extension


def _same(left: object, right: object) -> bool:
    return left == right and json.dumps(left) == json.dumps(right)


def _provenance(head: object, name: str) -> Provenance:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        number = head.get("format") if isinstance(head, dict) else head
        raise CassetteError(f"{name}: toolreplay format {number!r} is not known; update toolreplay or record again")
    known = {field.name for field in dataclasses.fields(Provenance)}
    for key, value in head.items():
        texts = value.values() if key == "digests" and isinstance(value, dict) else (value,)
        if key in known and not all(isinstance(text, str) for text in texts):
            raise CassetteError(f"{name}: toolreplay.{key} is {shown(value)}; record the scenario again")
    return Provenance(**{key: value for key, value in head.items() if key in known})


def _decode_exchange(interaction: object, bodies: Sequence[object]) -> Exchange:
    request, response = _take(interaction, "request", dict), _take(interaction, "response", dict)
    body = request.get("body")
    extension = _take(interaction, "toolreplay", dict, {})
    if extension:
        body = _extended(body, extension, bodies)
    elif isinstance(body, str):
        body = _parsed(body)
    elif body is None:
        body = b""
    return Exchange(
        method=_take(request, "method", str),
        url=_take(request, "uri", str),
        headers=_flat(_take(request, "headers", dict, {})),
        body=body,
        response=HttpResponse(
            _take(_take(response, "status", dict), "code", int),
            _flat(_take(response, "headers", dict, {})),
            decode_body(_take(response, "body", dict, {})),
        ),
    )


def _extended(body: object, extension: object, bodies: Sequence[object]) -> dict[str, Any]:
    index = _take(extension, "extends", int)
    if not 0 <= index < len(bodies):
        raise ValueError(f"it extends {index}, which is no interaction before it")
    base = bodies[index]
    messages = _take(base, "messages", list)
    keep = _take(extension, "keep", int, len(messages))
    if not 0 <= keep <= len(messages):
        raise ValueError(f"it keeps {keep} messages of {len(messages)}")
    dropped = _take(extension, "drop", list, [])
    added = _take(body, "messages", list)
    assert isinstance(base, dict)  # it has messages
    assert isinstance(body, dict)
    merged = {key: value for key, value in base.items() if key not in dropped}
    return {**merged, **body, "messages": [*messages[:keep], *added]}


def _take(fields: object, name: str, kind: type[_Kind], default: _Kind | None = None) -> _Kind:
    """A field of a mapping that a file holds, if it is what it has to be."""
    if not isinstance(fields, dict):
        raise ValueError(f"{shown(fields)} stands where {name} should be a field")  # noqa: TRY004
    value = fields.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name} is {shown(value)}")  # noqa: TRY004
    return value


def _parsed(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return text.encode()
    return value if isinstance(value, dict | list) else text.encode()


def _lists(headers: Mapping[str, str]) -> dict[str, list[str]]:
    return {name: [headers[name]] for name in sorted(headers)}  # in one order, whatever the client: diffs stay small


def _flat(headers: Mapping[Any, Any]) -> dict[str, str]:
    return {
        str(name): ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in headers.items()
    }
