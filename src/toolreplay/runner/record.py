"""Recording a cassette: the scenario played against the live API, and kept only if the run is good."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.store import write_cassette
from toolreplay.errors import ToolreplayError
from toolreplay.files.project import Project
from toolreplay.scenario.digests import digests
from toolreplay.scenario.model import Scenario
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.model import Wire

from .clients import dummy_credentials, pointed_at
from .loops import Loop, target_of
from .play import notes, play_with
from .replay import cassette_of
from .run import Failure, Outcome, Run, outcome_of
from .sides import LiveSide

SIMULATOR: Final = "toolreplay-simulator"
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
        keep_failed: write what a run recorded that did not pass, too, to `<cassette>.failed.yaml`.

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
        with _on_the_way_to(base_url):
            run = play_with(scenario, target, side, base_url=base_url)
    except ToolreplayError as error:
        failure = Failure(Outcome.ERROR, scenario.path, str(error))
        return Run(scenario.id, outcome_of((), (failure,)), failures=(failure,)), None
    run = replace(run, seconds=time.perf_counter() - started, notes=notes(scenario))
    passed = run.outcome is Outcome.PASS
    if not passed and not (keep_failed and side.exchanges):
        return run, None
    path = cassette_of(scenario, project, None if target.is_reference or loop is None else target.name)
    path = path if passed else path.with_suffix(".failed.yaml")
    return keep(run, path, scenario, target.name, side.to_keep, project.secrets)


def keep(
    run: Run,
    path: Path,
    scenario: Scenario,
    loop: str,
    exchanges: Sequence[Exchange],
    secrets: Sequence[re.Pattern[str]] = (),
) -> tuple[Run, Path | None]:
    """Write what a run recorded, retries left out.

    Args:
        secrets: what no recording may hold, beside what is known by its look.

    Returns:
        The run, and the file written. Where it holds a secret, or cannot be written, the run is an ERROR that says so,
        and the file is as it was.
    """
    try:
        cassette = Cassette(_kept(exchanges), _provenance(scenario, loop, exchanges))
        write_cassette(path, cassette, patterns=secrets)
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


def _kept(exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    kept = []
    for index, exchange in enumerate(exchanges):
        if _was_retried(exchange, exchanges[index + 1 :]):
            continue
        found = endpoint(exchange.method, exchange.url)
        if found is not None:
            path = urlsplit(exchange.url).path
            if found.carrier == "messages":  # what stands before it is a gateway's own
                path = "/v1/messages" if found.operation == "create" else "/v1/messages/count_tokens"
            exchange = replace(exchange, url=_HOMES.get(found.carrier, "") + path)  # noqa: PLW2901
        kept.append(exchange)
    return tuple(kept)


def _was_retried(exchange: Exchange, later: Sequence[Exchange]) -> bool:
    """Whether the same was asked again after an error; a replay has no need of bad weather on the day of recording."""
    if exchange.response.status < HTTPStatus.BAD_REQUEST:
        return False
    return any((one.method, one.url, one.body) == (exchange.method, exchange.url, exchange.body) for one in later)


def _sdk(exchanges: Sequence[Exchange]) -> str:
    found = endpoint(exchanges[0].method, exchanges[0].url)
    return "boto3" if found is not None and found.wire is Wire.CONVERSE else "anthropic"


def _provenance(scenario: Scenario, loop: str, exchanges: Sequence[Exchange]) -> Provenance:
    return Provenance(
        recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        recorded_from=_origin(exchanges),
        sdk=f"{_sdk(exchanges)} {version(_sdk(exchanges))}",
        scenario=scenario.id,
        loop=loop,
        digests=digests(scenario),
    )


def _origin(exchanges: Sequence[Exchange]) -> str:
    """The host that answered; the scripted server of this project says who it is."""
    if exchanges[0].response.headers.get("server") == SIMULATOR:
        return "simulator"
    return urlsplit(exchanges[0].url).hostname or ""
