"""The conversation of a scenario: what the user says or decides, and what has to come out."""

from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, GetJsonSchemaHandler, Tag, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from .faults import Fault, FaultsError, refuse
from .fields import Arguments, ContentMatcher, Count, Many, Part, TextMatcher, TextOrBlocks, Words
from .nearest import nearest
from .script import Reply

USER_STEP: Final = "<user step>"
APPROVE_STEP: Final = "<approve step>"

# The SDK's StopReason types, and Converse's own (botocore's bedrock-runtime 2023-09-30 service model).
_STOP_REASONS: Final = (
    "compaction",
    "content_filtered",
    "end_turn",
    "guardrail_intervened",
    "malformed_model_output",
    "malformed_tool_use",
    "max_tokens",
    "model_context_window_exceeded",
    "pause_turn",
    "refusal",
    "stop_sequence",
    "tool_use",
)


class Turns(Part):
    """How many replies a prompt may take; a bare number means exactly that many."""

    min: Count | None = Field(default=None, description="At least.")
    max: Count | None = Field(default=None, description="At most.")

    @model_validator(mode="before")
    @classmethod
    def _exactly(cls, data: object) -> object:
        if isinstance(data, int) and not isinstance(data, bool) and data > 0:
            return {"min": data, "max": data}
        if not isinstance(data, dict | Turns):
            raise refuse("expected a number of replies, or {min: ..., max: ...}")
        return data

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.min is None and self.max is None:
            raise refuse("says nothing; write a number of replies, or {min: ..., max: ...}")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise refuse(f"min {self.min} is more than max {self.max}; swap them")
        return self

    def allows(self, count: int) -> bool:
        """Whether so many replies are within it."""
        return (self.min is None or count >= self.min) and (self.max is None or count <= self.max)

    def __str__(self) -> str:
        bounds = (("", self.min),) if self.min == self.max else (("at least ", self.min), ("at most ", self.max))
        return " and ".join(
            f"{word}{number} turn{'' if number == 1 else 's'}" for word, number in bounds if number is not None
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        mapping = handler.resolve_ref_schema(handler(schema))
        number = {"type": "integer", "minimum": 1}
        return {"anyOf": [number, {key: value for key, value in mapping.items() if key != "title"}]}


class ExpectedResult(Part):
    """What has to be sent back for a call."""

    status: Literal["success", "error"] | None = Field(default=None, description="On both wires.")
    content: ContentMatcher = Field(default=None, description="A value or matcher; JSON text is parsed first.")
    ran: bool | None = Field(default=None, description="Whether the tool was run; false for a denied call.")

    @model_validator(mode="before")
    @classmethod
    def _not_text(cls, data: object) -> object:
        if isinstance(data, str):
            hint = f"{{status: {data}}}" if data in {"success", "error"} else f"{{content: {data!r}}}"
            raise refuse(f"expected a mapping; write {hint}")
        return data

    @property
    def has_content(self) -> bool:
        """Whether the content is judged at all; null may be expected of it."""
        return "content" in self.model_fields_set


class ExpectedCall(Part):
    """A call that the model has to make, and its result."""

    tool: Words = Field(description="The tool's name.")
    input: Arguments | None = Field(default=None, description="Arguments to match, as a subset.")
    result: ExpectedResult | None = Field(default=None, description="What has to be sent back for it.")
    id: Words | None = Field(default=None, description="The call's id, for scripts.")


class Expectation(Part):
    """What has to come out of one step."""

    order: Literal["exact", "in_order", "any"] = Field(
        default="any",
        description="How far the order of tool_calls counts; in_order lets others stand between.",
    )
    tool_calls: Many[ExpectedCall] | None = Field(
        default=None, description="The calls; complete unless other_calls says allow. [] means none at all."
    )
    other_calls: Literal["allow", "fail"] = Field(default="fail", description="What of calls not in tool_calls.")
    never: Many[Words] = Field(default=(), description="Tools that may not be called.")
    turns: Turns | None = Field(default=None, description="How many replies of the model it may take.")
    stop_reason: Words | None = Field(default=None, description="Of the last reply.")
    final_text: TextMatcher = Field(default=None, description="Text or matcher for the last reply's text.")
    raises: Literal["allow", "must"] | None = Field(
        default=None, description="Whether an exception may, or must, leave the loop; the next step is played then."
    )
    pending: Many[Words] | None = Field(
        default=None, description="Tools whose calls are left open, for approval; [] means none."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = []
        if "other_calls" in self.model_fields_set and self.tool_calls is None:
            faults.append(Fault(("other_calls",), "does nothing without tool_calls; add them, or remove it"))
        near = nearest(self.stop_reason or "", _STOP_REASONS)
        if self.stop_reason is not None and self.stop_reason not in _STOP_REASONS and near is not None:
            what = f"no stop reason {self.stop_reason!r}; did you mean {near!r}?"
            faults.append(Fault(("stop_reason",), what))
        for index, name in enumerate(self.never):
            if any(call.tool == name for call in self.tool_calls or ()):
                what = f"{name!r} is expected in tool_calls too; remove it in one place"
                faults.append(Fault(("never", index), what))
        if faults:
            raise FaultsError(*faults)
        return self


class UserStep(Part):
    """A prompt."""

    user: TextOrBlocks = Field(description="What the user says: text or content blocks.")
    script: Many[Reply] | None = Field(
        default=None,
        description="Replies to this prompt alone. What the loop does not ask for stays unsaid; one that asks for "
        "more is answered with a closing text.",
    )
    expect: Expectation | None = Field(default=None, description="What has to come out.")


class ApproveStep(Part):
    """The user's decision on calls that were left open."""

    approve: dict[Words, Literal["allow", "deny"]] = Field(
        min_length=1, description="A decision for each tool: allow or deny."
    )
    expect: Expectation | None = Field(default=None, description="What has to come out.")

    @model_validator(mode="before")
    @classmethod
    def _one_of_two(cls, data: object) -> object:
        if isinstance(data, dict) and "user" in data:
            raise refuse("'user' and 'approve' stand together; make them two steps", "approve")
        return data


def _kind(data: Any) -> str:
    if isinstance(data, ApproveStep) or (isinstance(data, dict) and "approve" in data):
        return APPROVE_STEP
    return USER_STEP


Step: TypeAlias = Annotated[
    Annotated[UserStep, Tag(USER_STEP)] | Annotated[ApproveStep, Tag(APPROVE_STEP)], Discriminator(_kind)
]
