"""A request that no recorded exchange answers, explained in words of the conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from operator import eq

from toolreplay.cassette.likely import proposal
from toolreplay.cassette.playback import Playback
from toolreplay.contract.conversations import Verdict
from toolreplay.wire.exchange import read_request
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.http import HttpRequest
from toolreplay.wire.model import Request
from toolreplay.wire.request_difference import request_differences, turn_numbers
from toolreplay.wire.sameness import same_json


@dataclass(frozen=True, slots=True)
class Miss:
    """What was asked and not found.

    Attributes:
        text: one line: what was asked for, and how it differs from the nearest recorded exchange.
        stale: whether it was the first request of the run and the cassette has no digests: then the scenario changed,
            and not the loop.
        number: the request, from 1 over the run; set by the session.
        fix: what to do about it, where that is more than to record again.
    """

    text: str
    stale: bool = False
    number: int = 0
    fix: str = ""


def explain(request: HttpRequest, verdict: Verdict | None, playback: Playback) -> Miss:
    """Say why a request found no exchange: the nearest one and the first difference."""
    if not playback.left_over:
        count = len(playback.exchanges)
        return Miss(f"the recording is used up: its {count} exchanges were played and the loop asked once more")
    if verdict is None or not isinstance(request.json, dict):
        return Miss(f"no recorded exchange answers {request.method} {request.url}")
    # As they are compared: what is declared volatile is no difference.
    body = mapping(playback.mask.body(request.json))
    index, shared = _nearest(body, playback)
    unplayed = index in playback.left_over
    used = "" if unplayed else ", which was played already"
    words = _difference(_masked(playback.exchanges[index].request, playback), _masked(request, playback), shared)
    entries = proposal(lambda more: playback.would_take(index, request, verdict, more)) if unplayed else None
    return Miss(
        f"no recorded exchange answers this request; nearest is exchange {index}{used}: {words}",
        fix=_to_declare(entries, playback) if entries else "",
    )


def _masked(request: HttpRequest, playback: Playback) -> Request | None:
    return read_request(replace(request, parsed=playback.mask.body(request.json)))


def _to_declare(entries: str, playback: Playback) -> str:
    if playback.mask.volatiles:
        return f"if that changes with every run, add to volatile in pyproject.toml: {entries}"
    return f"if that changes with every run, write under [tool.toolreplay] in pyproject.toml: volatile = [{entries}]"


def _nearest(body: Mapping[str, object], playback: Playback) -> tuple[int, int]:
    """The exchange that shares the most leading messages, unplayed ones first, and how many it shares."""
    waiting = set(playback.left_over)
    bodies = [playback.mask.body(exchange.body) for exchange in playback.exchanges]

    def rank(index: int) -> tuple[int, bool, int]:
        # To find the nearest one Python's own idea of equal is near enough, and ten times as fast.
        return (_shared(body, bodies[index], eq), index in waiting, -index)

    best = max(range(len(bodies)), key=rank)
    return best, _shared(body, bodies[best], same_json)


def _shared(body: object, other: object, same: Callable[[object, object], bool]) -> int:
    """How many leading messages two bodies have in common."""
    pairs = zip(items(mapping(body).get("messages")), items(mapping(other).get("messages")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: same(*pair), pairs))


def _difference(recorded: Request | None, now: Request | None, shared: int) -> str:
    if recorded is None or now is None:
        return "it is no request to the model"
    old, new = recorded.messages, now.messages
    ends, now_ends = (max(turn_numbers(messages), default=0) for messages in (old, new))
    if shared == min(len(old), len(new)) and ends != now_ends:
        return f"it ends with turn {ends}, this request with turn {now_ends}"
    first = next(request_differences(recorded, now), None)
    if first is None:
        return "the bodies are equal; it was sent to another endpoint or is used up"
    if first.turn is None:
        return f"{first}; all messages equal"
    return f"{first}; all before it equal" if shared else str(first)
