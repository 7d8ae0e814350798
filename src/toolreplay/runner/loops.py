"""The loop under test: finding it, and giving it what its parameters ask for by name, as fixtures do."""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from toolreplay.errors import LoopError

REFERENCE: Final = "toolreplay.loop:run"
OWN_LOOP: Final = "a test's own loop"  # what a session is driven by: it has no name
Loop = Callable[..., object]


@dataclass(frozen=True)
class Target:
    """A loop and the name it goes by."""

    name: str
    function: Loop

    @property
    def is_reference(self) -> bool:
        """Whether it is the loop that ships with toolreplay."""
        return self.name == REFERENCE


def find_loop(name: str, root: Path, said: str = "--loop") -> Target:
    """Import `package.module:function`. The project's root and its `src` come first on sys.path.

    Raises:
        LoopError: the name has another form, or the module or the function is not there.
    """
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise LoopError(f"{said} {name!r}: a loop is named package.module:function")
    put_on_path(root)
    module = _import(module_name, f"{said} {name!r}", root)
    function: object = module
    for part in attribute.split("."):
        if not hasattr(function, part):
            near = difflib.get_close_matches(part, dir(function), 1)
            hint = f"did you mean {near[0]!r}?" if near else "check the name"
            raise LoopError(f"{said} {name!r}: {module_name} has no {attribute!r}; {hint}")
        function = getattr(function, part)
    if not callable(function):
        raise LoopError(f"{said} {name!r}: it is {type(function).__name__}, not a function")
    return Target(name, function)


def is_importable(target: Target, root: Path) -> bool:
    """Whether the loop can be found again by its name; a function within a function cannot."""
    try:
        return find_loop(target.name, root).function is target.function
    except LoopError:
        return False


def _import(name: str, where: str, root: Path) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise LoopError(f"{where}: cannot import {name}: {error}; is it under {root}?") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a user's module does when it is imported, sys.exit() too
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise LoopError(f"{where}: cannot import {name}: {what}; mend the module") from error


def target_of(loop: Loop | str | None, root: Path, said: str = "--loop") -> Target:
    """A loop given as a function, a name, or nothing (the reference loop). `said` is where it was named."""
    put_on_path(root)  # also for the code that stubs call
    if loop is None or loop is _reference():
        return Target(REFERENCE, _reference())
    if isinstance(loop, str):
        return find_loop(loop, root, said)
    name = f"{getattr(loop, '__module__', '?')}:{getattr(loop, '__qualname__', type(loop).__name__)}"
    return Target(name, loop)


@dataclass(frozen=True)
class Asked:
    """What a loop's parameters ask for: by place where they cannot be given by name, else by name."""

    positional: tuple[str, ...]
    named: tuple[str, ...]
    annotations: Mapping[str, object]

    def __iter__(self) -> Iterator[str]:
        return iter((*self.positional, *self.named))


def asked_by(target: Target, offered: Collection[str]) -> Asked:
    """What a loop asks for.

    Raises:
        LoopError: it needs something that is not offered.
    """
    try:
        parameters = inspect.signature(target.function).parameters.values()
    except (TypeError, ValueError):
        raise LoopError(f"{target.name} has no signature to read; wrap it in a function") from None
    positional: list[str] = []
    named: list[str] = []
    fixed = target.function.keywords if isinstance(target.function, functools.partial) else {}
    for parameter in parameters:
        if parameter.name in fixed:
            continue
        if parameter.kind is parameter.VAR_KEYWORD or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        if parameter.name in offered:
            (positional if parameter.kind is parameter.POSITIONAL_ONLY else named).append(parameter.name)
        elif parameter.default is parameter.empty:
            near = difflib.get_close_matches(parameter.name, offered, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            names = ", ".join(sorted(offered))
            raise LoopError(
                f"{target.name} asks for {parameter.name!r}, which is not offered; {hint}offered are {names}"
            )
    annotations = {parameter.name: parameter.annotation for parameter in parameters}
    return Asked(tuple(positional), tuple(named), annotations)


def is_async(target: Target) -> bool:
    """Whether the loop is to be awaited: an async function, or an object whose `say` is one."""
    function = target.function
    if any(inspect.iscoroutinefunction(one) for one in (function, getattr(type(function), "__call__", None))):  # noqa: B004
        return True
    return inspect.iscoroutinefunction(getattr(function, "say", None))


def call_loop(target: Target, asked: Asked, offered: Mapping[str, Any]) -> object:
    """Call the loop with what it asked for."""
    positional = [offered[name] for name in asked.positional]
    return target.function(*positional, **{name: offered[name] for name in asked.named})


def _reference() -> Loop:
    from toolreplay.loop import run

    return run


def put_on_path(root: Path) -> None:
    """Have the project's own modules found: its root and its `src` come first on sys.path."""
    for folder in (root / "src", root):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
