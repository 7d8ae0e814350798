"""Formats of recordings, a module each: `matches` looks at a loaded file's shape, `interactions` reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from toolreplay.cassette.recording import Interaction

from . import har, httpmock, langchain, nock, pairs, vcr


class Format(Protocol):
    """What every module here offers."""

    def matches(self, data: object) -> bool:
        """Whether a loaded file has this format's shape. Several YAML documents come as a list."""

    def interactions(self, data: Any) -> Iterator[Interaction]:
        """The exchanges of a file that matches. Raises MalformedError for a part that makes no sense."""


FORMATS: tuple[Format, ...] = (vcr, langchain, har, httpmock, nock, pairs)
"""All of them. No two match the same data."""
