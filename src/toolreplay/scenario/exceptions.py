"""The exceptions that stubs raise: found by name, made from a message."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final

from toolreplay.errors import ScenarioError

from .faults import as_word
from .nearest import did_you_mean
from .targets import import_target, is_path

if TYPE_CHECKING:
    from collections.abc import Mapping

BUILTIN: Final[Mapping[str, type[BaseException]]] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


class Unprintable(Exception):
    """An exception whose text cannot be had: `raise: {type: toolreplay.scenario.exceptions.Unprintable}`."""

    def __str__(self) -> str:
        raise RuntimeError("this exception has no text")


_OFTEN_MEANT: Final = {
    "CancelledError": "asyncio.CancelledError",
    "HTTPError": "urllib.error.HTTPError",
    "JSONDecodeError": "json.JSONDecodeError",
    "SSLError": "ssl.SSLError",
    "ValidationError": "pydantic.ValidationError",
}


def name_fault(name: str) -> str | None:
    """What is wrong with the name of an exception, as far as can be told without importing it."""
    if name in BUILTIN or is_path(name):
        return None
    if name in _OFTEN_MEANT:
        return f"no builtin exception is named {name!r}; did you mean {_OFTEN_MEANT[name]!r}?"
    otherwise = f"name a builtin one, or write its path, package.module.{as_word(name)}"
    return f"no exception named {name!r}; {did_you_mean(name, BUILTIN, otherwise)}"


def build(name: str, message: str) -> BaseException:
    """Make the exception that a builtin name or a path names, with the message as its text.

    A class whose constructor asks for more than a message (`httpx.HTTPStatusError`) is made without it, so
    the exception has its type and text but none of its own attributes.

    Raises:
        ScenarioError: there is no such class, it is no exception, or it has no text without the rest.
    """
    kind = BUILTIN.get(name) or import_target(name)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise ScenarioError(f"{name!r} is {kind!r}, which cannot be raised; name an exception class")
    if issubclass(kind, UnicodeDecodeError):
        return kind("utf-8", b"\xff", 0, 1, message)
    if issubclass(kind, UnicodeEncodeError):
        return kind("utf-8", "\ud800", 0, 1, message)
    if issubclass(kind, UnicodeTranslateError):
        return kind("\ud800", 0, 1, message)
    if issubclass(kind, BaseExceptionGroup):
        return kind(message, [RuntimeError(message)])
    return _made(kind, message, name)


def _made(kind: type[BaseException], message: str, name: str) -> BaseException:
    try:
        return kind(message) if message else kind()
    except Exception:  # noqa: BLE001  (a foreign __init__ may raise anything: botocore's a KeyError)
        made = kind.__new__(kind, message)
    try:
        str(made)
    except Exception as error:  # a foreign __str__ may raise anything
        what = f"{name!r} cannot be made from a message alone ({type(error).__name__}: {error})"
        raise ScenarioError(f"{what}; raise it in a function of yours, with call") from error
    return made
