"""The parts that recording formats share: headers in any notation, requests, responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolreplay.cassette.bodies import TRANSPORT, Base64, decompressed, to_bytes
from toolreplay.cassette.recording import MalformedError
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.http import HttpRequest, HttpResponse


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str:
    """A name or value of a header, a method, a URL; some recorders keep them as bytes."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def headers(value: object) -> dict[str, str]:
    """Headers, their names in lower case.

    Recorders write `{name: value}`, `{name: [values]}`, `[{name:, value:}]`, `[[name, value]]`, `[name,
    value, ...]`.
    """
    found: dict[str, str] = {}
    for name, content in _pairs(value):
        key = string(name).lower()
        text = ", ".join(map(string, content)) if isinstance(content, list) else string(content)
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _pairs(value: object) -> Iterable[tuple[object, object]]:
    if isinstance(value, dict):
        return value.items()
    if not isinstance(value, list):
        return ()
    if all(isinstance(item, dict) for item in value):
        return [(item.get("name"), item.get("value")) for item in value]
    if all(isinstance(item, list) and len(item) == 2 for item in value):
        return [(name, content) for name, content in value]
    return list(zip(value[::2], value[1::2], strict=False))


def request(fields: Mapping[str, Any], *, method: object, url: object, head: object, body: object) -> HttpRequest:
    """A request; `fields` is what the file says of it, for the line of an error."""
    if not isinstance(url, (str, bytes)) or not url:
        raise MalformedError(f"a request has no URL, but {url!r}", fields)
    verb, address, sent = string(method or "GET").upper(), string(url), headers(head)
    ours = endpoint(verb, address) is not None
    return HttpRequest(verb, address, _kept(sent), _unpacked(body, sent, fields, ours=ours))


def response(
    fields: Mapping[str, Any], sent: HttpRequest, *, status: object, head: object, body: object
) -> HttpResponse:
    """The response to `sent`, decompressed, without the headers that described how its bytes came."""
    try:
        code = int(status) if isinstance(status, (int, str)) else None
    except ValueError:
        code = None
    if code is None:
        raise MalformedError(f"a response has the status {status!r}, not a number", fields)
    got = headers(head)
    plain = _unpacked(body, got, fields, ours=endpoint(sent.method, sent.url) is not None)
    return HttpResponse(code, _kept(got), plain)


def _kept(head: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in head.items() if name not in TRANSPORT}


def stored_body(fields: Mapping[str, Any]) -> object:
    """The body of a request or response under any name and wrapping that recorders give it.

    vcrpy: `body` (text, bytes), `body: {string:}`, `body: {base64_string:}`, and `content` where it recorded
        httpx;
    pydantic-ai: `parsed_body`; Ruby VCR: `body: {encoding:, string:}`.
    """
    if "parsed_body" in fields:
        return fields["parsed_body"]
    body = fields.get("body")
    if body is None:
        return fields.get("content")
    if isinstance(body, dict):
        if "string" in body and body.keys() <= {"string", "encoding"}:
            return body["string"]
        if body.keys() in ({"base64_string"}, {"encoding", "base64_string"}):
            return Base64(body["base64_string"])
    return body


def _unpacked(body: object, head: Mapping[str, str], fields: Mapping[str, Any], *, ours: bool) -> bytes:
    try:
        return decompressed(to_bytes(body), head.get("content-encoding", ""))
    except MalformedError as error:
        if ours:
            raise MalformedError(f"a body is {error.reason}", error.at or fields) from None
        # A recording may hold anything beside the model's calls; what is damaged there is nobody's business
        # here.
        return body if isinstance(body, bytes) else b""
