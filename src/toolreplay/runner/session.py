"""One session: every request of a run is checked against the contract, then matched, then answered.

In this order, because a request that breaks the contract must be told so before it is told that nobody recorded it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from toolreplay.contract.conversations import Conversations, Verdict
from toolreplay.contract.finding import Finding
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.forms import as_asked
from toolreplay.wire.growing import GrowingBodies
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import ApiError, Reply, Wire
from toolreplay.wire.refusal import refusal
from toolreplay.wire.sameness import same_json

from .cast import MAIN, Cast
from .contradictions import contradiction
from .guard import is_local
from .miss import Miss
from .open_calls import OpenCalls
from .run import RunExchange, RunFinding
from .sides import LetOut, ModelSide

_MOST_REFUSALS = 50  # a retry policy asks a few times; a loop that asks again for ever is to be stopped
_MESSAGE = re.compile(r"messages\[(\d+)\]")


class LoopStopped(BaseException):
    """Thrown into a loop that does not take no for an answer; no `except Exception` may swallow it."""


@dataclass(frozen=True)
class _Pending:
    """A request that was let out and whose response has not come back. Holding the request keeps its id its own."""

    request: HttpRequest
    verdict: Verdict | None
    wire: Wire


class Session:
    """The requests and replies of one run.

    Args:
        name: what messages call it; the scenario's id.
        side: who answers.
        strict: answer a request that breaks the contract with the API's own 400, instead of the next reply.
        max_turns: replies allowed for one prompt; None for no limit.
        allowed: codes of rules that may be broken; a request that breaks no other is answered as if it were good.
        cast: tells sub-agents' conversations from the scenario's own; None takes every conversation for the own.
        hosts: what may be reached in replay, beside this machine itself.
    """

    def __init__(
        self,
        name: str,
        side: ModelSide,
        *,
        strict: bool = True,
        max_turns: int | None = None,
        allowed: frozenset[str] = frozenset(),
        cast: Cast | None = None,
        hosts: Collection[str] = (),
    ) -> None:
        self.name = name
        self.exchanges: list[RunExchange] = []
        self.verdicts: list[Verdict | None] = []
        self.findings: list[RunFinding] = []
        self.misses: list[Miss] = []
        self.troubles: list[str] = []
        self.over_limit = False
        self.undeclared: list[str] = []
        self.calls = OpenCalls()
        self._side = side
        self._strict = strict
        self._max_turns = max_turns
        self._cast = cast
        self._allowed = allowed
        self._hosts = frozenset(host.lower() for host in hosts)
        self._bodies = GrowingBodies()
        self._conversations = Conversations(live=True)
        self._turns = 0
        self._prompt = 0
        self._prompt_turns = 0
        self._refusals = 0
        self._ours: Sequence[object] = ()
        self._out: dict[int, _Pending] = {}
        # Loops send from several threads; a request is small work, so one lock for all of it is enough.
        self._lock = threading.RLock()

    @property
    def refused(self) -> bool:
        """Whether the last request was answered by the harness, so that the loop could not go on."""
        return bool(self.exchanges) and not self.exchanges[-1].served

    @property
    def live(self) -> bool:
        """Whether requests leave the machine."""
        return self._side.live

    @property
    def at_limit(self) -> bool:
        """Whether the prompt has had all the replies that it may have."""
        return self._max_turns is not None and self._prompt_turns >= self._max_turns

    def begin_prompt(self, *, ours: Sequence[object] = ()) -> None:
        """Start counting the turns of a further prompt.

        Args:
            ours: a history that the harness put together, because the loop left none; where the loop sends it as it
                was given, it is not judged.
        """
        self._prompt += 1
        self._prompt_turns = 0
        self._ours = ours

    def trouble(self, message: str) -> None:
        """Note that the harness could not do its work; the run becomes an ERROR. What is tried again is said once."""
        if message not in self.troubles:
            self.troubles.append(message)

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """The response to a request of the loop; None lets it out."""
        found = endpoint(request.method, request.url)
        if found is None:
            return self._other(request)
        with self._lock:
            sent, request = request, replace(request, parsed=self._bodies.read(request.body))
            parsed = read_request(request) if found.operation == "create" else None
            verdict = self._conversations.judge(parsed) if parsed is not None else None
            if found.carrier == "messages" and not request.is_json:
                self.misses.append(Miss("the request's body is no JSON object", number=len(self.exchanges) + 1))
                return self._refuse(request, None, found.wire, "toolreplay: the request's body is no JSON object")
            if verdict is not None:
                number = len(self.exchanges) + 1
                fresh = [one for one in verdict.fresh if not self._is_ours(one, verdict)]
                self.findings += [RunFinding(finding, number) for finding in fresh]
                broken = next((one for one in verdict.errors if self._refuses(one, verdict)), None)
                if self._strict and broken is not None:
                    return self._refuse(request, verdict, found.wire, _api_words(broken))
                agent = self._agent(verdict)
                if agent == MAIN and self.at_limit:
                    self.over_limit = True
                    text = f"toolreplay: the scenario allows {self._max_turns} replies for one prompt"
                    return self._refuse(request, verdict, found.wire, text)
            answer = self._side.reply(request, verdict, self._agent(verdict), self._prompt)
            if isinstance(answer, Miss):
                self.misses.append(replace(answer, number=len(self.exchanges) + 1))
                return self._refuse(request, verdict, found.wire, f"toolreplay: {answer.text}")
            if isinstance(answer, LetOut):
                self._out[id(sent)] = _Pending(sent, verdict, found.wire)
                return None
            response = answer if answer.reset else as_asked(found, request, answer)
            refuted = contradiction(verdict.request, response) if self._strict and verdict is not None else None
            if refuted is not None:
                self.misses.append(Miss(refuted, number=len(self.exchanges) + 1))
                return self._refuse(request, verdict, found.wire, f"toolreplay: {refuted}")
            return self._serve(request, response, verdict)

    def _refuses(self, finding: Finding, verdict: Verdict) -> bool:
        return finding.code not in self._allowed and not self._is_ours(finding, verdict)

    def _is_ours(self, finding: Finding, verdict: Verdict) -> bool:
        """Whether a finding is about the history that the harness put together, or the prompt right after it."""
        place = _MESSAGE.match(finding.path) if self._ours else None
        if place is None or int(place[1]) > len(self._ours):
            return False
        sent = verdict.messages[: len(self._ours)]
        return len(sent) == len(self._ours) and all(map(same_json, sent, self._ours))

    def may_reach(self, host: str) -> bool:
        """Whether a connection to a host may be opened."""
        return self._side.live or host.lower() in self._hosts

    def waits_for(self, request: HttpRequest) -> bool:
        """Whether the request was let out and its response has not come back."""
        return id(request) in self._out

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """Take in the response to a request that was let out."""
        with self._lock:
            pending = self._out.pop(id(request), None)
            if pending is not None:
                if "content-encoding" in response.headers:
                    packed = response.headers["content-encoding"]
                    self.trouble(
                        f"the response to {request.url} is {packed}, which cannot be read; send accept-encoding: gzip"
                    )
                self._side.observe(request, response)
                self._serve(request, response, pending.verdict)

    def _serve(self, request: HttpRequest, response: HttpResponse, verdict: Verdict | None) -> HttpResponse:
        reply: Reply | ApiError | None = None
        if verdict is not None:
            reply = read_response(verdict.request, response)
            if isinstance(reply, Reply):
                number = len(self.exchanges) + 1
                self.findings += [RunFinding(found, number) for found in self._conversations.served(verdict, reply)]
                self._turns += 1
                agent = self._agent(verdict)
                self._prompt_turns += agent == MAIN
                self.calls.add(reply, self._turns, self._prompt, agent)
        self._keep(request, response, reply, verdict, served=True)
        return response

    def _refuse(self, request: HttpRequest, verdict: Verdict | None, wire: Wire, message: str) -> HttpResponse:
        self._refusals += 1
        if self._refusals > _MOST_REFUSALS:
            self.over_limit = True
            raise LoopStopped(f"the loop went on after {_MOST_REFUSALS} refusals")
        response = refusal(wire, message)
        self._keep(request, response, None, verdict, served=False)
        return response

    def _keep(
        self,
        request: HttpRequest,
        response: HttpResponse,
        reply: Reply | ApiError | None,
        verdict: Verdict | None,
        *,
        served: bool,
    ) -> None:
        number = len(self.exchanges) + 1
        agent = self._agent(verdict)
        checked = verdict is not None
        self.exchanges.append(RunExchange(number, self._prompt, request, response, reply, served, agent, checked))
        self.verdicts.append(verdict)

    def _agent(self, verdict: Verdict | None) -> str:
        """Whose conversation a request belongs to; one that the scenario does not declare is noted, once."""
        if verdict is None or self._cast is None:
            return MAIN
        name = self._cast.name_of(verdict)
        if name is None:
            label = f"conversation {verdict.conversation.number}"
            if label not in self.undeclared:
                self.undeclared.append(label)
            return label
        return name

    def _other(self, request: HttpRequest) -> HttpResponse | None:
        """A request that is no call of a model: loopback passes, anything else does not leave the machine."""
        url = urlsplit(request.url)
        host = url.hostname or ""
        if is_local(host) or self.may_reach(host):
            return None
        # Neither the query nor what stands before an @: keys are sent in both.
        shown = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
        message = f"{request.method} {shown} is no call of a model, and nothing goes out in replay"
        self.trouble(message)
        return refusal(Wire.MESSAGES, f"toolreplay: {message}", status=403)


def _api_words(finding: Finding) -> str:
    return finding.api or f"{finding.path}: {finding.message}"
