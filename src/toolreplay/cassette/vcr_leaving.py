"""vcrpy's context of a cassette, which takes its patches back even where the cassette could not be saved.

vcrpy saves first (vcr/cassette.py, CassetteContextDecorator.__exit__, 9.4). If that raises, the patches stay until the
garbage collector comes by, which then takes them out of the middle of another test.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from vcr.cassette import CassetteContextDecorator


class Leaving(CassetteContextDecorator):  # type: ignore[misc]  # vcrpy has no type information
    """The context of one cassette, also where it decorates a function."""

    _patches: Generator[Any] | None = None

    def _patch_generator(self, cassette: Any) -> Generator[Any]:
        self._patches = super()._patch_generator(cassette)
        return self._patches

    def __exit__(self, *exception: object) -> None:
        try:
            super().__exit__(*exception)
        finally:
            if self._patches is not None:
                self._patches.close()  # nothing is left to do in it, unless saving raised


def leaving(use_cassette: Callable[..., Any]) -> Callable[..., Any]:
    """The function that makes the contexts of a `vcr.VCR`, making such ones."""

    def use(*arguments: Any, **options: Any) -> Any:
        context = use_cassette(*arguments, **options)
        context.__class__ = Leaving
        return context

    return use
