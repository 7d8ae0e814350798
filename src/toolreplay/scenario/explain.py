"""pydantic's errors as sentences for the person who wrote the scenario."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic import BaseModel, ValidationError

from .faults import Fault, FaultsError, Path
from .model import Scenario
from .nearest import did_you_mean, nearest
from .script import (
    CONTENT_REPLY,
    ERROR_REPLY,
    RESET_REPLY,
    TEXT_REPLY,
    ContentReply,
    ErrorReply,
    ResetReply,
    TextReply,
)
from .steps import APPROVE_STEP, USER_STEP, ApproveStep, UserStep

if TYPE_CHECKING:
    from collections.abc import Iterator

# What pydantic puts into the path of an error for the chosen kind of a union, and no scenario has there.
_TAGGED: Final[dict[str, type[BaseModel]]] = {
    USER_STEP: UserStep,
    APPROVE_STEP: ApproveStep,
    CONTENT_REPLY: ContentReply,
    TEXT_REPLY: TextReply,
    ERROR_REPLY: ErrorReply,
    RESET_REPLY: ResetReply,
}
_EXPECTED: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
# Request fields of the Messages API that scenarios do not have at their top (the SDK's MessageCreateParams).
_WIRE_FIELDS: Final = frozenset(
    {
        "cache_control",
        "container",
        "context_management",
        "inference_geo",
        "mcp_servers",
        "metadata",
        "output_config",
        "output_format",
        "service_tier",
        "speed",
        "stop_sequences",
        "temperature",
        "thread",
        "top_k",
        "top_p",
    }
)


def explain(error: ValidationError, data: object) -> list[Fault]:
    """All faults that a validation of `data` found, with paths as the file has them."""
    faults = []
    meant: set[Path] = set()
    for item in error.errors(include_url=False):
        found = list(_faults(item["type"], item["loc"], item))
        if item["type"] == "extra_forbidden":
            near = nearest(str(item["loc"][-1]), _fields_at(item["loc"]))
            meant.add((*item["loc"][:-1], near or ""))
        faults += [(item, fault) for fault in found]
    # A misspelt field is one mistake, not also a missing one.
    kept = [fault for item, fault in faults if item["type"] != "missing" or item["loc"] not in meant]
    return [Fault(_as_written(fault.at, data), fault.what) for fault in kept]


def _faults(kind: str, at: Path, item: Any) -> Iterator[Fault]:
    context = item.get("ctx", {})
    cause = context.get("error")
    if isinstance(cause, FaultsError):
        for fault in cause.faults:
            yield Fault((*at, *fault.at), fault.what)
    elif kind == "missing":
        yield Fault(at, "missing; add it")
    elif kind == "extra_forbidden":
        yield Fault(at, _unknown_field(at))
    elif kind in {"literal_error", "enum"}:
        yield Fault(at, _not_one_of(item["input"], context["expected"]))
    elif kind in _EXPECTED:
        yield Fault(at, _wrong_type(_EXPECTED[kind], item["input"]))
    elif kind in {"too_short", "string_too_short"}:
        yield Fault(at, "is empty; write at least one")
    elif kind in {"greater_than", "greater_than_equal", "less_than", "less_than_equal"}:
        limit = item["msg"].removeprefix("Input should be ")
        yield Fault(at, f"{item['input']} is out of range; write a number {limit}")
    else:
        yield Fault(at, f"{item['msg']}; mend it")


def _unknown_field(at: Path) -> str:
    name = str(at[-1])
    if len(at) == 1 and name in _WIRE_FIELDS:
        return f"unknown field; write it under extra_body: {{{name}: ...}}"
    known = _fields_at(at)
    return f"unknown field; {did_you_mean(name, known, 'known are ' + ', '.join(known))}"


def _not_one_of(value: object, expected: str) -> str:
    known = re.findall(r"'([^']*)'", expected)
    if isinstance(value, str) and known:
        return f"{value!r} is not known; {did_you_mean(value, known, 'write one of ' + ', '.join(known))}"
    return f"{_shown(value)} is not known; write {', '.join(known) or expected.lower()}"


def _wrong_type(expected: str, value: object) -> str:
    if expected == "text" and isinstance(value, bool | int | float):
        return f"expected text, found {_shown(value)}; put it in quotes"
    if expected == "true or false" and isinstance(value, str):
        return f"expected true or false, found the text {value!r}; write true or false, without quotes"
    if "number" in expected and isinstance(value, str):
        return f"expected {expected}, found the text {value!r}; write a number, without quotes"
    return f"expected {expected}, found {_shown(value)}; write {expected}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            return f"the text {value if len(value) <= 40 else value[:37] + '...'!r}"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return f"the number {value}"


def _fields_at(at: Path) -> list[str]:
    """The fields that may stand where the last step of a path does."""
    models: list[type[BaseModel]] = [Scenario]
    for step in at[:-1]:
        if isinstance(step, int):
            continue
        if step in _TAGGED:
            models = [_TAGGED[step]]
            continue
        models = [
            inner
            for model in models
            for name, field in model.model_fields.items()
            if (field.alias or name) == step
            for inner in _models(field.annotation)
        ]
    return [field.alias or name for model in models for name, field in model.model_fields.items()]


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _as_written(at: Path, data: object) -> Path:
    """The path without what only pydantic sees in it: kinds of a union, and the index of a list of one."""
    path: list[str | int] = []
    for step in at:
        if step in _TAGGED or (isinstance(step, int) and isinstance(data, dict)):
            continue
        path.append(step)
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            data = None
    return tuple(path)
