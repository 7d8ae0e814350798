"""The records both wires are parsed into.

A `Request` holds `Message`s, a message holds blocks, and every block knows its `Place` in the body as sent.
Blocks keep their JSON in `raw`: a block type this module has no record for passes through as `Other`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final, TypeAlias


class Wire(StrEnum):
    """The wire format of a request; the value is what `--wire` and scenario files say."""

    MESSAGES = "messages"
    CONVERSE = "converse"


class Missing:
    """The type of `MISSING`: a field that the body does not have, as opposed to one that is null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands in the body as sent.

    Attributes:
        message: index in `messages`, from 0.
        block: index in the message's `content`; None when content is a plain string.
        key: the union key of a Converse block that its own fields stand under (`toolUse`, `toolResult`), else "".
        inner: index in a tool result's own `content`, for a block inside a result.
    """

    message: int
    block: int | None = None
    key: str = ""
    inner: int | None = None

    @property
    def path(self) -> str:
        """The block, as a finding names it: `messages[2].content[0]`.

        A message before those of the body (a thread's, docs: message-threads) counts back from it: `messages[-1]`.
        """
        text = f"messages[{self.message}].content"
        if self.block is not None:
            text += f"[{self.block}]"
        if self.inner is not None:
            text += f".{self.key}.content[{self.inner}]" if self.key else f".content[{self.inner}]"
        return text

    def field(self, name: str) -> str:
        """A field of the block: `messages[2].content[0].toolUse.input`."""
        if self.inner is None and self.key:
            return f"{self.path}.{self.key}.{name}"
        return f"{self.path}.{name}"

    @property
    def dotted(self) -> str:
        """The block, as the API's own error messages name it: `messages.2.content.0`."""
        text = f"messages.{self.message}"
        return text if self.block is None else f"{text}.content.{self.block}"


@dataclass(frozen=True, slots=True)
class Text:
    """A text block, or a message's or result's whole content where that is a string (`place.block` is None)."""

    place: Place
    text: str | None
    raw: object


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call the client must answer. `id` and `name` are None where they are absent or no string."""

    place: Place
    id: str | None
    name: str | None
    input: object
    caller: str | None
    raw: Mapping[str, object]

    @property
    def programmatic(self) -> bool:
        """Whether server-side code made the call (docs: programmatic-tool-calling)."""
        return self.caller is not None and self.caller != "direct"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to a client call.

    Attributes:
        content: the content as sent: a string, a list, MISSING, or whatever stood there.
        parts: the blocks of a list content, or one `Text` for a string.
        is_error: error status, `is_error: true` on Messages and `status: error` on Converse.
    """

    place: Place
    id: str | None
    content: object
    parts: tuple[Block, ...]
    is_error: bool
    raw: Mapping[str, object]

    @property
    def text(self) -> str:
        """All text of the result, joined by newlines; JSON parts of Converse are left out."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text) and part.text is not None)


@dataclass(frozen=True, slots=True)
class ServerToolUse:
    """A call that the API's side runs: `server_tool_use`, `mcp_tool_use`, Converse `type: server_tool_use`."""

    place: Place
    id: str | None
    type: str
    name: str | None
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ServerToolResult:
    """The answer to a server tool's call, in an assistant message."""

    place: Place
    id: str | None
    type: str
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block, plain or redacted."""

    place: Place
    redacted: bool
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Media:
    """An image, document, video or audio block."""

    place: Place
    type: str
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Marker:
    """A block that carries no content of its own: a Converse `cachePoint`."""

    place: Place
    type: str
    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Other:
    """Any other block. `type` is None when the value is no object or names no type."""

    place: Place
    type: str | None
    raw: object


Block: TypeAlias = Text | ToolUse | ToolResult | ServerToolUse | ServerToolResult | Thinking | Media | Marker | Other


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of `messages`. `role` is "" where it is absent or no string; `content` is kept as sent."""

    index: int
    role: str
    content: object
    blocks: tuple[Block, ...]
    raw: object

    @property
    def path(self) -> str:
        """`messages[2]`."""
        return f"messages[{self.index}]"


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One entry of `tools` (Messages) or `toolConfig.tools` (Converse).

    Attributes:
        path: the entry, as a finding names it.
        type: "custom" for a client tool, else the wire's own type.
        input_schema: the schema as sent; MISSING where there is none.
    """

    index: int
    path: str
    type: str
    name: str | None
    input_schema: object
    raw: object


MessageReader: TypeAlias = Callable[[Iterable[object], int], tuple[Message, ...]]


@dataclass(frozen=True)
class Request:
    """A request body of either wire.

    Attributes:
        reader: parses messages of this wire, given the index of the first one. Messages are parsed when they are asked
            for: a conversation that grows parses only what is new (`contract.conversations`).
        tools: None where the body has no tools at all, which an empty list is not.
        version: `anthropic-version`, from the header or (InvokeModel) the body.
        thread: the `thread` object of a Messages request (docs: message-threads), if there is one.
        body: the JSON it was parsed from.
        betas: the features asked for, by the `anthropic-beta` header or (InvokeModel) `anthropic_beta` in the body.
        size: bytes of the body as sent; None where it came without its HTTP request.
    """

    wire: Wire
    model: str | None
    tools: tuple[ToolDefinition, ...] | None
    version: str | None
    thread: Mapping[str, object] | None
    body: Mapping[str, object]
    reader: MessageReader = field(repr=False, compare=False)
    betas: frozenset[str] = frozenset()
    size: int | None = None

    @property
    def bare(self) -> bool:
        """Whether there is nothing but messages: a history on its own, whose tools and model are not known."""
        return self.model is None and self.body.keys() <= {"messages"}

    @cached_property
    def raw_messages(self) -> Sequence[object]:
        """The messages as sent; empty where the body has none."""
        messages = self.body.get("messages")
        return messages if isinstance(messages, list) else ()

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The messages, parsed."""
        return self.reader(self.raw_messages, 0)

    @property
    def continues(self) -> str | None:
        """The id of the reply that a `thread: continue` request goes on from."""
        if self.thread is None or self.thread.get("type") != "continue":
            return None
        previous = self.thread.get("previous_message_id")
        return previous if isinstance(previous, str) else None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered.

    Attributes:
        content: the JSON blocks of the assistant turn.
        blocks: the same, parsed; their `place.message` is -1, since a reply stands in no request.
        complete: False for a stream that was cut before its end.
    """

    wire: Wire
    id: str | None
    model: str | None
    content: Sequence[object]
    blocks: tuple[Block, ...]
    stop_reason: str | None
    complete: bool = True
    body: Mapping[str, object] = field(default_factory=dict)

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The calls the client must answer, in the model's order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))

    @property
    def text(self) -> str:
        """All text of the reply, joined without a separator."""
        return "".join(block.text or "" for block in self.blocks if isinstance(block, Text))


@dataclass(frozen=True, slots=True)
class ApiError:
    """An error response: the wire's own type and message."""

    status: int
    type: str | None
    message: str
    body: Mapping[str, object] = field(default_factory=dict)
