"""Where a recording comes from: the hosts that answered, and the packages that asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Final
from urllib.parse import urlsplit

from toolreplay.cassette.exchange import Exchange, Provenance
from toolreplay.scenario.digests import digests
from toolreplay.scenario.model import Scenario

SIMULATOR: Final = "toolreplay-simulator"
# A header that only one kind of client sends, and its packages (anthropic 0.73 to 2.14.0; botocore's retryhandler).
_SENDERS: Final = {"x-stainless-retry-count": ("anthropic",), "amz-sdk-request": ("boto3", "botocore")}


def provenance_of(
    scenario: Scenario,
    loop: str,
    exchanges: Sequence[Exchange],
    *,
    recorded: Collection[Exchange] = (),
    before: Provenance | None = None,
) -> Provenance:
    """The provenance of what a run recorded.

    Args:
        recorded: those of the exchanges, the objects themselves, that were not asked for but served from a recording.
        before: the provenance of that recording.
    """
    old = {id(one) for one in recorded}
    fresh = [one for one in exchanges if id(one) not in old]
    told = before if before is not None and len(fresh) < len(exchanges) else Provenance()
    return Provenance(
        recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        recorded_from=_joined([told.recorded_from, *map(_host, fresh)]),
        sdk=_joined([told.sdk, *(name for one in fresh for name in _sender(one))]),
        scenario=scenario.id,
        loop=loop,
        digests=digests(scenario),
    )


def _joined(names: Iterable[str]) -> str:
    """Each name once; those of a recording may be several already."""
    return ", ".join(dict.fromkeys(one for name in names for one in name.split(", ") if one))


def _host(exchange: Exchange) -> str:
    """The host that answered; the scripted server of this project says who it is."""
    if exchange.response.headers.get("server") == SIMULATOR:
        return "simulator"
    return urlsplit(exchange.url).hostname or ""


def _sender(exchange: Exchange) -> Iterator[str]:
    """The package and version that sent a request, where that can be told; an HTTP client of one's own says nothing."""
    for header, packages in _SENDERS.items():
        for package in packages if header in exchange.headers else ():
            with suppress(PackageNotFoundError):
                yield f"{package} {version(package)}"
                break
