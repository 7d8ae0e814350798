"""The exchanges that a drafted scenario plays, kept as its cassette."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from toolreplay.cassette.exchange import Cassette, Exchange, Provenance
from toolreplay.cassette.recording import Recording
from toolreplay.cassette.store import exchange_of, read_cassette, write_cassette
from toolreplay.errors import UsageError
from toolreplay.scenario.digests import digests
from toolreplay.scenario.model import Scenario

from .draft import Draft


def keep_exchanges(
    recording: Recording, draft: Draft, scenario: Scenario, path: Path, *, shown: str = "", force: bool = False
) -> bool:
    """Write the cassette of a drafted scenario, unless the recording already is that file.

    Args:
        recording: what the draft is of.
        scenario: the draft, loaded.
        path: where the scenario's cassette lies.
        shown: how messages call it.
        force: replace what lies there.

    Returns:
        Whether a file was written.

    Raises:
        UsageError: another file lies there, or the recording itself and more is in it than the scenario plays.
        RecordingError: the recording holds a secret, or the file cannot be written.
    """
    given = Path(recording.file)
    cassette = _cassette(recording, draft, scenario)
    in_place = path.exists() and path.samefile(given)
    if in_place and _plays(read_cassette(given), cassette, scenario):
        return False
    if path.exists() and not force:
        what = "holds more than the scenario plays, or another scenario's" if in_place else "is there already"
        raise UsageError(f"{shown or path}: {what}; name another scenario, or replace the file with --force")
    write_cassette(path, cassette)
    return True


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
