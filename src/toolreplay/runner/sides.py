"""The model side: who says what the model answers. A cassette, a script, or the live API while recording.

The session asks each the same question, so neither the loop under test nor the checks know which one it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from http import HTTPStatus
from typing import Protocol, TypeAlias

from toolreplay.cassette.exchange import Exchange
from toolreplay.cassette.playback import Playback
from toolreplay.contract.conversations import Verdict
from toolreplay.wire.http import HttpRequest, HttpResponse

from .miss import Miss, explain


class LetOut(Enum):
    """The model side's way of saying: let the request go where it was going."""

    LET_OUT = "let out"


Answer: TypeAlias = HttpResponse | Miss | LetOut


class ModelSide(Protocol):
    """Who answers the loop's requests."""

    @property
    def live(self) -> bool:
        """Whether requests may leave the machine."""

    def reply(self, request: HttpRequest, verdict: Verdict | None, agent: str, step: int) -> Answer:
        """The answer to a request.

        Args:
            verdict: its place in its conversation; None where it is no conversation (`count_tokens`).
            agent: the sub-agent that asks; "" for the scenario's own loop.
            step: the step of the scenario that is played, from 1.
        """

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """What came back for a request that was let out."""

    def left_over(self) -> tuple[str, ...]:
        """What a run that ended well should have asked for and did not, a line each."""


@dataclass
class CassetteSide:
    """Replies from a cassette, each served once.

    Attributes:
        has_digests: whether the cassette tells by itself that it is stale.
        outgrown: why it is stale, where it is played all the same.
    """

    playback: Playback
    path: str
    has_digests: bool = True
    outgrown: str = ""
    live = False

    def reply(self, request: HttpRequest, verdict: Verdict | None, agent: str, step: int) -> Answer:
        """See `ModelSide`."""
        exchange = self.playback.take(request, verdict)
        if exchange is not None:
            return _without_waiting(exchange.response)
        first = len(self.playback.left_over) == len(self.playback.exchanges)
        return replace(explain(request, verdict, self.playback), stale=first and not self.has_digests)

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """See `ModelSide`."""
        raise AssertionError("a cassette lets no request out")

    def left_over(self) -> tuple[str, ...]:
        """See `ModelSide`."""
        return tuple(f"exchange {index} of {self.path} was not played" for index in self.playback.left_over)


def _without_waiting(response: HttpResponse) -> HttpResponse:
    """A recorded error as it was, but for how long to wait: a replay does not sleep."""
    if response.status < HTTPStatus.BAD_REQUEST:
        return response
    headers = {name: value for name, value in response.headers.items() if name != "retry-after"}
    # A millisecond: zero would make the SDK fall back on its own half a second (measured, anthropic 2.14.0).
    return HttpResponse(response.status, {**headers, "retry-after-ms": "1"}, response.body)


@dataclass
class LiveSide:
    """The API itself (or whatever base URL the client has); what it answers is kept for a new cassette."""

    exchanges: list[Exchange] = field(default_factory=list)
    live = True

    def reply(self, request: HttpRequest, verdict: Verdict | None, agent: str, step: int) -> Answer:
        """See `ModelSide`."""
        return LetOut.LET_OUT

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """See `ModelSide`."""
        body = request.json if isinstance(request.json, dict | list) else request.body
        self.exchanges.append(Exchange(request.method, request.url, request.headers, body, response))

    def left_over(self) -> tuple[str, ...]:
        """See `ModelSide`."""
        return ()

    @property
    def to_keep(self) -> Sequence[Exchange]:
        """What the cassette is to hold after a run that passed; nothing where it may stay as it is."""
        return self.exchanges


@dataclass
class ExtendingSide(LiveSide):
    """A cassette, and the API itself for what the cassette has no reply to.

    The new cassette holds the replies that were served, of either kind, in the order of the requests.
    """

    recorded: CassetteSide = field(kw_only=True)
    _asked: int = 0

    def reply(self, request: HttpRequest, verdict: Verdict | None, agent: str, step: int) -> Answer:
        """See `ModelSide`."""
        exchange = self.recorded.playback.take(request, verdict)
        if exchange is None:
            self._asked += 1
            return LetOut.LET_OUT
        self.exchanges.append(exchange)
        return _without_waiting(exchange.response)

    def left_over(self) -> tuple[str, ...]:
        """See `ModelSide`."""
        return () if self._asked else self.recorded.left_over()

    @property
    def to_keep(self) -> Sequence[Exchange]:
        """See `LiveSide`."""
        return self.exchanges if self._asked else ()
