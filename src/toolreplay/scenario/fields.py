"""The kinds of field that scenario models are made of."""

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    Strict,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from .content import Content, blocks, content, messages
from .faults import Fault, FaultsError, refuse
from .matcher_faults import faults_of_arguments, faults_of_content, faults_of_text
from .source import Source
from .targets import TARGET

Item = TypeVar("Item")


class Part(BaseModel):
    """A mapping in a scenario file: its fields are all there are, and are never converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# A strict tuple would refuse the list that YAML has; what is in it stays strict.
Many: TypeAlias = Annotated[tuple[Item, ...], Strict(False)]


class OneOrMany:
    """Marks a list that may be written as its only item."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_listed, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        many = handler(schema)
        return {"anyOf": [many["items"], many]}


def _listed(value: object) -> object:
    return [value] if isinstance(value, dict) else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise refuse("the text is blank; write something")
    return value


def _target(value: str) -> str:
    if TARGET.fullmatch(value) is None:
        raise refuse(f"{value!r} names no function; write package.module:function")
    return value


def _rule_code(value: str) -> str:
    if re.fullmatch(r"TR\d{3}", value) is None:
        raise refuse(f"{value!r} is no rule; write a code such as TR105")
    return value


def _sound(faults: Callable[[object], Iterator[Fault]]) -> AfterValidator:
    def check(value: object) -> object:
        found = tuple(faults(value))
        if found:
            raise FaultsError(*found)
        return value

    return AfterValidator(check)


def _mapping(value: object) -> object:
    if not isinstance(value, dict):
        raise refuse("expected a mapping of the tool's arguments; write {name: value}")
    return value


def _source(info: ValidationInfo) -> Source:
    return info.context if isinstance(info.context, Source) else Source()


def _content(value: object, info: ValidationInfo) -> Content:
    return content(value, _source(info))


def _blocks(value: object, info: ValidationInfo) -> tuple[dict[str, Any], ...]:
    return blocks(value, _source(info))


def _messages(value: object, info: ValidationInfo) -> tuple[dict[str, Any], ...]:
    return messages(value, _source(info))


_BLOCKS_SCHEMA: JsonSchemaValue = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"type": "string"},
            "file": {
                "type": "string",
                "description": "A file beside the scenario, for an image or document.",
            },
        },
    },
}
_TEXT_OR_BLOCKS_SCHEMA: JsonSchemaValue = {"anyOf": [{"type": "string"}, _BLOCKS_SCHEMA]}
_HISTORY_SCHEMA: JsonSchemaValue = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["role", "content"],
        "additionalProperties": False,
        "properties": {
            "role": {"enum": ["user", "assistant", "system"]},
            "content": _TEXT_OR_BLOCKS_SCHEMA,
        },
    },
}
_MATCHER_TEXT = {"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1, "maxProperties": 1}]}

Words: TypeAlias = Annotated[str, AfterValidator(_not_blank)]
Target: TypeAlias = Annotated[str, AfterValidator(_target)]
RuleCode: TypeAlias = Annotated[
    str, AfterValidator(_rule_code), WithJsonSchema({"type": "string", "pattern": r"^TR\d{3}$"})
]
Seconds: TypeAlias = Annotated[float, Field(ge=0)]
PositiveSeconds: TypeAlias = Annotated[float, Field(gt=0)]
Count: TypeAlias = Annotated[int, Field(ge=1)]
TextOrBlocks: TypeAlias = Annotated[Content, PlainValidator(_content), WithJsonSchema(_TEXT_OR_BLOCKS_SCHEMA)]
Blocks: TypeAlias = Annotated[tuple[dict[str, Any], ...], PlainValidator(_blocks), WithJsonSchema(_BLOCKS_SCHEMA)]
History: TypeAlias = Annotated[tuple[dict[str, Any], ...], PlainValidator(_messages), WithJsonSchema(_HISTORY_SCHEMA)]
TextMatcher: TypeAlias = Annotated[Any, _sound(faults_of_text), WithJsonSchema(_MATCHER_TEXT)]
ContentMatcher: TypeAlias = Annotated[Any, _sound(faults_of_content)]
Arguments: TypeAlias = Annotated[dict[str, Any], _sound(faults_of_arguments), BeforeValidator(_mapping)]
