"""YAML of any program as plain data: mappings, lists, strings, bytes, numbers, booleans, None.

Recordings are full of tags that name classes (`!!python/object/apply:multidict._multidict.istr`,
`!ruby/object:Set`) and of Ruby's local `!binary`. Nothing is looked up or run for them: the data below the
tag is what they are read as. Values are built from libyaml's events without recursion, so neither deep
nesting nor a file's aliases can exhaust the process; libyaml itself stops at 1,000 levels.
"""

from __future__ import annotations

import base64
import binascii
import re
import reprlib
from dataclasses import dataclass

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
# Characters and nodes that aliases may stand for in all; a recording repeats a header, an attack doubles
# thirty times.
_ALIAS_BUDGET = 64 * 2**20
# Values of a file: a text of 200 MB is a few, and some hundred bytes of memory for each are a lot of them.
_MOST_VALUES = 2**24
# Fields that merge keys may copy in all; an alias costs nothing until it is merged.
_MERGE_BUDGET = 2**20

# Recorders quote what YAML 1.1 or 1.2 reads as something else, so only what both write unquoted is taken as
# no string: `no`, `on`, dates and 12:30 stay strings.
_WORDS: dict[str, object] = {"": None, "~": None}
_WORDS.update((word, None) for word in ("null", "Null", "NULL"))
_WORDS.update((word, True) for word in ("true", "True", "TRUE"))
_WORDS.update((word, False) for word in ("false", "False", "FALSE"))
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
# PyYAML takes `-.5`, `+.5` and `-.nan` for text and writes them unquoted.
_FLOAT = re.compile(r"(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_FLOAT_WORDS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("-+.0123456789")

# A list or mapping that is a key is read as its text. That of a mapping with such a key in turn is longer than
# the key by all its escapes, and so doubles from level to level.
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxstring = 80


class YamlError(ValueError):
    """YAML that cannot be read. `line` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Loaded:
    """The documents of a file, and the line, from 1, of every mapping in them by its `id`."""

    documents: list[object]
    lines: dict[int, int]


def load(data: bytes) -> Loaded:
    """Load all documents of UTF-8 or UTF-16 YAML.

    Raises:
        YamlError: for bytes that are no YAML, base64 that does not decode, aliases that repeat too much, and
            too many values.
    """
    builder = _Builder()
    try:
        for number, event in enumerate(yaml.parse(data, Loader=_LOADER)):
            builder.take(event)
            if number > _MOST_VALUES:
                raise YamlError(f"it holds more than {_MOST_VALUES} values", _line(event))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(reason, mark.line + 1 if mark else 1) from None
    except yaml.reader.ReaderError as error:
        raise YamlError(f"{error.reason} (byte {error.position})", data.count(b"\n", 0, error.position) + 1) from None
    return Loaded(builder.documents, builder.lines)


@dataclass(slots=True)
class _Open:
    """A mapping (keys and values in turn) or sequence that has not ended, and the size of its contents."""

    is_mapping: bool
    tag: str | None
    anchor: str | None
    line: int
    children: list[object]
    size: int = 1


class _Builder:
    def __init__(self) -> None:
        self.documents: list[object] = []
        self.lines: dict[int, int] = {}
        self._open: list[_Open] = [_Open(is_mapping=False, tag=None, anchor=None, line=0, children=[])]
        self._anchors: dict[str, tuple[object, int]] = {}
        self._repeated = 0
        self._merged = 0

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._add(_scalar(event), 1 + len(event.value), event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end()
        elif isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            line = _line(event) if is_mapping else 0
            self._open.append(_Open(is_mapping, event.tag, event.anchor, line, []))
        elif isinstance(event, yaml.AliasEvent):
            self._repeat(event)
        elif isinstance(event, yaml.DocumentEndEvent):
            self.documents.append(self._open[0].children.pop())
            self._anchors.clear()

    def _add(self, value: object, size: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        parent = self._open[-1]
        parent.children.append(value)
        parent.size += size

    def _repeat(self, event: yaml.AliasEvent) -> None:
        line = _line(event)
        if event.anchor not in self._anchors:
            raise YamlError(f"the alias *{event.anchor} stands for nothing before it, or for itself", line)
        value, size = self._anchors[event.anchor]
        self._repeated += size
        if self._repeated > _ALIAS_BUDGET:
            raise YamlError("its aliases repeat too much", line)
        self._add(value, size, None)

    def _end(self) -> None:
        done = self._open.pop()
        value: object
        if done.is_mapping:
            fields = self._mapping(done)
            self.lines[id(fields)] = done.line
            value = fields if done.tag is None else _untag(fields, done.tag)
        else:
            value = done.children if done.tag is None else _untag(done.children, done.tag)
        self._add(value, done.size, done.anchor)

    def _mapping(self, done: _Open) -> dict[object, object]:
        fields: dict[object, object] = {}
        merged: dict[object, object] = {}
        for key, value in zip(done.children[::2], done.children[1::2], strict=True):
            if key is _MERGE:
                for source in value if isinstance(value, list) else [value]:
                    if isinstance(source, dict):
                        merged = {**source, **merged}
                        self._merged += len(merged)
                    if self._merged > _MERGE_BUDGET:
                        raise YamlError("its merge keys repeat too much", done.line)
                continue
            try:
                fields[key] = value
            except TypeError:
                fields[_SHORT.repr(key)] = value
        return {**merged, **fields} if merged else fields


class _Merge:
    """The key `<<`, unquoted."""


_MERGE = _Merge()


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _scalar(event: yaml.ScalarEvent) -> object:
    tag: str | None = event.tag
    value: str = event.value
    if tag is None or tag == "!":
        return _plain(value) if event.implicit[0] else value
    name = tag.removeprefix(_CORE).removeprefix("!")
    if name in ("binary", "python/bytes"):
        try:
            return base64.b64decode(value)
        except (binascii.Error, ValueError):
            raise YamlError("a !binary value is no base64", _line(event)) from None
    if name in ("int", "float", "bool", "null"):
        return _plain(value)
    return value


def _plain(value: str) -> object:
    if value in _WORDS:
        return _WORDS[value]
    if value[0] not in _NUMBER_STARTS:
        return _MERGE if value == "<<" else value
    if _INT.fullmatch(value):
        try:
            return int(value)
        except ValueError:  # more digits than Python converts
            return value
    if _FLOAT.fullmatch(value):
        return float(value)
    if _FLOAT_WORDS.fullmatch(value):
        return float(value.replace(".", ""))
    return value


def _untag(value: list[object] | dict[object, object], tag: str) -> object:
    """What an object was made from: PyYAML writes a call's arguments, or a state, below the object's tag."""
    if not tag.startswith((_CORE + "python/object/apply:", _CORE + "python/object/new:")):
        return value
    parts: object = value
    if isinstance(value, dict):
        parts = value.get("args") or value.get("state") or value
    return parts[0] if isinstance(parts, list) and parts else parts
