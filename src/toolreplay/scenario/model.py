"""The scenario: one YAML document of a scenario file, checked and frozen."""

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, Strict, model_validator

from toolreplay.wire.model import Wire

from . import consistency
from .faults import FaultsError, as_word, refuse
from .fields import (
    Count,
    History,
    Many,
    Part,
    PositiveSeconds,
    RuleCode,
    Target,
    TextMatcher,
    TextOrBlocks,
    Words,
)
from .script import Reply
from .source import Source
from .steps import Step, UserStep
from .tools import Tool


def _name(value: str) -> str:
    if "::" in value or "[" in value or "]" in value:
        raise refuse(f"{value!r} holds '::' or a bracket, which ids of tests cannot; leave them out")
    if re.search(r"[^\W_]", value) is None:
        raise refuse(f"{value!r} holds no letter or digit; write a name")
    if not value.isprintable():
        raise refuse(f"{value!r} does not fit on a line; write a name without control characters")
    return value


def _version(value: object) -> object:
    if isinstance(value, bool) or value != 1:
        raise refuse(f"version {value!r} is not known to this toolreplay; write version: 1")
    return value


def _choice(value: object) -> object:
    if isinstance(value, str):
        raise refuse(f"expected a mapping; write {{type: {as_word(value)}}}")
    return value


class Allowance(Part):
    """A rule that may be broken here."""

    rule: RuleCode = Field(description="Its code, such as TR105.")
    reason: Words = Field(description="Why.")


class Subagent(Part):
    """Another conversation that may appear beside the scenario's own, told by how it starts."""

    name: Words | None = Field(default=None, description="For reports.")
    model: Words | None = Field(default=None, description="The model it asks.")
    system: TextMatcher = Field(default=None, description="Text or matcher for its system prompt.")
    user: TextMatcher = Field(default=None, description="Text or matcher for its first user message.")
    script: Many[Reply] | None = Field(default=None, description="Its replies, where the scenario has a script.")

    @model_validator(mode="after")
    def _recognisable(self) -> Self:
        if self.model is None and self.system is None and self.user is None:
            raise refuse("cannot be told from other conversations; add system, user or model")
        return self


class Scenario(Part):
    """What the user says, which tools exist and how their stubs behave, what must come out."""

    version: Annotated[Literal[1], BeforeValidator(_version)] = Field(description="Of the file format.")
    name: Annotated[Words, AfterValidator(_name)] = Field(description="Unique in the file.")
    model: Words = Field(description="The model's id, as the wire has it.")
    max_tokens: Count = Field(default=1024, description="Of each reply.")
    system: TextOrBlocks | None = Field(default=None, description="The system prompt: text or blocks.")
    wire: Annotated[Wire, Strict(False)] = Field(default=Wire.MESSAGES, description="Which API is spoken.")
    stream: bool = Field(default=False, description="Whether replies are streamed.")
    thinking: dict[str, Any] | None = Field(default=None, description="As the wire has it.")
    betas: Many[Words] = Field(default=(), description="Beta features: the anthropic-beta header.")
    tool_choice: Annotated[dict[str, Any], BeforeValidator(_choice)] | None = Field(
        default=None, description="In Messages shape, on both wires."
    )
    extra_body: dict[str, Any] = Field(default_factory=dict, description="Other top-level fields of the wire.")
    tools: Many[Tool] = Field(default=(), description="In Messages shape, on both wires; `stub` is ours.")
    history: History = Field(default=(), description="Messages before the first prompt.")
    conversation: Many[Step] = Field(description="Prompts and decisions, in order.", json_schema_extra={"minItems": 1})
    script: Many[Reply] | None = Field(default=None, description="Replies, in place of a cassette.")
    loop: Target | None = Field(default=None, description="The loop under test: package.module:function.")
    max_turns: Count = Field(default=20, description="Replies a step may take before the loop is stopped.")
    match: Literal["exact", "conversation", "order"] | None = Field(
        default=None, description="How requests are matched; left out: as fits the loop."
    )
    subagents: Many[Subagent] = Field(default=(), description="Other conversations that may appear.")
    allow: Many[Allowance] = Field(default=(), description="Rules that may be broken here, with reasons.")
    deadline: PositiveSeconds = Field(default=10.0, description="Seconds that a tool may hang.")
    time_limit: PositiveSeconds | None = Field(
        default=None, description="Seconds after which a loop is stopped; left out: none."
    )

    _source: Source = PrivateAttr(default_factory=Source)

    def model_post_init(self, context: Any, /) -> None:
        """Keep the place the scenario was read from; pydantic hands it over as the validation context."""
        if isinstance(context, Source):
            self._source = context

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return self._source

    @property
    def path(self) -> str:
        """Its file, relative to the project root, with forward slashes."""
        return self._source.path

    @property
    def id(self) -> str:
        """What selects it: `scenarios/weather/parallel.yaml::two cities in parallel`."""
        return f"{self.path}::{self.name}"

    @property
    def document(self) -> int:
        """Index of its document in the file, from 0."""
        return self._source.document

    @property
    def line(self) -> int:
        """The line it starts on, from 1."""
        return self._source.line

    @property
    def stem(self) -> str:
        """Its file's name, without the suffix."""
        return PurePosixPath(self.path).stem

    @property
    def scripted(self) -> bool:
        """Whether the replies stand in the file, in place of a cassette."""
        return self.script is not None or any(isinstance(step, UserStep) and step.script for step in self.conversation)

    def line_of(self, *at: str | int) -> int:
        """The line of a field, `line_of("conversation", 0, "expect")`; of its nearest ancestor if absent."""
        return self._source.positions.line(at)

    def tool(self, name: str) -> Tool | None:
        """The tool of that name."""
        return next((tool for tool in self.tools if tool.key == name), None)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        found = tuple(consistency.faults(self))
        if found:
            raise FaultsError(*found)
        return self
