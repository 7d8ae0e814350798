"""A recording as people read it: conversations, their turns, and the calls of each with their results.

The blocks are those of `wire.model`, parsed once; nothing here knows how they are shown or compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toolreplay.wire.model import ApiError, Message, Reply, Request, ToolDefinition, ToolResult, ToolUse, Wire


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a reply's `usage`, as the API counted them; a count that it left out is 0.

    Attributes:
        input: without those that were read from the cache or written to it.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    @property
    def all_input(self) -> int:
        """All input, cached or not."""
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the model's and its result.

    Attributes:
        result: what a later request of the conversation sent for it; None where none did.
        answered: the number of the turn whose request sent it.
    """

    use: ToolUse
    result: ToolResult | None = None
    answered: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A request and its answer.

    Attributes:
        number: from 1, within the conversation.
        exchange: the request's index in the file, from 0, unrelated exchanges counted; in a log its line's.
        new: the messages that the conversation did not have before.
        said: those of them that are not the reply before, sent back.
        rewritten: whether the request changed or dropped earlier messages; `new` then begins with the first of them.
        answer: None where nothing was recorded, or nothing that can be read.
        calls: the calls of the answer, in its order.
        tokens: None where the answer has no `usage`.
    """

    number: int
    exchange: int
    request: Request
    new: tuple[Message, ...]
    said: tuple[Message, ...]
    rewritten: bool
    answer: Reply | ApiError | None
    calls: tuple[Call, ...]
    tokens: Tokens | None

    @property
    def reply(self) -> Reply | None:
        """The answer, if it is no error."""
        return self.answer if isinstance(self.answer, Reply) else None

    @property
    def error(self) -> ApiError | None:
        """The answer, if it is an error."""
        return self.answer if isinstance(self.answer, ApiError) else None

    @property
    def stop_reason(self) -> str | None:
        """Why the model stopped."""
        return None if self.reply is None else self.reply.stop_reason

    @property
    def prompts(self) -> tuple[Message, ...]:
        """The new user messages that hold no tool result; a text beside results is the loop's own word on them."""
        return tuple(message for message in self.new if message.role == "user" and not _answers(message))


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns that belong together.

    Attributes:
        number: from 1, in the order in which conversations began.
        model: of the first request, as are `wire` and `system`; None where no model is named.
        system: the system text as sent (text or blocks); None where there is none.
        tools: of the first request that offers any.
        history_known: False for a thread that goes on from a reply which the file does not hold.
    """

    number: int
    model: str | None
    wire: Wire
    system: object
    tools: tuple[ToolDefinition, ...]
    turns: tuple[Turn, ...]
    history_known: bool = True

    @property
    def prompts(self) -> tuple[Message, ...]:
        """The prompts of all turns, in order."""
        return tuple(message for turn in self.turns for message in turn.prompts)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of all turns, in order."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @property
    def tokens(self) -> Tokens:
        """The sum over all turns."""
        return total(turn.tokens for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file.

    Attributes:
        file: the path as it was given.
        counted: requests that only counted tokens; they are no turns.
        others: exchanges that are no request to the model, or one that cannot be read.
    """

    file: str
    conversations: tuple[Conversation, ...]
    counted: int = 0
    others: int = 0

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of all conversations, in the file's order."""
        return tuple(sorted((turn for one in self.conversations for turn in one.turns), key=lambda one: one.exchange))

    @property
    def tokens(self) -> Tokens:
        """The sum over all conversations."""
        return total(one.tokens for one in self.conversations)


def total(tokens: Iterable[Tokens | None]) -> Tokens:
    """The sum; what was not counted counts nothing."""
    return sum((one for one in tokens if one is not None), Tokens())


def _answers(message: Message) -> bool:
    return any(isinstance(block, ToolResult) for block in message.blocks)
