"""TR305: text and numbers that cannot be sent as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import REQUEST_RULES, TOOL_RULES, also, on_message
from toolreplay.contract.finding import Broken
from toolreplay.contract.tally import Tally
from toolreplay.contract.toolset import Toolset
from toolreplay.contract.turns import Context
from toolreplay.wire.model import Message, Wire

MOST_VALUES: Final = 2_000_000  # so that a list that holds itself comes to an end


@on_message(
    "TR305",
    "unencodable-text",
    "EEE",
    evidence="400 reported in anthropics/claude-code#60394, anomalyco/opencode#13985 (a lone surrogate); "
    "RFC 8259 has no NaN",
    answers={Wire.MESSAGES: [wording.NOT_JSON]},
    alone=True,
)
def unencodable_text(message: Message, context: Context) -> Iterator[Broken]:
    """A text holds half of a surrogate pair, or a number is NaN or infinite.

    Why: neither is JSON the API accepts, and Python and JavaScript both write it without a word. Halves come
    from text that is cut in the middle of an emoji and from file names that are no UTF-8, NaN from a
    calculation.
    Fix: replace lone surrogates before sending (`text.encode("utf-8", "replace").decode()`), and send NaN as
        null or as text.
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
    if _is_sound(value):
        return
    half = _first(value, path, _is_half)
    if half is not None:
        yield Broken(half, "the text holds half of a surrogate pair, which is no JSON the API accepts")
    number = _first(value, path, _is_no_number)
    if number is not None:
        yield Broken(number, "the number is NaN or infinite, which JSON does not have")


def _is_sound(value: object) -> bool:
    """Whether there is nothing to tell of: most strings are ASCII, which a string knows about itself."""
    waiting = [value]
    for _ in range(MOST_VALUES):
        if not waiting:
            return True
        item = waiting.pop()
        if isinstance(item, str):
            if not item.isascii() and _is_half(item):
                return False
        elif isinstance(item, dict):
            waiting += item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif _is_no_number(item):
            return False
    return True


def _first(value: object, path: str, found: Callable[[object], bool]) -> str | None:
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
    return None


def _is_half(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_no_number(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
