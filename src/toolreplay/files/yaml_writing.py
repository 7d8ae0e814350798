"""The one writer of YAML for people: what `yaml` reads, as somebody would have typed it.

No tags and no anchors; small mappings and lists on one line, long texts as block scalars, and quotes where this
project's reader or YAML 1.1 (PyYAML, and with it many editors and tools) would take a text for something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

import yaml

from .yaml_scalars import plain

WIDTH: Final = 110  # columns; lines of the project's own scenarios are no longer

_TOO_LONG: Final = 10**399  # for the reader, which takes 400 characters
_LONGEST_KEY: Final = 1_000  # libyaml looks no further than 1,024 characters for the colon of a key
_RESOLVERS: Final[Mapping[str, list[tuple[str, re.Pattern[str]]]]] = yaml.SafeLoader.yaml_implicit_resolvers
_INDICATORS: Final = frozenset("-?:,[]{}#&*!|>'\"%@`")
_IN_FLOW: Final = frozenset(",[]{}:?")
_ESCAPES: Final[Mapping[str, str]] = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def yaml_text(value: Mapping[str, object], *, opened: Collection[str] = ()) -> str:
    """A mapping of JSON's values as a YAML document; `yaml.read_documents` gives the same values back.

    Args:
        value: keys are text; lists may be tuples.
        opened: fields that stand over several lines, and the items of which do, even where one would hold them.

    Raises:
        ValueError: a number that the reader refuses: NaN, infinite, or of 400 digits and more.
    """
    return "".join(f"{line}\n" for line in _mapping(value, "", opened))


def _mapping(fields: Mapping[str, object], indent: str, opened: Collection[str]) -> Iterator[str]:
    for name, value in fields.items():
        label = f"{_text(name)}:"
        if len(label) > _LONGEST_KEY:
            yield f"{indent}? {label[:-1]}"
            label = ":"
        yield from _labelled(label, value, indent, opened, is_open=name in opened)


def _labelled(label: str, value: object, indent: str, opened: Collection[str], *, is_open: bool) -> Iterator[str]:
    """A value behind its key."""
    within = _lines(value, f"{indent}  ", opened, is_open=is_open)
    if within is None:
        yield from _with_scalar(f"{indent}{label} ", value, f"{indent}  ")
        return
    room = WIDTH - len(indent) - len(label) - 1
    flow = None if is_open else _flow(value, room)
    if flow is not None:
        yield f"{indent}{label} {flow}"
    else:
        yield f"{indent}{label}"
        yield from within


def _lines(value: object, indent: str, opened: Collection[str], *, is_open: bool) -> Iterator[str] | None:
    """A container over several lines; None for a scalar, and for an empty container."""
    if isinstance(value, Mapping) and value:
        return _mapping(value, indent, opened)
    if isinstance(value, list | tuple) and value:
        return _list(value, indent, opened, is_open=is_open)
    return None


def _list(
    items: list[object] | tuple[object, ...], indent: str, opened: Collection[str], *, is_open: bool
) -> Iterator[str]:
    for item in items:
        within = _lines(item, f"{indent}  ", opened, is_open=False)
        if within is None:
            yield from _with_scalar(f"{indent}- ", item, f"{indent}  ")
            continue
        flow = None if is_open else _flow(item, WIDTH - len(indent) - 2)
        if flow is not None:
            yield f"{indent}- {flow}"
        else:
            yield f"{indent}- {next(within).lstrip(' ')}"
            yield from within


def _with_scalar(start: str, value: object, indent: str) -> Iterator[str]:
    """A scalar behind its key or dash: on the same line, or as a block scalar below it."""
    block = _block_scalar(value, WIDTH - len(start), WIDTH - len(indent)) if isinstance(value, str) else None
    if block is None:
        yield f"{start}{_scalar(value)}"
        return
    header, lines = block
    yield f"{start}{header}"
    yield from (f"{indent}{line}" if line else "" for line in lines)


def _block_scalar(text: str, room: int, below: int) -> tuple[str, list[str]] | None:
    """The header and lines of a text that reads better over several lines; None where one line holds it.

    Args:
        room: columns left on the line of its key or dash.
        below: columns of the lines below.
    """
    if "\n" in text:
        return _literal(text)
    if len(text) <= room or " " not in text or "  " in text or text != text.strip() or not text.isprintable():
        return None
    return ">-", _folded(text, below)


def _literal(text: str) -> tuple[str, list[str]] | None:
    """A text of several lines as it stands; None where what cannot be seen would have to be."""
    body = text.rstrip("\n")
    if not body.strip() or not text.replace("\n", "").replace("\t", "").isprintable():
        return None
    lines = text.split("\n")
    ends = len(text) - len(body)
    # The reader guesses the indentation from the first line, unless it is told.
    told = "2" if body[0] in " \t\n" else ""
    chomping = ("-", "", "+")[min(ends, 2)]
    return f"|{told}{chomping}", lines[:-1] if ends else lines


def _folded(text: str, room: int) -> list[str]:
    """A text of one line, broken at spaces."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _flow(value: object, room: int) -> str | None:
    """A value on one line; None where it takes more than `room` columns."""
    found: str | None
    if isinstance(value, Mapping) and value:
        found = _flow_mapping(value, room)
    elif isinstance(value, list | tuple) and value:
        found = _flow_items([("", item) for item in value], "[]", room)
    else:
        found = None if isinstance(value, str) and len(value) > room else _scalar(value, in_flow=True)
    return found if found is not None and len(found) <= room else None


def _flow_mapping(fields: Mapping[str, object], room: int) -> str | None:
    if any(len(name) > room for name in fields):
        return None
    return _flow_items([(f"{_text(name, in_flow=True)}: ", item) for name, item in fields.items()], "{}", room)


def _flow_items(items: list[tuple[str, object]], brackets: str, room: int) -> str | None:
    parts: list[str] = []
    left = room - 2
    for label, item in items:
        left -= len(label)
        part = _flow(item, left) if left > 0 else None
        if part is None or (isinstance(item, str) and "\n" in item):
            return None
        parts.append(label + part)
        left -= len(part) + 2
    return f"{brackets[0]}{', '.join(parts)}{brackets[1]}"


def _scalar(value: object, *, in_flow: bool = False) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return _text(value, in_flow=in_flow)
        case int() | float():
            return _number(value)
        case _:
            assert isinstance(value, Mapping | list | tuple), f"{type(value).__name__} is none of JSON's types"
            return "{}" if isinstance(value, Mapping) else "[]"


def _number(value: float) -> str:
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        raise ValueError("an integer of hundreds of digits is no number that a file can hold")
    text = repr(value)
    if isinstance(plain(text), str):
        raise ValueError(f"{text} is no number that a file can hold")  # noqa: TRY004  (the type is right)
    return text


def _text(text: str, *, in_flow: bool = False) -> str:
    """A text on one line, in quotes where it needs them."""
    if text.isprintable():
        if _reads_as_itself(text, in_flow=in_flow):
            return text
        if '"' in text or "\\" in text:
            return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_ESCAPES.get(one) or (one if one.isprintable() else _escaped(one)) for one in text) + '"'


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 2**8 else f"\\u{number:04x}" if number < 2**16 else f"\\U{number:08x}"


def _reads_as_itself(text: str, *, in_flow: bool) -> bool:
    if not text or text != text.strip() or text[0] in _INDICATORS or text.startswith("..."):
        return False
    if ": " in text or " #" in text or text.endswith(":") or (in_flow and not _IN_FLOW.isdisjoint(text)):
        return False
    resolvers = [*_RESOLVERS.get(text[0], ()), *_RESOLVERS.get("", ())]
    if any(pattern.match(text) for _, pattern in resolvers):
        return False
    try:
        return isinstance(plain(text), str)
    except ValueError:
        return False
