"""vcrpy's data of a cassette in our format, and back: the same requests and responses in fewer lines.

The data is what vcrpy 9 hands to a serializer (vcr/serialize.py): `version`, `interactions` with
`request: {method, uri, body, headers}` and `response: {status: {code, message}, headers, body: {string}}`, and
`metadata` where a test keeps any. All of it comes back. Only credentials among the headers are left out, and a request
body that is JSON may come back in another spelling of the same value: vcrpy's matcher `body` compares values there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolreplay.errors import CassetteError, RecordingError

from .bodies import to_bytes
from .credentials import COOKIES, is_credential
from .exchange import Provenance
from .extending import Bodies, Extension, extended
from .file_fields import take
from .format import FORMAT, head_of, interactions_of, parsed, provenance_of
from .response_bodies import decode_body, encode_exactly, text_or_bytes, yaml_can_hold
from .spelling import COMPACT, spell, spelling_of

UNKNOWN: Final = Provenance()
"""What vcrpy says of a recording, which is nothing."""

_PARSED: Final = "parsed"
"""In place of a spelling: vcrpy was given the value itself (aiohttp's `json=`), not its text."""


def pack(data: Mapping[str, Any], name: str, provenance: Provenance = UNKNOWN) -> dict[str, Any]:
    """vcrpy's data as the data of a file in our format.

    Args:
        name: the cassette, as errors name it.
        provenance: where the recording comes from.

    Raises:
        RecordingError: a request or response holds an object that no file can hold.
    """
    head = {"format": FORMAT} if provenance == UNKNOWN else head_of(provenance)
    packed = {"version": 1, "toolreplay": head, **_rest(data)}
    bodies = Bodies()
    packed["interactions"] = interactions = []
    for index, interaction in enumerate(data["interactions"]):
        try:
            interactions.append(_pack(_plain(interaction), bodies))
        except TypeError as error:
            what = f"interaction {index} holds {error}, which no file can hold"
            raise RecordingError(f"{name}: {what}; send bytes or text, or take it out before recording") from None
    return packed


def unpack(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """vcrpy's data again, from the data of a file in our format, whoever wrote it.

    Raises:
        CassetteError: the data is not of a format this version reads.
    """
    provenance_of(data.get("toolreplay"), name)
    bodies: list[object] = []
    interactions = []
    for index, interaction in enumerate(interactions_of(data, name)):
        try:
            interactions.append(_unpack(interaction, bodies))
        except ValueError as error:
            raise CassetteError(f"{name}: interaction {index} is broken ({error}); record it again") from None
    return {"version": 1, **_rest(data), "interactions": interactions}


def _rest(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": data["metadata"]} if data.get("metadata") else {}


def _pack(interaction: Mapping[str, Any], bodies: Bodies) -> dict[str, Any]:
    request, response = interaction["request"], interaction["response"]
    headers = _kept(request.get("headers") or {})
    body, beside = _pack_body(_writable(request.get("body")), _is_json(headers), bodies)
    answer = response.get("body")
    if isinstance(answer, dict) and isinstance(answer.get("string"), str | bytes):
        string = answer.pop("string")
        answer = {**answer, **encode_exactly(to_bytes(string))}
    packed = {"toolreplay": beside} if beside else {}
    packed["request"] = _ordered({**request, "headers": headers, "body": body})
    packed["response"] = _ordered({**response, "headers": _kept(response.get("headers") or {}), "body": answer})
    return packed


def is_left_out(header: str) -> bool:
    """Whether a header, named in lower case, is not written."""
    return header in COOKIES or is_credential(header)


def _writable(body: object) -> object:
    """The body; as bytes where it is a text with a lone surrogate, which no file in UTF-8 can hold."""
    return text_or_bytes(to_bytes(body)) if isinstance(body, str) else body


def _kept(headers: Mapping[Any, object]) -> dict[Any, object]:
    """Headers without credentials, in one order, whatever the client: diffs stay small."""
    return {key: headers[key] for key in sorted(headers, key=_name) if not is_left_out(_name(key))}


def _ordered(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A request or response in the order in which people read it."""
    first = [name for name in ("method", "uri", "status", "headers", "body") if name in fields]
    return {name: fields[name] for name in (*first, *sorted(fields.keys() - {*first}))}


def _pack_body(body: object, is_json: bool, bodies: Bodies) -> tuple[object, dict[str, Any]]:
    """What stands under `request.body`, and what stands beside the request. The body joins those before it."""
    value = parsed(body) if isinstance(body, str) else body
    new, extension = _new_in(value, bodies)
    if new is None:
        bodies.append(value if isinstance(value, dict) else body)
        return body, {}
    whole = bodies.extended(new, extension) if extension else value
    spelling = spelling_of(body, whole) if isinstance(body, str) else _PARSED
    if spelling is None and not (is_json and _is_finite(whole)):  # then every byte counts
        bodies.append(body)
        return body, {}
    bodies.append(whole)
    beside: Extension = extension or {}
    return new, beside if spelling in (None, COMPACT) else {**beside, "spelling": spelling}


def _is_finite(value: object) -> bool:
    """Whether JSON is JSON again when it is written anew: Python reads 1e999 as infinity, which JSON has not."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _new_in(value: object, bodies: Bodies) -> tuple[Any, Extension | None]:
    """What is new in a JSON value, and what it extends; None for what is no such value or cannot stand as YAML."""
    if not isinstance(value, dict | list):
        return None, None
    try:
        new, extension = bodies.shortened(value) if isinstance(value, dict) else (value, None)
        return (new, extension) if yaml_can_hold([new, extension]) else (None, None)
    except RecursionError:
        return None, None


def _unpack(interaction: object, bodies: list[object]) -> dict[str, Any]:
    request = dict(take(interaction, "request", dict))
    request["body"] = _unpack_body(request.get("body"), take(interaction, "toolreplay", dict, {}), bodies)
    for name in ("method", "uri"):
        take(request, name, str)
    request["headers"] = take(request, "headers", dict, {})
    return {"request": request, "response": _unpack_response(take(interaction, "response", dict))}


def _unpack_response(stored: Mapping[str, Any]) -> dict[str, Any]:
    take(take(stored, "status", dict), "code", int)
    body = take(stored, "body", dict, {})
    if body.get("string", "") is not None:  # vcrpy's own word for no body
        kept = {key: value for key, value in body.items() if key not in ("json", "frames", "spelling")}
        body = {**kept, "string": text_or_bytes(decode_body(body))}
    return {**stored, "headers": take(stored, "headers", dict, {}), "body": body}


def _unpack_body(body: object, beside: Mapping[str, Any], bodies: list[object]) -> object:
    whole = extended(body, beside, bodies) if beside.keys() - {"spelling"} else body
    bodies.append(parsed(body) if isinstance(body, str) else whole)
    spelling = beside.get("spelling", COMPACT)
    if not isinstance(whole, dict | list) or spelling == _PARSED:
        return whole
    return spell(whole, spelling)


def _name(header: object) -> str:
    return (header.decode("latin-1") if isinstance(header, bytes) else str(header)).lower()


def _is_json(headers: Mapping[object, object]) -> bool:
    """Whether vcrpy's matcher `body` reads the body as JSON (vcr/matchers.py)."""
    return any(
        _name(key) == "content-type" and any("application/json" in _name(one) for one in _values(value))
        for key, value in headers.items()
    )


def _values(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> Any:
    """The value without anybody's own classes. Raises TypeError, which names what cannot be had without."""
    match value:
        case None | bool():
            return value
        case str():
            return str(value)
        case bytes():
            return bytes(value)
        case int():
            return int(value)
        case float():
            return float(value)
        case Mapping():
            return {_plain(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
    if hasattr(value, "read"):  # a body sent from a file
        return _plain(value.read())
    if isinstance(value, Iterator):  # a body sent in chunks
        return _joined(list(value))
    raise TypeError(f"a value of type {type(value).__qualname__}")


def _joined(chunks: Sequence[object]) -> str | bytes:
    return text_or_bytes(b"".join(map(_piece, chunks)))


def _piece(chunk: object) -> bytes:
    match chunk:
        case bytes():
            return chunk
        case str():
            return chunk.encode()
        case int():  # of bytes that were iterated over
            return bytes([chunk])
    raise TypeError(f"a piece of type {type(chunk).__qualname__}")
