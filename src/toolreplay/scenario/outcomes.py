"""What a stub does for one call, as frozen records, and the values and exceptions they stand for."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

from . import exceptions
from .tools import GarbageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .tools import StubEntry

_HUGE: Final = 2_000_000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """`delay` is in seconds, waited before anything else happens."""

    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Returns(_Outcome):
    """Returns any value of JSON's types."""

    value: object


@dataclass(frozen=True, slots=True)
class Blocks(_Outcome):
    """Returns content blocks in Messages shape."""

    content: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Raises(_Outcome):
    """Raises an exception; `type` is a builtin name or a path."""

    type: str
    message: str

    def build(self) -> BaseException:
        """The exception, a new one each time.

        Raises:
            ScenarioError: its class cannot be found.
        """
        return exceptions.build(self.type, self.message)


@dataclass(frozen=True, slots=True)
class ReturnsError(_Outcome):
    """Answers with error status and no exception."""

    content: object


@dataclass(frozen=True, slots=True)
class Garbage(_Outcome):
    """Returns what JSON or a loop cannot hold; `garbage_value` makes it."""

    kind: GarbageKind


@dataclass(frozen=True, slots=True)
class Calls(_Outcome):
    """Runs real code, `package.module:function`."""

    target: str


@dataclass(frozen=True, slots=True)
class Denies(_Outcome):
    """The call is not run."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hangs(_Outcome):
    """Hangs for some seconds; the scenario's deadline is the most."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Exits(_Outcome):
    """The process ends in the middle of the call."""


Outcome: TypeAlias = Returns | Blocks | Raises | ReturnsError | Garbage | Calls | Denies | Hangs | Exits


def outcome_of(entry: StubEntry) -> Outcome:
    """What an entry does; its values are copies, so that a loop that changes them spoils no later call."""
    delay = entry.delay
    if entry.raises is not None:
        return Raises(entry.raises.type, entry.raises.message, delay=delay)
    if entry.garbage is not None:
        return Garbage(entry.garbage, delay=delay)
    if entry.call is not None:
        return Calls(entry.call, delay=delay)
    if entry.deny is not None:
        return Denies(entry.deny, delay=delay)
    if entry.hang is not None:
        return Hangs(entry.hang, delay=delay)
    if entry.exit is not None:
        return Exits(delay=delay)
    match entry.outcome:
        case "blocks":
            return Blocks([copy.deepcopy(block) for block in entry.blocks], delay=delay)
        case "error":
            return ReturnsError(copy.deepcopy(entry.error), delay=delay)
        case _:
            return Returns(copy.deepcopy(entry.returns), delay=delay)


def garbage_value(kind: GarbageKind) -> object:
    """The Python value that a kind of garbage stands for, a new one each time."""
    return _GARBAGE[kind]()


def _cyclic() -> object:
    value: list[object] = []
    value.append(value)
    return value


_GARBAGE: Final[Mapping[str, Callable[[], object]]] = {
    "none": lambda: None,
    "bytes": lambda: b"\x89PNG\r\n\x00\xff",
    "nan": lambda: float("nan"),
    "huge": lambda: "x" * _HUGE,
    "surrogate": lambda: "\ud800",
    "cyclic": _cyclic,
    "not_json": lambda: {"when": complex(1, 2)},
}
assert set(_GARBAGE) == set(get_args(GarbageKind))
