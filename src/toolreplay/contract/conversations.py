"""Many conversations at once: each request is linked to the one it goes on with; what is new is judged.

A request goes on with a conversation when its messages start with that conversation's (a loop repeats the
whole history), when they do but for `cache_control` and thinking that may be left out, when it continues a thread
from a reply that was served (docs: message-threads), or when it holds a call that was served there although the
history was rewritten. Anything else starts a conversation. In a recording there may be several runs that begin alike:
see `branches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolreplay.wire.model import Message, Reply, Request, ServerToolUse, ToolUse

from .catalogue import REPLY_RULES
from .finding import Finding, Profile
from .fold import EMPTY, State, fold, profile_of, settle
from .linking import Conversation, Link, linked, share
from .sequel import Answered, Sequel, Thread
from .toolset import Toolset, raw_tools
from .turns import Context

__all__ = ["Conversation", "Conversations", "Verdict"]

_TOOLSETS_KEPT: Final = 8
_BRANCHES_KEPT: Final = 64
"""Replies to one request that no request went on from yet; a log may hold a million that begin with "hi"."""


@dataclass
class _Stored:
    """A reply that a thread may go on from.

    Attributes:
        messages: the conversation that it answered.
        origin: the request that began the thread.
        continued: whether a request that continued it was answered.
    """

    conversation: Conversation
    messages: Sequence[object]
    reply: Reply
    origin: Request
    tools: Toolset
    continued: bool = False


@dataclass(frozen=True)
class Verdict:
    """What one request was found to be.

    Attributes:
        findings: everything that is wrong with the request as it stands.
        fresh: those of them that were not reported before in this conversation.
        messages: all messages of the conversation as sent, those of a thread included.
        new_messages: the messages that earlier requests of the conversation did not have.
        history_known: False when a thread goes on from a reply that was never seen; then nothing was judged.
    """

    conversation: Conversation
    request: Request
    findings: tuple[Finding, ...]
    fresh: tuple[Finding, ...]
    messages: Sequence[object]
    new_messages: tuple[Message, ...]
    history_known: bool = True

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which the API would have refused the request; it takes what TR6xx calls wrong."""
        return tuple(finding for finding in self.findings if finding.is_error and not finding.code.startswith("TR6"))


class Conversations:
    """Follows the requests of one session, cassette or log, in order.

    Args:
        profile: whose contract is held; None for the one of each request's wire.
        live: whether the requests are those of a run, where an altered reply is the loop's own doing; in a
            recording a program between may have altered it.
    """

    def __init__(self, profile: Profile | None = None, *, live: bool = False) -> None:
        self._profile = profile
        self._live = live
        self._all: list[Conversation] = []
        self._by_call: dict[str, Conversation] = {}
        self._by_reply: dict[str, _Stored] = {}
        self._toolsets: list[Toolset] = []

    def __len__(self) -> int:
        return len(self._all)

    def judge(self, request: Request) -> Verdict:
        """Link a request to its conversation and judge what is new in it."""
        profile = self._profile or profile_of(request.wire)
        if request.continues is not None:
            return self._judge_thread(request, Context(profile, request))
        link = linked(request, self._all, self._by_call, live=self._live)
        link = link or Link(self._begin(), request.messages, whole=True)
        tools = self._shared_tools(request)
        sequel = self._sequel(link, request, tools)
        if sequel is not None and link.changed is None and not self._live:
            self._leave_behind(sequel, link.conversation)
        context = Context(profile, request, tools, sequel)
        known = EMPTY if link.whole else link.conversation.state
        if link.touched:
            known = replace(known, tally=known.tally.recounted(link.touched))
        state = fold(known, link.new, context)
        share(request.raw_messages, link)
        return self._settle(link.conversation, request.raw_messages, state, link.new, context)

    def served(self, verdict: Verdict, reply: Reply) -> tuple[Finding, ...]:
        """Take note of the reply to a request, which later requests may go on from.

        Returns:
            What is wrong with the reply itself, if it was not reported before.
        """
        conversation = verdict.conversation
        conversation.turns += 1
        conversation.replies.append(reply)
        self._hold_calls(reply, conversation)
        stored = self._by_reply.get(verdict.request.continues or "")
        if stored is not None:
            stored.continued = True
        # Refused turns are not stored by the API; a request that goes on from one is an error there too.
        context = Context(self._profile or profile_of(verdict.request.wire), verdict.request, conversation.tools)
        if reply.id is not None and reply.complete and reply.stop_reason != "refusal":
            origin = stored.origin if stored is not None else verdict.request
            kept = conversation.messages
            self._by_reply[reply.id] = _Stored(conversation, kept, reply, origin, context.tools)
        found = REPLY_RULES.judge(Answered(verdict.request, reply, self._live), context)
        return _fresh(conversation, found) if found else ()

    def _judge_thread(self, request: Request, context: Context) -> Verdict:
        new = request.messages
        stored = self._by_reply.get(request.continues or "")
        if stored is None:
            return Verdict(self._begin(), request, (), (), request.raw_messages, new, history_known=False)
        conversation, base = stored.conversation, stored.messages
        tools = stored.tools if request.tools is None else self._shared_tools(request)
        sequel = Sequel(
            before=conversation.request or request,
            replies=(stored.reply,),
            request=request,
            new=new,
            history=base,
            changed=None,
            tools_before=stored.tools,
            tools=tools,
            thread=Thread(stored.origin, stored.tools, stored.continued),
            live=self._live,
        )
        context = replace(context, known_tools=tools, sequel=sequel)
        turn = {"role": "assistant", "content": list(stored.reply.content)}
        if len(base) == len(conversation.messages):
            state = conversation.state
        else:
            state = replace(fold(EMPTY, request.reader(base, -1 - len(base)), context), findings=())
        state = fold(fold(state, request.reader([turn], -1), context), new, context)
        # The reply is the API's own copy: what is wrong with it was not sent.
        sent = tuple(found for found in state.findings if not found.path.startswith("messages[-1]"))
        state = state if len(sent) == len(state.findings) else replace(state, findings=sent)
        return self._settle(conversation, [*base, turn, *request.raw_messages], state, new, context)

    def _settle(
        self,
        conversation: Conversation,
        messages: Sequence[object],
        state: State,
        new: tuple[Message, ...],
        context: Context,
    ) -> Verdict:
        state, findings = settle(state, context)
        fresh = _fresh(conversation, findings)
        if len(messages) != len(conversation.messages) or new:
            conversation.replies = []
        conversation.messages = messages
        conversation.state = state
        conversation.request = context.request
        conversation.tools = context.tools
        return Verdict(conversation, context.request, findings, fresh, messages, new)

    def _sequel(self, link: Link, request: Request, tools: Toolset) -> Sequel | None:
        conversation = link.conversation
        if conversation.request is None or conversation.tools is None or link.merged:
            return None
        return Sequel(
            before=conversation.request,
            replies=tuple(conversation.replies),
            request=request,
            new=link.new,
            history=conversation.messages,
            changed=link.changed,
            tools_before=conversation.tools,
            tools=tools,
            live=self._live,
            stripped=link.stripped,
        )

    def _leave_behind(self, sequel: Sequel, conversation: Conversation) -> None:
        """Keep the conversation as it is for the runs that go on from the other replies to its last request."""
        if len(sequel.replies) < 2 or not sequel.echo:
            return
        others = [reply for reply in sequel.replies if reply is not sequel.reply][-_BRANCHES_KEPT:]
        number = len(self._all) + 1
        self._all.append(replace(conversation, number=number, reported=set(conversation.reported), replies=others))
        for reply in others:
            self._hold_calls(reply, self._all[-1])

    def _hold_calls(self, reply: Reply, conversation: Conversation) -> None:
        for block in reply.blocks:
            if isinstance(block, ToolUse | ServerToolUse) and block.id is not None:
                self._by_call[block.id] = conversation

    def _shared_tools(self, request: Request) -> Toolset:
        """The tools of a request, analysed once for all requests of the session that have the same."""
        raw = raw_tools(request)
        for known in self._toolsets:
            if known.wire is request.wire and known.raw == raw:
                return known
        self._toolsets = [Toolset(request), *self._toolsets[: _TOOLSETS_KEPT - 1]]
        return self._toolsets[0]

    def _begin(self) -> Conversation:
        self._all.append(Conversation(number=len(self._all) + 1))
        return self._all[-1]


def _fresh(conversation: Conversation, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    fresh = tuple(finding for finding in dict.fromkeys(findings) if finding not in conversation.reported)
    conversation.reported.update(fresh)
    return fresh
