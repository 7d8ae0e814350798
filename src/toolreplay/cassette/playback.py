"""Handing out recorded replies: which exchange answers this request, each one once.

Three ways to match, each a look-up by key and not a search:

* `exact`: the same endpoint and the same body, as JSON. For the loop that recorded the cassette.
* `conversation`: the same user texts and the same calls asked for and answered. For any other loop: the wording and
  form of results, the system text and the schemas are judged by rules and expectations, not by matching.
* `order`: the next reply, whatever was asked.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from enum import StrEnum
from typing import Final

from toolreplay.contract.conversations import Conversations, Verdict
from toolreplay.files.volatile import Volatile
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.exchange import read_response
from toolreplay.wire.http import HttpRequest
from toolreplay.wire.model import Reply
from toolreplay.wire.sameness import same_items, same_json

from .exchange import Exchange
from .sayings import Sayings
from .volatile import Mask, Volatiles

_NONE: Final = Volatiles()


class Match(StrEnum):
    """How a request finds its recorded exchange; the value is what scenario files say."""

    EXACT = "exact"
    CONVERSATION = "conversation"
    ORDER = "order"


class Playback:
    """The exchanges of one cassette and which of them were played.

    Attributes:
        mask: leaves out what is volatile, on both sides.
    """

    def __init__(self, exchanges: Sequence[Exchange], match: Match, volatiles: Volatiles = _NONE) -> None:
        self.exchanges = exchanges
        self.match = match
        self.mask = Mask(volatiles)
        self._waiting = dict.fromkeys(range(len(exchanges)))
        self._by_key: dict[Hashable, deque[int]] | None = None
        self._sayings = Sayings(self.mask.text)

    @property
    def left_over(self) -> tuple[int, ...]:
        """The indexes of the exchanges that were not played, in order."""
        return tuple(self._waiting)

    def take(self, request: HttpRequest, verdict: Verdict | None) -> Exchange | None:
        """The exchange that answers the request, marked as played; None is a miss.

        Args:
            verdict: the request's place in its conversation; None where it is no conversation (`count_tokens`).
        """
        index = self._find(request, verdict)
        if index is None:
            return None
        del self._waiting[index]
        return self.exchanges[index]

    def would_take(self, index: int, request: HttpRequest, verdict: Verdict | None, more: Sequence[Volatile]) -> bool:
        """Whether an exchange would answer a request if further values were volatile."""
        volatiles = Volatiles((*self.mask.volatiles.declared, *more))
        alone = Playback(self.exchanges[index : index + 1], self.match, volatiles)
        return alone.take(request, verdict) is not None

    def _find(self, request: HttpRequest, verdict: Verdict | None) -> int | None:
        upcoming: int | None = next(iter(self._waiting), None)
        if upcoming is None or self.match is Match.ORDER:
            return upcoming
        if self.match is Match.CONVERSATION and verdict is not None and _creates(request.method, request.url):
            return self._look_up(self._conversation_key(verdict))
        body = request.json if isinstance(request.json, dict | list) else request.body
        if self.mask.volatiles:
            return self._look_up(self._exact_key(request.method, request.url, body))
        # A loop that is as it was asks in the recorded order; comparing with the next one is cheaper than a digest.
        if _same_request(self.exchanges[upcoming], request, body):
            _share(self.exchanges[upcoming].body, body)
            return upcoming
        return self._look_up(self._exact_key(request.method, request.url, body))

    def _exact_key(self, method: str, url: str, body: object) -> Hashable:
        asked = _asked(body)
        if self.mask.volatiles and isinstance(asked, dict):
            return (_target(method, url, body), self.mask.key(asked))
        text = asked if isinstance(asked, bytes) else json.dumps(self.mask.body(asked), sort_keys=True).encode()
        return (_target(method, url, body), hashlib.sha256(text).digest())

    def _conversation_key(self, verdict: Verdict) -> Hashable:
        return ("create", self._sayings.key(verdict.messages, verdict.request.reader))

    def _look_up(self, key: Hashable) -> int | None:
        if self._by_key is None:
            self._by_key = self._index()
        candidates = self._by_key.get(key, deque())
        while candidates:
            index = candidates.popleft()
            if index in self._waiting:
                return index
        return None

    def _index(self) -> dict[Hashable, deque[int]]:
        keys = self._conversation_keys() if self.match is Match.CONVERSATION else self._exact_keys()
        found: dict[Hashable, deque[int]] = defaultdict(deque)
        for index, key in enumerate(keys):
            found[key].append(index)
        return dict(found)

    def _exact_keys(self) -> list[Hashable]:
        return [self._exact_key(exchange.method, exchange.url, exchange.body) for exchange in self.exchanges]

    def _conversation_keys(self) -> list[Hashable]:
        conversations = Conversations()
        keys: list[Hashable] = []
        for exchange in self.exchanges:
            request = exchange.parsed if _creates(exchange.method, exchange.url) else None
            if request is None:
                keys.append(self._exact_key(exchange.method, exchange.url, exchange.body))
                continue
            verdict = conversations.judge(request)
            keys.append(self._conversation_key(verdict))
            reply = read_response(request, exchange.response)
            if isinstance(reply, Reply):
                conversations.served(verdict, reply)
        return keys


def _creates(method: str, url: str) -> bool:
    """Whether a request asks for a turn of a conversation; a count of tokens has messages too, and another answer."""
    found = endpoint(method, url)
    return found is not None and found.operation == "create"


def _target(method: str, url: str, body: object) -> Hashable:
    """Which model is asked for what, whatever host, prefix and product carries the question."""
    found = endpoint(method, url)
    if found is None:
        return (method, url)
    named = body.get("model") if isinstance(body, dict) else None
    return (found.wire, found.operation, found.model or (named if isinstance(named, str) else json.dumps(named)))


def _same_request(exchange: Exchange, request: HttpRequest, body: object) -> bool:
    if not _same_body(_asked(exchange.body), _asked(body)):
        return False
    return _target(exchange.method, exchange.url, exchange.body) == _target(request.method, request.url, body)


def _same_body(recorded: object, sent: object) -> bool:
    """Whether two bodies are the same JSON, message by message: most are those of the request before."""
    if not isinstance(recorded, dict) or not isinstance(sent, dict):
        return type(recorded) is type(sent) and same_json(recorded, sent)
    if recorded.keys() != sent.keys():
        return False
    return all(_same_field(value, sent[name]) for name, value in recorded.items())


def _same_field(recorded: object, sent: object) -> bool:
    if isinstance(recorded, list) and isinstance(sent, list):
        return same_items(recorded, sent)
    return same_json(recorded, sent)


# What says how to call and not what is asked: a reply is served in the form that is asked for, and InvokeModel names
# the model in the URL and the version in the body.
_HOW: Final = frozenset({"stream", "model", "anthropic_version", "anthropic_beta"})


def _asked(body: object) -> object:
    """A body without the fields that say how it is called."""
    if isinstance(body, dict) and not _HOW.isdisjoint(body):
        return {name: value for name, value in body.items() if name not in _HOW}
    return body


def _share(recorded: object, sent: object) -> None:
    """Have a request that is the same JSON hold the recorded messages and fields themselves.

    The next, longer one then compares at a glance. Nothing that the request says changes by it.
    """
    if not isinstance(recorded, dict) or not isinstance(sent, dict):
        return
    if isinstance(sent.get("messages"), list):
        sent["messages"][:] = recorded["messages"]
    sent.update((name, value) for name, value in recorded.items() if name in sent and name not in _HOW | {"messages"})
