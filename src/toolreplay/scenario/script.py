"""Replies written by hand, for what the live model rarely does."""

from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from .faults import Fault, FaultsError, refuse
from .fields import Blocks, Count, Part, Words

CONTENT_REPLY: Final = "<content reply>"
TEXT_REPLY: Final = "<text reply>"
ERROR_REPLY: Final = "<error reply>"
RESET_REPLY: Final = "<reset reply>"
_KINDS: Final = ("content", "text", "http_error", "reset")


class _Reply(Part):
    @model_validator(mode="before")
    @classmethod
    def _one_kind(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        found = [kind for kind in _KINDS if kind in data]
        if not found:
            raise refuse("a reply has one of 'content', 'text', 'http_error', 'reset'; add one")
        if len(found) > 1:
            raise refuse(f"{found[0]!r} and {found[1]!r} stand together; make them two replies", found[1])
        return data


class Spoken(_Reply):
    """What a reply of the model may have beside its content; how it travels matters to streams alone."""

    cut_after: Count | None = Field(default=None, description="Bytes after which the reply breaks off.")
    error_after: Count | None = Field(
        default=None, description="Events of the stream after which the API says that it is overloaded."
    )
    piece: Count | None = Field(default=None, description="Bytes in each piece in which the stream arrives.")


class ContentReply(Spoken):
    """A reply of content blocks, in Messages shape on both wires."""

    content: Blocks = Field(description="The assistant turn; a tool_use has id, name and input.")
    stop_reason: Words | None = Field(default=None, description="Left out: tool_use with calls, else end_turn.")

    @property
    def stops(self) -> str:
        """The stop reason that is sent."""
        calls = any(block["type"] == "tool_use" for block in self.content)
        return self.stop_reason or ("tool_use" if calls else "end_turn")

    @model_validator(mode="after")
    def _whole_calls(self) -> Self:
        faults = [
            Fault(("content", index, name), "missing; a tool_use has id, name and input")
            for index, block in enumerate(self.content)
            if block["type"] == "tool_use"
            for name in ("id", "name", "input")
            if name not in block
        ]
        if faults:
            raise FaultsError(*faults)
        return self


class TextReply(Spoken):
    """A reply of one text block."""

    text: str = Field(description="What the model says.")
    stop_reason: Words | None = Field(default=None, description="Left out: end_turn.")

    @property
    def content(self) -> tuple[dict[str, Any], ...]:
        """The same as content blocks."""
        return ({"type": "text", "text": self.text},)

    @property
    def stops(self) -> str:
        """The stop reason that is sent."""
        return self.stop_reason or "end_turn"


class ErrorReply(_Reply):
    """An error response."""

    http_error: int = Field(ge=400, le=599, description="The HTTP status, such as 529.")
    message: Words | None = Field(default=None, description="The error's message.")


class ResetReply(_Reply):
    """No reply: the connection breaks."""

    reset: Literal[True] = Field(description="The connection breaks before anything arrives.")


def _kind(data: Any) -> str:
    if isinstance(data, ResetReply) or (isinstance(data, dict) and "reset" in data):
        return RESET_REPLY
    if isinstance(data, ErrorReply) or (isinstance(data, dict) and "http_error" in data):
        return ERROR_REPLY
    if isinstance(data, TextReply) or (isinstance(data, dict) and "text" in data):
        return TEXT_REPLY
    return CONTENT_REPLY


Reply: TypeAlias = Annotated[
    Annotated[ContentReply, Tag(CONTENT_REPLY)]
    | Annotated[TextReply, Tag(TEXT_REPLY)]
    | Annotated[ErrorReply, Tag(ERROR_REPLY)]
    | Annotated[ResetReply, Tag(RESET_REPLY)],
    Discriminator(_kind),
]
