"""A tool as scenarios write it: the wire's definition, and how its stub behaves."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .exceptions import name_fault
from .faults import Fault, FaultsError, as_word, refuse
from .fields import Arguments, Blocks, Count, Many, OneOrMany, Part, PositiveSeconds, Seconds, Target, Words
from .nearest import nearest

OUTCOMES: Final = ("return", "blocks", "raise", "error", "deny", "hang", "exit", "garbage", "call")
GarbageKind = Literal["none", "bytes", "nan", "huge", "surrogate", "cyclic", "not_json"]

# Types of Anthropic's own tools (docs: agents-and-tools/tool-use/tool-reference, and the SDK's type unions).
_CLIENT_TYPES: Final = ("bash_", "text_editor_", "memory_", "computer_", "browser_toolset_")
_SERVER_TYPES: Final = (
    "web_search_",
    "web_fetch_",
    "code_execution_",
    "tool_search_",
    "advisor_",
    "mcp_toolset",
)
_CUSTOM_FIELDS: Final = (
    "allowed_callers",
    "cache_control",
    "defer_loading",
    "description",
    "eager_input_streaming",
    "input_examples",
    "input_schema",
    "name",
    "strict",
    "stub",
    "type",
)


class RunsOn(StrEnum):
    """Who runs a tool: the loop under test, or the API's side."""

    CLIENT = "client"
    SERVER = "server"


class Raise(Part):
    """An exception that a stub raises."""

    type: str = Field(description="A builtin exception, or a path: httpx.ReadTimeout.")
    message: str = Field(default="", description="What str() of the exception gives.")

    @model_validator(mode="before")
    @classmethod
    def _not_text(cls, data: object) -> object:
        if isinstance(data, str):
            raise refuse(f"expected a mapping; write {{type: {as_word(data)}, message: ...}}")
        return data

    @model_validator(mode="after")
    def _known(self) -> Self:
        what = name_fault(self.type)
        if what is not None:
            raise refuse(what, "type")
        return self


class StubEntry(Part):
    """One way a stub behaves. An entry without an outcome returns nothing (None)."""

    when: Arguments | None = Field(default=None, description="Arguments to match, as a subset.")
    id: Words | None = Field(default=None, description="Only the call with this id.")
    times: Count | None = Field(default=None, description="Calls this entry answers; then the next one does.")
    delay: Seconds = Field(default=0.0, description="Seconds to wait first.")
    mutate: bool = Field(default=False, description="Whether the tool changes the input it is given.")
    returns: Any = Field(default=None, alias="return", description="A value; all but text is sent as JSON.")
    blocks: Blocks = Field(default=(), description="Content blocks: text, image, document.")
    raises: Raise | None = Field(default=None, alias="raise", description="An exception.")
    error: Any = Field(default=None, description="An error returned without an exception.")
    deny: Words | None = Field(default=None, description="The call is not run, for this reason.")
    hang: PositiveSeconds | None = Field(default=None, description="Seconds it hangs, up to the deadline.")
    exit: Literal[True] | None = Field(default=None, description="The process ends in the middle of the call.")
    garbage: GarbageKind | None = Field(default=None, description="A value that JSON or a loop cannot hold.")
    call: Target | None = Field(default=None, description="Real code: package.module:function.")

    @property
    def outcome(self) -> str | None:
        """The name of the entry's outcome as the file has it; None for an entry without one."""
        return next(iter(self._outcomes()), None)

    @property
    def always(self) -> bool:
        """Whether the entry answers every call that reaches it, for ever."""
        return not self.when and self.id is None and self.times is None

    def _outcomes(self) -> list[str]:
        written = {type(self).model_fields[name].alias or name for name in self.model_fields_set}
        return [name for name in OUTCOMES if name in written]

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        found = self._outcomes()
        if len(found) > 1:
            names = " and ".join(map(repr, found))
            raise refuse(f"{names} stand together; an entry has one outcome, make them two entries", found[1])
        for name in ("raise", "deny", "hang", "exit", "garbage", "call"):
            if found == [name] and getattr(self, "raises" if name == "raise" else name) is None:
                raise refuse("nothing stands here; write the outcome, or leave it out to return nothing", name)
        return self


class Tool(BaseModel):
    """A tool definition in Messages shape; fields that are not named here go to the wire as they are."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Words | None = Field(default=None, description="As the model calls it.")
    type: Words | None = Field(default=None, description="custom, or one of Anthropic's own tools.")
    stub: Annotated[Many[StubEntry], OneOrMany()] = Field(
        default=(), description="What the tool does; the first entry that matches a call."
    )

    @property
    def key(self) -> str:
        """What calls are dispatched by: the name; of a toolset without one, `computer` or `browser`."""
        if self.name is not None:
            return self.name
        return (self.type or "").partition("_toolset")[0]

    @property
    def runs_on(self) -> RunsOn:
        """Who runs it."""
        return RunsOn.SERVER if (self.type or "").startswith(_SERVER_TYPES) else RunsOn.CLIENT

    @property
    def is_toolset(self) -> bool:
        """Whether the model calls members of it, under names of their own."""
        return "_toolset" in (self.type or "")

    @property
    def definition(self) -> dict[str, Any]:
        """What goes on the wire, `stub` left out."""
        named = {key: value for key, value in (("name", self.name), ("type", self.type)) if value is not None}
        return {**named, **(self.model_extra or {})}

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The properties of the input schema; empty where it names none."""
        schema = self.definition.get("input_schema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        return properties if isinstance(properties, dict) else {}

    @model_validator(mode="after")
    def _sound(self) -> Self:
        faults = self._custom_faults() if self.type in {None, "custom"} else self._own_faults()
        if faults:
            raise FaultsError(*faults)
        return self

    def _custom_faults(self) -> list[Fault]:
        extra = self.model_extra or {}
        meant = {name: nearest(name, _CUSTOM_FIELDS, 0.8) for name in extra if name not in _CUSTOM_FIELDS}
        faults = [Fault((name,), f"unknown field; did you mean {near!r}?") for name, near in meant.items() if near]
        if self.name is None and "name" not in meant.values():
            faults.append(Fault(("name",), "missing; add it"))
        if "input_schema" not in extra and "input_schema" not in meant.values():
            faults.append(Fault(("input_schema",), "missing; add one, {type: object} takes anything"))
        elif not isinstance(extra.get("input_schema", {}), dict):
            faults.append(Fault(("input_schema",), "expected a mapping, a JSON Schema; {type: object} takes anything"))
        return faults

    def _own_faults(self) -> list[Fault]:
        faults = []
        known = (*_CLIENT_TYPES, *_SERVER_TYPES)
        if not (self.type or "").startswith(known) and nearest(self.type or "", ["custom"], 0.6):
            faults.append(Fault(("type",), f"no tool type {self.type!r}; did you mean 'custom'?"))
        if self.name is None and not self.is_toolset:
            faults.append(Fault(("name",), "missing; add it"))
        if self.stub and self.runs_on is RunsOn.SERVER:
            what = f"{self.type!r} runs on the API's side, so a loop never calls it; remove the stub"
            faults.append(Fault(("stub",), what))
        return faults
