"""One recorded exchange, as playing and writing need it: bodies parsed where they are JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolreplay.wire.exchange import read_request
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Request


@dataclass(frozen=True)
class Exchange:
    """A request and its response.

    Attributes:
        body: the request's body: parsed where it is a JSON object or array, else the bytes.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: object
    response: HttpResponse

    @property
    def request(self) -> HttpRequest:
        """The request as HTTP, its body serialised again."""
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return HttpRequest(self.method, self.url, self.headers, body)

    @property
    def parsed(self) -> Request | None:
        """What the request asks; None where it is none to a model. Nothing is serialised, so its size is not known."""
        if isinstance(self.body, bytes):
            return read_request(self.request)
        return read_request(HttpRequest(self.method, self.url, self.headers, parsed=self.body))


@dataclass(frozen=True)
class Provenance:
    """Where a cassette comes from.

    Attributes:
        recorded_at: ISO 8601 in UTC, to the second.
        recorded_from: the host that answered, or `simulator` for the scripted server of this project.
        sdk: package and version that sent the requests: `anthropic 2.14.0`.
        scenario: the id of the scenario that was played: `scenarios/weather.yaml::two cities`.
        loop: the loop that ran: `toolreplay.loop:run`.
        digests: a digest for each part of the scenario (tools, system, model, parameters, prompts, stubs), by which
            a recording is told to be stale.
    """

    recorded_at: str = ""
    recorded_from: str = ""
    sdk: str = ""
    scenario: str = ""
    loop: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cassette:
    """A cassette file. `provenance` is None for one that another tool wrote."""

    exchanges: tuple[Exchange, ...]
    provenance: Provenance | None = None
