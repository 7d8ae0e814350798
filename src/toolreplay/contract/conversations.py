"""Many conversations at once: each request is linked to the one it goes on with, and only what is new is judged.

A request goes on with a conversation when its messages start with that conversation's (a loop repeats the whole
history), when it continues a thread from a reply that was served (protocol.md A.10), or when it holds a call that was
served there although the history was rewritten. Anything else starts a conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..wire.model import Message, Reply, Request, ToolUse
from .finding import Finding, Profile
from .fold import EMPTY, State, close, fold, profile_of
from .turns import Context


@dataclass
class Conversation:
    """One conversation so far.

    Attributes:
        number: from 1, in the order in which conversations began.
        messages: the messages of the last request, as sent; for a thread, of the whole thread.
        state: the fold over them.
        turns: replies served.
        reported: the findings that were reported, so that a bad message that stays in the history is reported once.
    """

    number: int
    messages: Sequence[object] = ()
    state: State = EMPTY
    turns: int = 0
    reported: set[Finding] = field(default_factory=set)


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
        """The findings for which the API would have refused the request."""
        return tuple(finding for finding in self.findings if finding.is_error)


    @property
    def all_messages(self) -> tuple[Message, ...]:
        """The messages of the whole conversation, parsed."""
        return self.request.reader(self.messages, 0)


class Conversations:
    """Follows the requests of one session, cassette or log, in order."""

    def __init__(self, profile: Profile | None = None) -> None:
        self._profile = profile
        self._all: list[Conversation] = []
        self._by_call: dict[str, Conversation] = {}
        self._by_reply: dict[str, tuple[Conversation, Sequence[object], Reply]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def judge(self, request: Request) -> Verdict:
        """Link a request to its conversation and judge what is new in it."""
        context = Context(self._profile or profile_of(request.wire), request)
        if request.continues is not None:
            return self._judge_thread(request, context)
        raw = request.raw_messages
        conversation = self._extended_by(raw)
        if conversation is not None:
            known = len(conversation.messages)
            new = request.reader(raw[known:], known)
            if isinstance(raw, list):
                # Equal, so share them: else every request of a long run keeps a history of its own alive.
                raw[:known] = conversation.messages
            state = fold(conversation.state, new, context)
        else:
            new = request.messages
            conversation = self._holder_of_calls(new) or self._begin()
            state = fold(EMPTY, new, context)
        return self._settle(conversation, raw, state, new, context)

    def served(self, verdict: Verdict, reply: Reply) -> None:
        """Take note of the reply to a request, which later requests may go on from."""
        conversation = verdict.conversation
        conversation.turns += 1
        for block in reply.blocks:
            if isinstance(block, ToolUse) and block.id is not None:
                self._by_call[block.id] = conversation
        # Refused turns are not stored by the API; a request that goes on from one is an error there too.
        if reply.id is not None and reply.complete and reply.stop_reason != "refusal":
            self._by_reply[reply.id] = (conversation, conversation.messages, reply)

    def _judge_thread(self, request: Request, context: Context) -> Verdict:
        new = request.messages
        stored = self._by_reply.get(request.continues or "")
        if stored is None:
            return Verdict(self._begin(), request, (), (), request.raw_messages, new, history_known=False)
        conversation, base, reply = stored
        turn = {"role": "assistant", "content": list(reply.content)}
        if len(base) == len(conversation.messages):
            state = conversation.state
        else:
            state = fold(EMPTY, request.reader(base, -1 - len(base)), context)
        state = fold(state, request.reader([turn], -1), context)
        return self._settle(conversation, [*base, turn, *request.raw_messages], fold(state, new, context), new, context)

    def _settle(
        self,
        conversation: Conversation,
        messages: Sequence[object],
        state: State,
        new: tuple[Message, ...],
        context: Context,
    ) -> Verdict:
        findings = close(state, context)
        fresh = tuple(finding for finding in dict.fromkeys(findings) if finding not in conversation.reported)
        conversation.reported.update(fresh)
        conversation.messages = messages
        conversation.state = state
        return Verdict(conversation, context.request, findings, fresh, messages, new)

    def _extended_by(self, raw: Sequence[object]) -> Conversation | None:
        for conversation in reversed(self._all):
            known = len(conversation.messages)
            if 0 < known <= len(raw) and raw[:known] == conversation.messages:
                return conversation
        return None

    def _holder_of_calls(self, messages: Sequence[Message]) -> Conversation | None:
        for message in reversed(messages):
            for block in message.blocks:
                if isinstance(block, ToolUse) and block.id in self._by_call:
                    return self._by_call[block.id]
        return None

    def _begin(self) -> Conversation:
        self._all.append(Conversation(number=len(self._all) + 1))
        return self._all[-1]
