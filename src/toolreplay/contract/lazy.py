"""A value computed when it is first looked at.

`functools.cached_property` takes a lock for every first look until Python 3.12, which cost a third of all
checking; these records are read by one thread, and computing a value twice would do no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):  # noqa: N801  (used as a decorator, like property)
    """`@lazy` on a method without arguments: an attribute that the first look computes and keeps."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> Value | lazy[Value]:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
