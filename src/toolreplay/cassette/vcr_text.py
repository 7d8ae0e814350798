"""Cassettes of vcrpy as text in our format: what a serializer of vcrpy has to do, and says where it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from toolreplay.errors import CassetteError, RecordingError

from .exchange import Provenance
from .format import decode_cassette
from .reading import load
from .secrets import find_secret
from .vcr_data import vcr_data
from .vcr_packing import UNKNOWN, pack, unpack
from .yaml_text import yaml_text

_HEADER: Final = "# A cassette of vcrpy in toolreplay's format; see docs/vcrpy.md. Do not edit: record again.\n"


def cassette_text(
    data: Mapping[str, Any], name: str, provenance: Provenance = UNKNOWN, *, patterns: Iterable[re.Pattern[str]] = ()
) -> str:
    """vcrpy's data as a file in our format, read back before it is given away.

    Args:
        name: the cassette, as errors name it.
        patterns: what is a secret, beside what is known by its look.

    Raises:
        RecordingError: it holds a secret (see `secrets`), or what a file cannot hold without loss.
    """
    packed = pack(data, name, provenance)
    _refuse_secrets(packed, {}, name, patterns)
    with _characters_of(name):
        text = _HEADER + yaml_text(packed)
        again, _ = load(text.encode(), name)
    if repr(again) != repr(packed):  # as text: 1, 1.0 and True are equal in Python, and NaN is not
        raise _lost(name)
    return text


def plain_text(
    data: Mapping[str, Any], name: str, beside: Mapping[str, Any], *, patterns: Iterable[re.Pattern[str]] = ()
) -> str:
    """vcrpy's data as a file of its own, without credentials among the headers, read back as in `cassette_text`.

    Args:
        beside: what stands at the top of the file too, where vcrpy does not look.
        name, patterns: as in `cassette_text`.

    Raises:
        RecordingError: as `cassette_text`.
    """
    from vcr.serializers import yamlserializer

    packed = pack(data, name)  # without credentials, and without anybody's own classes
    _refuse_secrets(packed, beside, name, patterns)
    plain = {**unpack(packed, name), **beside}
    with _characters_of(name):
        text: str = yamlserializer.serialize(plain)
        again = yamlserializer.deserialize(text)
    if repr(_in_order(again)) != repr(_in_order(plain)):
        raise _lost(name)
    return text


def cassette_data(text: str | bytes, name: str) -> dict[str, Any]:
    """vcrpy's data from a file in our format, of vcrpy itself, or of any other recorder that `reading` knows.

    Raises:
        CassetteError: it cannot be read; `name` is how the message names it.
    """
    data, lines = load(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, name)
    return vcr_data(data, lines, name).data


def _in_order(value: object) -> object:
    """Data with its fields in one order: vcrpy writes them sorted."""
    match value:
        case dict():
            return {key: _in_order(value[key]) for key in sorted(value, key=repr)}
        case list():
            return [_in_order(item) for item in value]
    return value


@contextmanager
def _characters_of(name: str) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        what = f"the character {error.object[error.start]!r} cannot be written"
        raise RecordingError(f"{name}: {what}; take it out of the request or response") from None


def _lost(name: str) -> RecordingError:
    return RecordingError(f"{name}: the recording does not survive being written; please report this")


def _refuse_secrets(
    packed: Mapping[str, Any], beside: Mapping[str, Any], name: str, patterns: Iterable[re.Pattern[str]]
) -> None:
    """Raise RecordingError if a cassette in our format, or what its file holds beside it, is secret."""
    try:
        cassette = decode_cassette(packed, name)
    except CassetteError as error:
        raise RecordingError(str(error)) from None
    secret = find_secret(cassette, patterns=patterns, beside={**_rest(packed), **beside})
    if secret is not None:
        what = f"{secret.place} holds {secret.kind}"
        fix = "keep it out of prompts and tools, or take it out in vcrpy's before_record_request or _response"
        raise RecordingError(f"{name}: {what}; {fix}")


def _rest(packed: Mapping[str, Any]) -> dict[str, Any]:
    """What a cassette of exchanges has no place for: texts of a status, metadata, fields of other tools."""
    rest = []
    for one in packed["interactions"]:
        request, response = one["request"], one["response"]
        body = response.get("body")
        inner = _without(body, "json", "frames", "string") if isinstance(body, dict) else body
        rest.append({"request": _without(request, "method", "uri", "body"), "response": {**response, "body": inner}})
    return {**packed, "interactions": rest}


def _without(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in names}
