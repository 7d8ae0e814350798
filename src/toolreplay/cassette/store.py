"""Cassette files: reading any that can be played, writing our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from toolreplay.errors import CassetteError, RecordingError
from toolreplay.files.atomic import write_text

from .exchange import Cassette, Exchange, Provenance
from .format import decode_cassette, encode, normalised
from .reading import interpret, load, read_bytes, refuse_twice, unopenable
from .recording import Interaction
from .secrets import DUMMIES, find_secret
from .yaml_text import yaml_text

_HEADER = "# Recorded by toolreplay; see docs/record.md. Do not edit: record again.\n"


def read_cassette(path: Path) -> Cassette:
    """Read a cassette of ours, or any recording that another tool wrote.

    Raises:
        CassetteError: the file is missing or cannot be read.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CassetteError(f"{path}: there is no such cassette; record it with: toolreplay record") from None
    except OSError as error:  # a folder that may not be entered, a link that leads to itself
        raise unopenable(str(path), error) from None
    data, lines = load(read_bytes(path), str(path))
    if isinstance(data, dict) and "toolreplay" in data:
        refuse_twice(lines, str(path))
        return decode_cassette(data, str(path))
    found = map(exchange_of, interpret(data, lines, str(path)).interactions)
    return Cassette(tuple(exchange for exchange in found if exchange is not None))


def exchange_of(interaction: Interaction) -> Exchange | None:
    """An interaction of any recording as a cassette holds it; None where the request was never answered."""
    request, response = interaction.request, interaction.response
    if response is None:
        return None
    body = request.json if request.is_json else request.body
    return Exchange(request.method, request.url, request.headers, body, response)


def write_cassette(
    path: Path,
    cassette: Cassette,
    *,
    dummies: Iterable[str] = DUMMIES,
    patterns: Iterable[re.Pattern[str]] = (),
) -> None:
    """Write a cassette whole or not at all, after reading back what would be written.

    Args:
        dummies: credentials that are no secret; any other that is found stops the writing (see `secrets`).
        patterns: what else is a secret.

    Raises:
        RecordingError: what was recorded holds a secret or cannot be kept in this format without loss, or the file
            cannot be written.
    """
    write_whole(path, whole_text(path, cassette, dummies=dummies, patterns=patterns))


def whole_text(
    path: Path,
    cassette: Cassette,
    *,
    dummies: Iterable[str] = DUMMIES,
    patterns: Iterable[re.Pattern[str]] = (),
) -> str:
    """The text that `write_cassette` writes to a path. Raises as it does."""
    exchanges = tuple(normalised(exchange) for exchange in cassette.exchanges)
    secret = find_secret(Cassette(exchanges, cassette.provenance), dummies=dummies, patterns=patterns)
    if secret is not None:
        what = f"{secret.place} holds {secret.kind}"
        raise RecordingError(f"{path}: {what}; keep it out of prompts, tools and stubs and record again")
    cassette = Cassette(exchanges, cassette.provenance or Provenance())
    text = _HEADER + yaml_text(encode(cassette))
    data, _ = load(text.encode(), str(path))
    again = decode_cassette(data if isinstance(data, dict) else {}, str(path))
    if [_strict(one) for one in again.exchanges] != [_strict(one) for one in exchanges]:
        raise RecordingError(f"{path}: the recording does not survive being written; please report this")
    return text


def write_whole(path: Path, text: str) -> None:
    """Write the text of a recording whole, or raise RecordingError and leave what is there as it was."""
    try:
        write_text(path, text)
    except OSError as error:
        raise RecordingError(f"{path}: cannot be written: {error.strerror}; nothing was replaced") from None


def _strict(exchange: Exchange) -> Exchange:
    """The exchange with its body as text, since 1, 1.0 and True are equal in Python, and NaN is not."""
    if isinstance(exchange.body, bytes):
        return exchange
    return replace(exchange, body=json.dumps(exchange.body, sort_keys=True))
