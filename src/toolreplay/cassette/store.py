"""Cassette files: reading any that can be played, writing our own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import yaml

from toolreplay.errors import CassetteError, RecordingError
from toolreplay.files.atomic import write_text

from .exchange import Cassette, Exchange, Provenance
from .format import decode_cassette, encode, normalised
from .reading import interpret, load, read_bytes
from .secrets import DUMMIES, find_secret

_HEADER = "# Recorded by toolreplay; see docs/record.md. Do not edit: record again.\n"


def read_cassette(path: Path) -> Cassette:
    """Read a cassette of ours, or any recording that another tool wrote.

    Raises:
        CassetteError: the file is missing or cannot be read.
    """
    if not path.exists():
        raise CassetteError(f"{path}: there is no such cassette; record it with: toolreplay record")
    data, lines = load(read_bytes(path), str(path))
    if isinstance(data, dict) and "toolreplay" in data:
        return decode_cassette(data, str(path))
    exchanges = []
    for interaction in interpret(data, lines, str(path)).interactions:
        request, response = interaction.request, interaction.response
        if response is not None:
            body = request.json if request.is_json else request.body
            exchanges.append(Exchange(request.method, request.url, request.headers, body, response))
    return Cassette(tuple(exchanges))


def write_cassette(path: Path, cassette: Cassette, *, dummies: Iterable[str] = DUMMIES) -> None:
    """Write a cassette whole or not at all, after reading back what would be written.

    Args:
        dummies: credentials that are no secret; any other that is found stops the writing (see `secrets`).

    Raises:
        RecordingError: what was recorded holds a secret or cannot be kept in this format without loss, or the file
            cannot be written.
    """
    exchanges = tuple(normalised(exchange) for exchange in cassette.exchanges)
    secret = find_secret(Cassette(exchanges, cassette.provenance), dummies=dummies)
    if secret is not None:
        what = f"{secret.place} holds {secret.kind}"
        raise RecordingError(f"{path}: {what}; keep it out of prompts, tools and stubs and record again")
    cassette = Cassette(exchanges, cassette.provenance or Provenance())
    text = _HEADER + yaml.dump(encode(cassette), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    data, _ = load(text.encode(), str(path))
    again = decode_cassette(data if isinstance(data, dict) else {}, str(path))
    if [_strict(one) for one in again.exchanges] != [_strict(one) for one in exchanges]:
        raise RecordingError(f"{path}: the recording does not survive being written; please report this")
    try:
        write_text(path, text)
    except OSError as error:
        raise RecordingError(f"{path}: cannot be written: {error.strerror}; nothing was replaced") from None


def _strict(exchange: Exchange) -> Exchange:
    """The exchange with its body as text, since 1, 1.0 and True are equal in Python, and NaN is not."""
    if isinstance(exchange.body, bytes):
        return exchange
    return replace(exchange, body=json.dumps(exchange.body, sort_keys=True))


_BASE: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_BASE):  # type: ignore[misc]  # whichever of the two PyYAML has
    """YAML for people: text of several lines in literal style, no anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.rstrip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_list(dumper: Any, items: list[Any]) -> Any:
    short = all(isinstance(item, str | int | float) and len(str(item)) < _SHORT for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=short and len(items) < _FEW)


_SHORT: Final = 60
_FEW: Final = 6
_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(list, _represent_list)
