"""What a stub does for one call, as frozen records, and the values and exceptions they stand for."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict, get_args

from . import exceptions
from .tools import GarbageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .tools import StubEntry

_HUGE: Final = 2_000_000  # characters


class _First(TypedDict):
    delay: float
    mutate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """`delay` is in seconds, waited before anything else happens; `mutate` says that the input is changed next."""

    delay: float = 0.0
    mutate: bool = False


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
    first: _First = {"delay": entry.delay, "mutate": entry.mutate}
    if entry.raises is not None:
        return Raises(entry.raises.type, entry.raises.message, **first)
    if entry.garbage is not None:
        return Garbage(entry.garbage, **first)
    if entry.call is not None:
        return Calls(entry.call, **first)
    if entry.deny is not None:
        return Denies(entry.deny, **first)
    if entry.hang is not None:
        return Hangs(entry.hang, **first)
    if entry.exit is not None:
        return Exits(**first)
    match entry.outcome:
        case "blocks":
            return Blocks([copy.deepcopy(block) for block in entry.blocks], **first)
        case "error":
            return ReturnsError(copy.deepcopy(entry.error), **first)
        case _:
            return Returns(copy.deepcopy(entry.returns), **first)


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
