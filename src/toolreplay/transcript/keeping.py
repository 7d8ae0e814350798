"""The exchanges that a drafted scenario plays, kept as its cassette."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.recording import Recording
from toolreplay.cassette.store import exchange_of, read_cassette, whole_text
from toolreplay.errors import UsageError
from toolreplay.scenario.digests import digests
from toolreplay.scenario.model import Scenario

from .draft import Draft


def kept_text(
    recording: Recording,
    draft: Draft,
    scenario: Scenario,
    path: Path,
    *,
    shown: str = "",
    force: bool = False,
    secrets: Iterable[re.Pattern[str]] = (),
) -> str | None:
    """The text of a drafted scenario's cassette; None where the recording already is that file.

    Args:
        recording: what the draft is of.
        scenario: the draft, loaded.
        path: where the scenario's cassette lies.
        shown: how messages call it.
        force: whether what lies there may be replaced. A recording that holds more than the scenario plays is not.
        secrets: what it may not hold, beside what is known by its look.

    Raises:
        UsageError: another file lies there, or the recording itself and more is in it than the scenario plays.
        RecordingError: the recording holds a secret.
    """
    given = Path(recording.file)
    cassette = _cassette(recording, draft, scenario)
    if path.exists() and path.samefile(given):
        if len(recording.interactions) > len(draft.exchanges):
            what = "is the recording itself, and holds more than the scenario plays"
            raise UsageError(f"{shown or path}: {what}; name another scenario, or move the recording")
        if _plays(read_cassette(given), cassette, scenario):
            return None
        if not force:
            what = "is the cassette of another scenario, or of an earlier state of this one"
            raise UsageError(f"{shown or path}: {what}; name another scenario, or replace the file with --force")
    elif path.exists() and not force:
        what = "is there already"
        raise UsageError(f"{shown or path}: {what}; name another scenario, or replace the file with --force")
    return whole_text(path, cassette, patterns=secrets)


def _plays(there: Cassette, wanted: Cassette, scenario: Scenario) -> bool:
    """Whether a cassette can be played as it is: nothing would be left over, and it is not stale."""
    recorded = there.provenance.digests if there.provenance is not None else {}
    is_fresh = all(recorded.get(part, digest) == digest for part, digest in digests(scenario).items())
    return is_fresh and len(there.exchanges) == len(wanted.exchanges)


def _cassette(recording: Recording, draft: Draft, scenario: Scenario) -> Cassette:
    by_index = {interaction.index: exchange_of(interaction) for interaction in recording.interactions}
    exchanges = tuple(found for index in draft.exchanges if (found := by_index[index]) is not None)
    given = Path(recording.file)
    before = read_cassette(given).provenance or Provenance(recorded_from=_host(exchanges[0]))
    copied = f"copied from {given.name if given.is_absolute() else given.as_posix()}"
    origin = f"{before.recorded_from}, {copied}" if before.recorded_from else copied
    return Cassette(exchanges, replace(before, recorded_from=origin, scenario=scenario.id, digests=digests(scenario)))


def _host(exchange: Exchange) -> str:
    return urlsplit(exchange.url).hostname or ""
