"""Recording a cassette: the scenario played against the live API, and kept only if the run is good."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from toolreplay.cassette.exchange import Cassette, Exchange
from toolreplay.cassette.store import read_cassette, write_cassette
from toolreplay.errors import ToolreplayError
from toolreplay.files.project import Project
from toolreplay.scenario.model import Scenario
from toolreplay.wire.endpoints import endpoint

from .clients import dummy_credentials, pointed_at
from .loops import Loop, target_of
from .origin import provenance_of
from .play import notes, play_with
from .replacing import refuse_place, refuse_replacing
from .replay import cassette_of
from .run import Failure, Outcome, Run, outcome_of
from .sides import LiveSide
from .unplayable import is_redirect, sent_again, without_unplayable

# Recorded addresses are those of the API itself: a base URL may name an internal host, and its port changes.
_BEDROCK: Final = "https://bedrock-runtime.us-east-1.amazonaws.com"
_HOMES: Final = {
    "messages": "https://api.anthropic.com",
    "converse": _BEDROCK,
    "invoke": _BEDROCK,
    "vertex": "https://aiplatform.googleapis.com",
}


def record_scenario(
    scenario: Scenario,
    project: Project,
    *,
    base_url: str | None = None,
    loop: Loop | str | None = None,
    keep_failed: bool = False,
) -> tuple[Run, Path | None]:
    """Play a scenario against the live API and write its cassette.

    Args:
        base_url: where clients send their requests; the SDK's own default when None.
        loop: a loop other than the scenario's writes a cassette of its own beside it.
        keep_failed: write what a run recorded that did not pass, too, to `<name>.failed.yml` beside the
            cassette: a cassette ends in .yaml, so it is that of no scenario.

    Returns:
        The run, and the file written; None where none was. The cassette is touched only by a run that passed.
    """
    if scenario.scripted:
        failure = Failure(Outcome.SKIP, scenario.path, "it has a script and needs no cassette")
        return Run(scenario.id, Outcome.SKIP, failures=(failure,)), None
    started = time.perf_counter()
    side = LiveSide()
    try:
        target = target_of(loop or scenario.loop, project.root)
        path = cassette_of(scenario, project, None if target.is_reference or loop is None else target.name)
        refuse_place(path, scenario, project)
        with _on_the_way_to(base_url):
            run = without_unplayable(play_with(scenario, target, side, base_url=base_url))
    except ToolreplayError as error:
        failure = Failure(Outcome.ERROR, scenario.path, str(error))
        return Run(scenario.id, outcome_of((), (failure,)), failures=(failure,)), None
    run = replace(run, seconds=time.perf_counter() - started, notes=notes(scenario))
    passed = run.outcome is Outcome.PASS
    if not passed and not (keep_failed and side.exchanges):
        return run, None
    path = path if passed else path.with_suffix(".failed.yml")
    return keep(run, path, scenario, target.name, side.to_keep, project.secrets)


def keep(
    run: Run,
    path: Path,
    scenario: Scenario,
    loop: str,
    exchanges: Sequence[Exchange],
    secrets: Sequence[re.Pattern[str]] = (),
    *,
    recorded: Sequence[Exchange] = (),
) -> tuple[Run, Path | None]:
    """Write what a run recorded, retries left out.

    Args:
        secrets: what no recording may hold, beside what is known by its look.
        recorded: those of the exchanges, the objects themselves, that the cassette held before.

    Returns:
        The run, and the file written. Where it holds a secret, or cannot be written, the run is an ERROR that says so,
        and the file is as it was.
    """
    try:
        refuse_replacing(path, str(path))
        before = read_cassette(path).provenance if recorded and path.exists() else None
        kept = _kept(exchanges)
        provenance = provenance_of(scenario, loop, kept, recorded=recorded, before=before)
        write_cassette(path, Cassette(tuple(map(_at_home, kept)), provenance), patterns=secrets)
    except ToolreplayError as error:
        failures = (*run.failures, Failure(Outcome.ERROR, scenario.path, str(error)))
        return replace(run, failures=failures, outcome=outcome_of(run.findings, failures)), None
    return run, path


@contextmanager
def _on_the_way_to(base_url: str | None) -> Iterator[None]:
    if base_url is None:
        yield
        return
    # A server that is named may ask for no key; the API itself is never sent one that we made up.
    with dummy_credentials(), pointed_at(base_url):
        yield


def _kept(exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
    return [one for index, one in enumerate(exchanges) if not _was_asked_again(one, exchanges[index + 1 :])]


def _at_home(exchange: Exchange) -> Exchange:
    """An exchange as if the API itself had been asked."""
    found = endpoint(exchange.method, exchange.url)
    if found is None:
        return exchange
    path = urlsplit(exchange.url).path
    if found.carrier == "messages":  # what stands before it is a gateway's own
        path = "/v1/messages" if found.operation == "create" else "/v1/messages/count_tokens"
    return replace(exchange, url=_HOMES.get(found.carrier, "") + path)


def _was_asked_again(exchange: Exchange, later: Sequence[Exchange]) -> bool:
    """Whether the same was asked again after an error, or elsewhere after a redirect.

    A replay has no need of bad weather on the day of recording, nor of the way that led to the model.
    """
    if is_redirect(exchange.response):
        return sent_again(exchange.request, [one.request for one in later])
    if exchange.response.status < HTTPStatus.BAD_REQUEST:
        return False
    return any((one.method, one.url, one.body) == (exchange.method, exchange.url, exchange.body) for one in later)
