"""TR305: text and numbers that cannot be sent as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Final

from ...wire.model import Message, Wire
from .. import wording
from ..catalogue import REQUEST_RULES, TOOL_RULES, also, on_message
from ..finding import Broken
from ..tally import Tally
from ..toolset import Toolset
from ..turns import Context

_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


@on_message(
    "TR305",
    "unencodable-text",
    "EEE",
    evidence="400 reported in anthropics/claude-code#60394, anomalyco/opencode#13985 (a lone surrogate); RFC 8259 has "
    "no NaN",
    answers={Wire.MESSAGES: [wording.NOT_JSON]},
)
def unencodable_text(message: Message, context: Context) -> Iterator[Broken]:
    """A text holds half of a surrogate pair, or a number is NaN or infinite.

    Why: neither is JSON the API accepts, and Python and JavaScript both write it without a word. Halves come from text
    that is cut in the middle of an emoji and from file names that are no UTF-8, NaN from a calculation.
    Fix: replace lone surrogates before sending (`text.encode("utf-8", "replace").decode()`), and send NaN as null or
        as text.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: plot, input: {temp_c: null}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: done}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: plot, input: {temp_c: .nan}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: done}]}
    """
    del context
    yield from _broken(message.raw, message.path)


@also(TOOL_RULES, "TR305")
def unencodable_tools(tools: Toolset, context: Context) -> Iterator[Broken]:
    """The same, in tool definitions."""
    del context
    for definition in tools.definitions:
        yield from _broken(definition.raw, definition.path)


@also(REQUEST_RULES, "TR305")
def unencodable_system(tally: Tally, context: Context) -> Iterator[Broken]:
    """The same, in the system prompt."""
    del tally
    system = context.request.body.get("system")
    if system is not None:
        yield from _broken(system, "system")


def _broken(value: object, path: str) -> Iterator[Broken]:
    try:
        _encode(value).encode()
    except UnicodeEncodeError:
        where = _first(value, path, _is_half)
        yield Broken(where, "the text holds half of a surrogate pair, which is no JSON the API accepts")
    except ValueError:
        where = _first(value, path, _is_no_number)
        yield Broken(where, "the number is NaN or infinite, which JSON does not have")
    except (TypeError, RecursionError):
        return  # no JSON at all: the client cannot have sent it


def _first(value: object, path: str, found: Callable[[object], bool]) -> str:
    """The path of the first leaf of which `found` is true."""
    waiting: list[tuple[object, str]] = [(value, path)]
    while waiting:
        item, where = waiting.pop()
        if isinstance(item, dict):
            if any(map(found, item)):
                return where
            waiting += [(inner, f"{where}.{key}") for key, inner in reversed(item.items())]
        elif isinstance(item, list):
            waiting += [(inner, f"{where}[{index}]") for index, inner in reversed(list(enumerate(item)))]
        elif found(item):
            return where
    return path


def _is_half(value: object) -> bool:
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)


def _is_no_number(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
