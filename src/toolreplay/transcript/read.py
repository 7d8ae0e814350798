"""Reading a recording as a transcript: linking its requests to conversations, pairing calls and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from toolreplay.cassette.reading import UnreadableError, read_recording
from toolreplay.cassette.recording import Recording
from toolreplay.contract.conversations import Conversations
from toolreplay.contract.plain import plain_content, plain_message, told
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import ApiError, Message, Reply, Request, ToolResult

from .model import Call, Conversation, Tokens, Transcript, Turn

# Of a `Tokens`, in order: the Messages API's name and Converse's (botocore's `TokenUsage`).
_COUNTS: Final = (
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
    ("cache_read_input_tokens", "cacheReadInputTokens"),
    ("cache_creation_input_tokens", "cacheWriteInputTokens"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to the model and what came back.

    Attributes:
        index: see `Turn.exchange`.
        line: the line of the file, from 1, at which it begins.
    """

    index: int
    request: Request
    answer: Reply | ApiError | None
    line: int = 1


def read_transcript(path: Path) -> Transcript:
    """Read a recording in any format that `cassette.reading` knows.

    Raises:
        NotARecording: when it is YAML or JSON of another kind, or empty.
        UnreadableError: when it cannot be read at all; both are CassetteErrors.
    """
    return recorded_transcript(read_recording(path))


def recorded_transcript(recording: Recording) -> Transcript:
    """The transcript of a recording that was read already. Raises an UnreadableError as `transcript`."""
    asked: list[Asked] = []
    counted = others = 0
    for interaction in recording.interactions:
        http = interaction.request
        call = endpoint(http.method, http.url)
        request = read_request(http)
        if call is None or request is None:
            others += 1
        elif call.operation == "count_tokens":
            counted += 1
        else:
            answer = None if interaction.response is None else read_response(request, interaction.response)
            asked.append(Asked(interaction.index, request, answer, interaction.line))
    return transcript(recording.file, asked, counted=counted, others=others)


def transcript(file: str, asked: Iterable[Asked], *, counted: int = 0, others: int = 0) -> Transcript:
    """The transcript of requests in the order in which they were made.

    Raises:
        UnreadableError: a body is nested deeper than Python compares.
    """
    conversations = Conversations()
    found: dict[int, _Growing] = {}
    for one in asked:
        try:
            _take(one, conversations, found)
        except RecursionError:
            raise UnreadableError(file, one.line, "is nested too deeply") from None
    return Transcript(file, tuple(growing.ended() for growing in found.values()), counted, others)


@dataclass
class _Growing:
    """A conversation while its requests come in."""

    number: int
    history_known: bool
    messages: Sequence[object] = ()
    turns: list[Turn] = field(default_factory=list)

    def ended(self) -> Conversation:
        """The conversation, its calls with the results that later turns sent."""
        first = self.turns[0].request
        offered = (turn.request.tools for turn in self.turns if turn.request.tools)
        return Conversation(
            number=self.number,
            model=first.model,
            wire=first.wire,
            system=first.body.get("system"),
            tools=next(offered, ()),
            turns=_answered(self.turns),
            history_known=self.history_known,
        )


def _take(one: Asked, conversations: Conversations, found: dict[int, _Growing]) -> None:
    verdict = conversations.judge(one.request)
    number = verdict.conversation.number
    growing = found.setdefault(number, _Growing(number, verdict.history_known))
    before = () if one.request.continues is not None else growing.messages  # a thread's request holds only what is new
    new, rewritten = _new(verdict.new_messages, before)
    answer = one.answer
    reply = answer if isinstance(answer, Reply) else None
    turn = Turn(
        number=len(growing.turns) + 1,
        exchange=one.index,
        request=one.request,
        new=new,
        said=_said(new, growing.turns),
        rewritten=rewritten,
        answer=answer,
        calls=() if reply is None else tuple(map(Call, reply.tool_uses)),
        tokens=None if reply is None else _tokens(reply.body),
    )
    growing.turns.append(turn)
    growing.messages = verdict.messages
    if reply is not None:
        conversations.served(verdict, reply)


def _new(messages: tuple[Message, ...], before: Sequence[object]) -> tuple[tuple[Message, ...], bool]:
    """The messages from the first one on that the conversation had not, and whether it had another in its place.

    A history that was rewritten comes whole.
    """
    if not messages or messages[0].index >= len(before):
        return messages, False
    same = 0
    for message, known in zip(messages, before[messages[0].index :], strict=False):
        if message.raw != known and plain_message(message.raw) != plain_message(known):
            break
        same += 1
    return messages[same:], messages[0].index + same < len(before)


def _said(new: tuple[Message, ...], turns: Sequence[Turn]) -> tuple[Message, ...]:
    """The new messages without the one that sends a reply back: the last one, or an earlier one where it branches."""
    if not new or new[0].role != "assistant":
        return new
    sent = told(plain_content(new[0].content))
    replies = (turn.reply for turn in reversed(turns) if turn.reply is not None)
    return new[1:] if any(told(plain_content(reply.content)) == sent for reply in replies) else new


def _answered(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns with the results of their calls: of an id that is used again, the next result belongs to the last."""
    open_results: dict[str | None, tuple[ToolResult, int]] = {}
    done: list[Turn] = []
    for turn in reversed(turns):
        calls = tuple(Call(call.use, *open_results.pop(call.use.id, (None, None))) for call in turn.calls)
        done.append(replace(turn, calls=calls) if calls else turn)
        for message in reversed(turn.said):
            for block in reversed(message.blocks):
                if isinstance(block, ToolResult):
                    open_results[block.id] = (block, turn.number)
    return tuple(reversed(done))


def _tokens(body: Mapping[str, object]) -> Tokens | None:
    usage = mapping(body.get("usage"))
    if not usage:
        return None
    return Tokens(*(_count(usage.get(messages, usage.get(converse))) for messages, converse in _COUNTS))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
