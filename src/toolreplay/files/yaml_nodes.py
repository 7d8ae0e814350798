"""From a YAML parser's events to plain data, bounded while reading, with the line of every field."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import yaml

from .yaml_scalars import STANDARD, plain, refused_tag, tagged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_VALUES: Final = 100_000
MAX_DEPTH: Final = 100
TOO_DEEP: Final = f"values are nested more than {MAX_DEPTH} deep; flatten them"


class RefusedError(Exception):
    """What the builder does not take: the line, from 1, and what is wrong with what to do."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(line, message)
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class Positions:
    """Where a value and the fields in it stand.

    Attributes:
        start: the value's line, from 1; of a mapping's field, the line of its key.
        fields: by key, or by index of a list.
    """

    start: int
    fields: Mapping[str | int, Positions] = field(default_factory=dict)

    def line(self, path: tuple[str | int, ...]) -> int:
        """The line of a field, from 1; of its nearest ancestor if it is absent."""
        spot = self
        for step in path:
            if step not in spot.fields:
                break
            spot = spot.fields[step]
        return spot.start


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: plain data of JSON's types, the line it starts on, and where its fields stand."""

    data: object
    line: int
    positions: Positions


@dataclass(frozen=True, slots=True)
class _Node:
    """A value that has been read.

    Attributes:
        values: how many values it is, itself included.
        depth: how many containers are nested in it, itself included.
        merge: whether it is an unquoted `<<`.
    """

    value: object
    positions: Positions
    values: int = 1
    depth: int = 0
    merge: bool = False


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read; `children` of a mapping are key, value, key, value."""

    line: int
    anchor: str | None
    is_mapping: bool
    children: list[_Node] = field(default_factory=list)


class Builder:
    """Builds the documents of one text."""

    def __init__(self) -> None:
        self._values = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, _Node] = {}

    def documents(self, events: Iterator[Any]) -> Iterator[Document]:
        """The documents that PyYAML's events add up to, each as soon as it is whole."""
        for event in events:
            match event:
                case yaml.DocumentStartEvent():
                    self._anchors = {}
                case yaml.NodeEvent() | yaml.CollectionEndEvent():
                    root = self._read(event)
                    if root is not None:
                        yield Document(root.value, root.positions.start, root.positions)
                case _:
                    pass

    def _read(self, event: Any) -> _Node | None:
        """Take in one event; the document's root when it is whole."""
        line = event.start_mark.line + 1
        match event:
            case yaml.CollectionStartEvent():
                self._start(event, line)
                return None
            case yaml.AliasEvent():
                node, anchor = self._alias(str(event.anchor), line), None
            case yaml.ScalarEvent():
                self._count(1, line)
                node, anchor = self._scalar(event, line), event.anchor
            case _:
                ended = self._open.pop()
                node, anchor = (self._mapping(ended) if ended.is_mapping else _list(ended)), ended.anchor
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            return node
        self._open[-1].children.append(node)
        return None

    def _start(self, event: Any, line: int) -> None:
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in {None, STANDARD + ("map" if is_mapping else "seq")}:
            raise RefusedError(line, refused_tag(event.tag))
        self._count(1, line)
        if len(self._open) == MAX_DEPTH:
            raise RefusedError(line, TOO_DEEP)
        self._open.append(_Open(line, event.anchor, is_mapping))

    def _count(self, values: int, line: int) -> None:
        self._values += values
        if self._values > MAX_VALUES:
            what = f"more than {MAX_VALUES:,} values, aliases written out"
            raise RefusedError(line, f"{what}; use fewer aliases, or split the file")

    def _alias(self, anchor: str, line: int) -> _Node:
        node = self._anchors.get(anchor)
        if any(unfinished.anchor == anchor for unfinished in self._open):
            what = f"the alias '*{anchor}' stands inside its own anchor"
            raise RefusedError(line, f"{what}; write the value out")
        if node is None:
            what = f"no anchor '&{anchor}' stands before the alias '*{anchor}'"
            raise RefusedError(line, f"{what}; add it, or put the value in quotes")
        self._count(node.values, line)
        if len(self._open) + node.depth > MAX_DEPTH:
            raise RefusedError(line, TOO_DEEP)
        return _Node(_copy(node.value), Positions(line, node.positions.fields), node.values, node.depth)

    def _scalar(self, event: Any, line: int) -> _Node:
        text: str = event.value
        unquoted: bool = event.implicit[0] and event.tag is None
        try:
            value = tagged(event.tag, text) if event.tag is not None else plain(text) if unquoted else text
        except ValueError as error:
            raise RefusedError(line, str(error)) from None
        return _Node(value, Positions(line), merge=unquoted and text == "<<")

    def _mapping(self, ended: _Open) -> _Node:
        value: dict[str, object] = {}
        spots: dict[str | int, Positions] = {}
        merged: list[tuple[_Node, int]] = []
        pairs = list(zip(ended.children[::2], ended.children[1::2], strict=True))
        for key, item in pairs:
            line = key.positions.start
            if key.merge:
                merged.append((item, line))
                continue
            text = self._key(key.value, line)
            if text in value:
                what = f"the key {text!r} stands twice, first on line {spots[text].start}"
                raise RefusedError(line, f"{what}; remove one")
            value[text] = item.value
            spots[text] = Positions(line, item.positions.fields)
        for item, line in merged:
            for key_text, inner, spot in self._merged(item, line):
                value.setdefault(key_text, inner)
                spots.setdefault(key_text, spot)
        depth = max((item.depth for _, item in pairs), default=0) + 1
        values = 1 + sum(node.values for node in ended.children)
        return _Node(value, Positions(ended.line, spots), values, depth)

    def _key(self, value: object, line: int) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, list | dict):
            raise RefusedError(line, "a key is a list or mapping; keys are text")
        shown = json.dumps(value)
        raise RefusedError(line, f'the key {shown} is not text; put it in quotes: "{shown}"')

    def _merged(self, item: _Node, line: int) -> Iterator[tuple[str, object, Positions]]:
        """The fields that a `<<` brings in; of several mappings the first that has a key wins."""
        sources = item.value if isinstance(item.value, list) else [item.value]
        spots = item.positions.fields if isinstance(item.value, list) else {0: item.positions}
        for index, source in enumerate(sources):
            if not isinstance(source, dict):
                what = "'<<' takes a mapping or a list of mappings"
                raise RefusedError(line, f"{what}; put it in quotes if it is a key")
            for key, value in source.items():
                yield key, value, spots[index].fields[key]


def _list(ended: _Open) -> _Node:
    children = ended.children
    return _Node(
        value=[child.value for child in children],
        positions=Positions(ended.line, {index: child.positions for index, child in enumerate(children)}),
        values=1 + sum(child.values for child in children),
        depth=max((child.depth for child in children), default=0) + 1,
    )


def _copy(value: object) -> object:
    """A value of its own for every alias, so that nothing changed in one place shows in another."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value
