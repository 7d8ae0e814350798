"""Scenario files beside each other that would share a cassette."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolreplay.files.yaml import YamlError, read_file
from toolreplay.wire.model import Wire

from .paths import cassette_name

if TYPE_CHECKING:
    from .model import Scenario

SUFFIXES: Final = (".yaml", ".yml")


def shared_cassettes(path: Path, scenarios: Sequence[Scenario]) -> Iterator[str]:
    """A line for each scenario of a file whose cassette would be that of a file beside it.

    Of `a.yaml` and `a.yml` the second is refused, of `oslo.yaml` with a document "two cities" and
    `oslo.two-cities.yaml` the longer name, so that only one of the two has to be read to see it.
    """
    recorded = [scenario for scenario in scenarios if not scenario.scripted]
    for other in _earlier(path) if recorded else ():
        taken = set(_names(other))
        for scenario in recorded:
            document = scenario.name if scenario.source.documents > 1 else None
            name = cassette_name(path.stem, document, converse=scenario.wire is Wire.CONVERSE)
            if name in taken:
                where = f"{scenario.path}:{scenario.line}"
                yield f"{where}: its cassette {name + '.yaml'!r} is that of {other.name!r} too; rename one of the files"


def _earlier(path: Path) -> Iterator[Path]:
    """The files whose cassettes might be named like those of this one; such a name may be too long to be one."""
    if path.suffix == SUFFIXES[1]:
        yield from filter(os.path.isfile, [path.with_suffix(SUFFIXES[0])])
    stem = path.stem
    while "." in stem:
        stem = stem.rpartition(".")[0]
        yield from filter(os.path.isfile, [path.with_name(stem + suffix) for suffix in SUFFIXES])


def _names(path: Path) -> Iterator[str]:
    """The cassettes of a file as far as it can be read; its own faults are told when it is loaded."""
    try:
        documents = [document.data for document in read_file(path, path.name) if document.data is not None]
    except YamlError:
        return
    for data in documents:
        if isinstance(data, dict) and "conversation" in data and "script" not in data:
            document = str(data.get("name", "")) if len(documents) > 1 else None
            yield cassette_name(path.stem, document, converse=data.get("wire") == Wire.CONVERSE.value)
