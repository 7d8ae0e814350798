"""toolreplay's cassette format: vcrpy's `version: 1, interactions:` with four additions.

* `toolreplay:` at the top: `format: 1` and the provenance.
* A request body that is JSON stands as YAML, a response body under `body.json`, an AWS event stream under
  `body.frames`; anything else stays vcrpy's `body.string`, and `!!binary` where it is no text.
* `toolreplay: {extends: i}` beside a request: its body is that of interaction `i` with the fields that stand here,
  and its `messages` are the first `keep` messages of `i` (all of them where `keep` is absent) followed by those that
  stand here. `drop` names fields of `i` that are gone. So a loop that repeats its history grows by what is new.
* `spelling`, beside `extends` or `body.json`, says how the JSON was written on the wire (`spelling.py`). Left out, a
  request was `compact` and a response `spaced`; the serializer for vcrpy alone needs to know (`vcr_packing.py`).

These stand outside `request`, whose keys vcrpy passes on as arguments. The format is versioned: a reader refuses a
number it does not know.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolreplay.errors import CassetteError
from toolreplay.wire.http import HttpRequest, HttpResponse

from . import json_text
from .bodies import to_bytes
from .decoded import decoded_response
from .exchange import Cassette, Exchange, Provenance
from .extending import Bodies, extended
from .file_fields import shown, take
from .response_bodies import decode_body, encode_body, text_or_bytes, yaml_can_hold

FORMAT: Final = 1

# What a replay or a check may need; everything else is noise or secret.
REQUEST_HEADERS: Final = frozenset({"content-type", "anthropic-version", "anthropic-beta", "x-stainless-retry-count"})
RESPONSE_HEADERS: Final = frozenset(
    {"content-type", "request-id", "retry-after", "retry-after-ms", "x-should-retry", "x-amzn-errortype"}
)


def encode(cassette: Cassette) -> dict[str, Any]:
    """The cassette as the data of a YAML file."""
    head: dict[str, Any] = {"version": 1, "toolreplay": head_of(cassette.provenance or Provenance())}
    bodies = Bodies()
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
    provenance = provenance_of(data.get("toolreplay"), name)
    bodies: list[object] = []
    exchanges = []
    for index, interaction in enumerate(interactions_of(data, name)):
        try:
            exchange = _decode_exchange(interaction, bodies)
        except ValueError as error:
            raise CassetteError(f"{name}: interaction {index} is broken ({error}); record the scenario again") from None
        exchanges.append(exchange)
        bodies.append(exchange.body)
    return Cassette(tuple(exchanges), provenance)


def interactions_of(data: Mapping[str, Any], name: str) -> list[object]:
    """The interactions of a file as they stand there; none of them need be one. Raises CassetteError."""
    interactions = data.get("interactions") or []
    if not isinstance(interactions, list):
        raise CassetteError(f"{name}: interactions is {shown(interactions)}, not a list; record the scenario again")
    return interactions


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


def _encode_exchange(exchange: Exchange, bodies: Bodies) -> dict[str, Any]:
    whole = exchange.body
    body, extension = bodies.shortened(whole) if isinstance(whole, dict) else (whole, None)
    if not isinstance(body, bytes) and not yaml_can_hold([body, extension]):
        body, extension = json.dumps(whole), None
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


def head_of(provenance: Provenance) -> dict[str, Any]:
    """What stands under `toolreplay:` at the top of a file."""
    return {"format": FORMAT, **dataclasses.asdict(provenance)}


def provenance_of(head: object, name: str) -> Provenance:
    """What the mapping under `toolreplay:` says; fields of a later version are passed over.

    Raises:
        CassetteError: its format is not one this version reads, or a field is no text.
    """
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
    request, response = take(interaction, "request", dict), take(interaction, "response", dict)
    body = request.get("body")
    beside = take(interaction, "toolreplay", dict, {})
    if beside.keys() - {"spelling"}:
        body = extended(body, beside, bodies)
    elif isinstance(body, str):
        body = parsed(body)
    elif body is None:
        body = b""
    return Exchange(
        method=take(request, "method", str),
        url=take(request, "uri", str),
        headers=_flat(take(request, "headers", dict, {})),
        body=body,
        response=_decode_response(
            take(take(response, "status", dict), "code", int),
            _flat(take(response, "headers", dict, {})),
            decode_body(take(response, "body", dict, {})),
        ),
    )


def _decode_response(status: int, headers: Mapping[str, str], body: bytes) -> HttpResponse:
    # Only the serializer keeps such a header, and with it the body as it came.
    if "content-encoding" in headers:
        return decoded_response(status, headers.items(), body)
    return HttpResponse(status, headers, body)


def parsed(text: str) -> object:
    """The JSON object or array that a request body is; the bytes where it is none, or has a key twice."""
    try:
        value = json_text.loads(text)
    except (ValueError, RecursionError):
        return to_bytes(text)
    return value if isinstance(value, dict | list) else to_bytes(text)


def _lists(headers: Mapping[str, str]) -> dict[str, list[str]]:
    return {name: [headers[name]] for name in sorted(headers)}  # in one order, whatever the client: diffs stay small


def _flat(headers: Mapping[Any, Any]) -> dict[str, str]:
    return {
        _text(name).lower(): ", ".join(map(_text, value)) if isinstance(value, list) else _text(value)
        for name, value in headers.items()
    }


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
