"""YAML of any program as plain data: mappings, lists, strings, bytes, numbers, booleans, None.

Recordings are full of tags that name classes (`!!python/object/apply:multidict._multidict.istr`,
`!ruby/object:Set`) and of Ruby's local `!binary`. Nothing is looked up or run for them: the data below the
tag is what they are read as. Values are built from libyaml's events without recursion, so neither deep
nesting nor a file's aliases can exhaust the process; libyaml itself stops at 1,000 levels.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Any

import yaml

from .plain_scalars import CORE, MERGE, plain, tagged

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Characters and nodes that aliases may stand for in all; a recording repeats a header, an attack doubles
# thirty times.
_ALIAS_BUDGET = 64 * 2**20
# Values of a file: a text of 200 MB is a few, and some hundred bytes of memory for each are a lot of them.
_MOST_VALUES = 2**24
# Fields that merge keys may copy in all; an alias costs nothing until it is merged.
_MERGE_BUDGET = 2**20

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
    """The documents of a file.

    Attributes:
        lines: the line, from 1, of every mapping in them, by its `id`.
        twice: the line of the first mapping that has a key twice, and the reason to refuse it. Whoever wants the
            file must; files that are nobody's business have such keys too.
    """

    documents: list[object]
    lines: dict[int, int]
    twice: tuple[int, str] | None = None


def load(data: bytes) -> Loaded:
    """Load all documents of UTF-8 or UTF-16 YAML.

    Raises:
        YamlError: for bytes that are no YAML, base64 that does not decode, aliases that repeat too much, and
            too many values.
    """
    builder = _Builder()
    loader = None
    try:
        loader = _LOADER(data)
        _build(builder, loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(reason, mark.line + 1 if mark else 1) from None
    except yaml.reader.ReaderError as error:
        raise YamlError(f"{error.reason} (byte {error.position})", data.count(b"\n", 0, error.position) + 1) from None
    finally:
        if loader is not None:
            loader.dispose()
    return Loaded(builder.documents, builder.lines, builder.twice)


def _build(builder: _Builder, loader: Any) -> None:
    """Take all events: straight from the parser, since `yaml.parse` asks two questions for each."""
    next_event = loader.get_event
    for _ in range(_MOST_VALUES + 2):  # with the stream and the document that every file begins with
        event = next_event()
        kind = type(event)
        if kind is yaml.ScalarEvent:
            builder.scalar(event)
        elif kind is yaml.StreamEndEvent:
            return
        else:
            builder.take(event)
    raise YamlError(f"it holds more than {_MOST_VALUES} values", _line(event))


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
        self.twice: tuple[int, str] | None = None
        self._open: list[_Open] = [_Open(is_mapping=False, tag=None, anchor=None, line=0, children=[])]
        self._anchors: dict[str, tuple[object, int]] = {}
        self._repeated = 0
        self._merged = 0

    def scalar(self, event: yaml.ScalarEvent) -> None:
        """Take what most events are; the other kinds and places of values go a longer way."""
        text: str = event.value
        value: object = text
        if event.tag is not None:
            value = _tagged(event)
        elif event.implicit[0]:
            value = plain(text)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1 + len(text))
        parent = self._open[-1]
        parent.children.append(value)
        parent.size += 1 + len(text)

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.CollectionEndEvent):
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
        merges = 0
        for key, value in zip(done.children[::2], done.children[1::2], strict=True):
            if key is MERGE:
                merges += 1
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
        if len(fields) + merges < len(done.children) // 2 and self.twice is None:
            key = _twice(done.children[::2])
            self.twice = (done.line, f"the key {key} stands twice in one mapping; remove one")
        return {**merged, **fields} if merged else fields


def _twice(keys: list[object]) -> str:
    seen: set[object] = set()
    for key in keys:
        name = _SHORT.repr(key) if isinstance(key, list | dict) else key
        if name in seen and key is not MERGE:
            break
        seen.add(name)
    return _SHORT.repr(key)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _tagged(event: yaml.ScalarEvent) -> object:
    try:
        return tagged(event)
    except ValueError as error:
        raise YamlError(str(error), _line(event)) from None


def _untag(value: list[object] | dict[object, object], tag: str) -> object:
    """What an object was made from: PyYAML writes a call's arguments, or a state, below the object's tag."""
    if not tag.startswith((CORE + "python/object/apply:", CORE + "python/object/new:")):
        return value
    parts: object = value
    if isinstance(value, dict):
        parts = value.get("args") or value.get("state") or value
    return parts[0] if isinstance(parts, list) and parts else parts
