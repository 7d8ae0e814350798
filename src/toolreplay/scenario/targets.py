"""Names of code in scenario files, `package.module:function`: checked as text, imported only to be run."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from toolreplay.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
TARGET = re.compile(f"{_DOTTED}:{_DOTTED}")
_EITHER = re.compile(rf"{_DOTTED}:{_DOTTED}|[^\W\d]\w*(?:\.[^\W\d]\w*)+")


def is_path(name: str) -> bool:
    """Whether a name reads as `package.module:Name` or `package.module.Name`."""
    return _EITHER.fullmatch(name) is not None


def import_target(name: str) -> Callable[..., object]:
    """Import what `package.module:name` or `package.module.name` names; runs the module's code.

    Raises:
        ScenarioError: there is no such module, it cannot be imported, or what it has there cannot be called.
    """
    module_name, colon, attributes = name.partition(":")
    if not colon:
        module_name, attributes = _module_part(name)
    try:
        found: object = import_module(module_name)
    except Exception as error:  # a module of the user's may raise anything when it is imported
        what = f"cannot import {module_name!r} for {name!r}: {type(error).__name__}: {error}"
        raise ScenarioError(f"{' '.join(what.split())}; check the name, and that it is installed") from error
    for attribute in attributes.split("."):
        if not hasattr(found, attribute):
            raise ScenarioError(f"{module_name!r} has no {attributes!r}, which {name!r} asks for; check the name")
        found = getattr(found, attribute)
    if not callable(found):
        raise ScenarioError(f"{name!r} is {type(found).__name__!r}, which cannot be called; name a function or class")
    return found


def _module_part(name: str) -> tuple[str, str]:
    """Split a dotted path where the module ends: a class may be nested in another."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 1, -1):
        module_name = ".".join(parts[:end])
        try:
            import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
                break
        else:
            return module_name, ".".join(parts[end:])
    return parts[0], ".".join(parts[1:])
