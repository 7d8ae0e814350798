"""A rule is not asked of views without the kinds of block that it is about: no finding is lost by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import pytest

from toolreplay.cassette.reading import read_recording
from toolreplay.contract.catalogue import MESSAGE_RULES, STEP_RULES, Rules
from toolreplay.contract.fold import check_request
from toolreplay.wire.exchange import read_request
from toolreplay.wire.model import Block, Request, Wire

from .corpus import CORPUS, MISSING, files
from .mutations import Body
from .test_mutations import MUTATIONS, Mutation, parsed

KINDS = frozenset(get_args(Block))


@contextmanager
def asking_all() -> Iterator[None]:
    """Have every rule asked of every view."""
    kept = [(rules, rules._kinds) for rules in (MESSAGE_RULES, STEP_RULES)]
    every: list[Rules[Any]] = [rules for rules, _ in kept]
    for rules in every:
        rules._kinds = lambda _: KINDS
    try:
        yield
    finally:
        for rules, kinds in kept:
            rules._kinds = kinds


@pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)
def test_the_corpus_and_what_is_broken_in_it() -> None:
    recorded = [request for path in files()[::3] for request in _requests(path)]
    broken = [one for case in MUTATIONS for one in islice(_broken(recorded, case), 5)]
    assert len(recorded) > 200
    assert len(broken) > 150
    chosen = [check_request(request) for request in (*recorded, *broken)]
    with asking_all():
        assert [check_request(request) for request in (*recorded, *broken)] == chosen


def test_most_rules_on_blocks_are_spared() -> None:
    spared = [rule.code for rules in (MESSAGE_RULES, STEP_RULES) for rule in rules if rule.about]
    assert len(spared) > 20


def _requests(path: Path) -> Iterator[Request]:
    found = (read_request(interaction.request) for interaction in read_recording(path).interactions)
    return (request for request in found if request is not None)


def _broken(recorded: list[Request], case: Mutation) -> Iterator[Request]:
    for request in recorded:
        body = Body(json.loads(json.dumps(request.body)), request.wire is Wire.CONVERSE)
        with suppress(StopIteration, KeyError, IndexError, TypeError):  # nothing here that it could break
            if request.wire in case.wires and case.apply(body) is not None:
                yield parsed(request, body.raw)
