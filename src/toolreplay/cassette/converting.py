"""A recording of any tool in our format or in plain vcrpy's, with everything that is a request and a response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from .bodies import TRANSPORT, decompressed
from .format import head_of
from .reading import load
from .recording import MalformedError
from .response_bodies import text_or_bytes
from .vcr_data import PROVENANCE, VcrData, vcr_data
from .vcr_packing import UNKNOWN
from .vcr_text import cassette_text, plain_text


class Format(StrEnum):
    """A format that is written; the value is what `--to` says."""

    VCR = "vcr"
    TOOLREPLAY = "toolreplay"


_SUFFIXES: Final = {Format.VCR: ".yaml", Format.TOOLREPLAY: ".toolreplay"}
# Endings of recordings that a converted file's name need not show any more.
_ENDINGS: Final = (".gz", ".yaml", ".yml", ".json", ".har", ".toolreplay")


@dataclass(frozen=True, slots=True)
class Converted:
    """A recording in its new format.

    Attributes:
        text: the whole file.
        exchanges: how many requests and responses it holds.
        unanswered: how many requests were left out since they have no response.
    """

    text: str
    exchanges: int
    unanswered: int


def convert(data: bytes, name: str, to: Format, *, patterns: Iterable[re.Pattern[str]] = ()) -> Converted:
    """Convert the bytes of a file that errors call `name`.

    Args:
        patterns: what is a secret, beside what is known by its look.

    Raises:
        CassetteError: it cannot be read.
        RecordingError: it holds a secret, or what the new format cannot hold.
    """
    loaded, lines = load(data, name)
    found = vcr_data(loaded, lines, name)
    text = _toolreplay(found, name, patterns) if to is Format.TOOLREPLAY else _vcr(found, name, patterns)
    return Converted(text, len(found.data["interactions"]), found.unanswered)


def beside(path: Path, to: Format) -> Path:
    """Where a converted file stands by default: beside the original, under a suffix that says its format.

    That is the suffix under which pytest-recording looks for cassettes of this serializer.
    """
    name = path.name
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    found = path.parent / f"{name}{_SUFFIXES[to]}"  # a folder may have no name, and is refused when it is read
    return path.parent / f"{name}.{to}{_SUFFIXES[to]}" if found == path else found


def _toolreplay(found: VcrData, name: str, patterns: Iterable[re.Pattern[str]]) -> str:
    interactions = [{**one, "response": _decompressed(one["response"])} for one in found.data["interactions"]]
    data = {**found.data, "interactions": interactions}
    return cassette_text(data, name, found.provenance, patterns=patterns)


def _vcr(found: VcrData, name: str, patterns: Iterable[re.Pattern[str]]) -> str:
    beside = {} if found.provenance == UNKNOWN else {PROVENANCE: head_of(found.provenance)}
    return plain_text(found.data, name, beside, patterns=patterns)


def _decompressed(response: dict[str, Any]) -> dict[str, Any]:
    """The response as vcrpy's `decode_compressed_response` keeps it: so that people can read it.

    One that cannot be decompressed here stays as it came, with the header that says how.
    """
    headers: Mapping[object, object] = response["headers"]
    encoding = next((value for key, value in headers.items() if str(key).lower() == "content-encoding"), None)
    string = response["body"]["string"]
    if encoding is None or not isinstance(string, bytes):
        return response
    named = encoding if isinstance(encoding, list) else [encoding]
    try:
        body = decompressed(string, ",".join(map(str, named)))
    except MalformedError:
        return response
    kept = {key: value for key, value in headers.items() if str(key).lower() not in TRANSPORT}
    return {**response, "headers": kept, "body": {**response["body"], "string": text_or_bytes(body)}}
