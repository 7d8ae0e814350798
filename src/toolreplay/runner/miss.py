"""A request that no recorded exchange answers, explained in words of the conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from operator import eq

from toolreplay.cassette.playback import Playback
from toolreplay.cassette.volatile import proposal
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
    index, shared = _nearest(request.json, playback)
    used = "" if index in playback.left_over else ", which was played already"
    recorded = read_request(playback.exchanges[index].request)
    words = _difference(recorded, verdict.request, shared)
    line = proposal(playback.exchanges[index].body, request.json)
    fix = f"if that changes with every run, write under [tool.toolreplay] in pyproject.toml: {line}" if line else ""
    return Miss(f"no recorded exchange answers this request; nearest is exchange {index}{used}: {words}", fix=fix)


def _nearest(body: Mapping[str, object], playback: Playback) -> tuple[int, int]:
    """The exchange that shares the most leading messages, unplayed ones first, and how many it shares."""
    waiting = set(playback.left_over)

    def rank(index: int) -> tuple[int, bool, int]:
        # To find the nearest one Python's own idea of equal is near enough, and ten times as fast.
        return (_shared(body, playback.exchanges[index].body, eq), index in waiting, -index)

    best = max(range(len(playback.exchanges)), key=rank)
    return best, _shared(body, playback.exchanges[best].body, same_json)


def _shared(body: object, other: object, same: Callable[[object, object], bool]) -> int:
    """How many leading messages two bodies have in common."""
    pairs = zip(items(mapping(body).get("messages")), items(mapping(other).get("messages")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: same(*pair), pairs))


def _difference(recorded: Request | None, now: Request, shared: int) -> str:
    if recorded is None:
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
