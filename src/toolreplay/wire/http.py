"""HTTP as the rest of the project sees it: two frozen records, whatever library carried them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@dataclass(frozen=True)
class HttpRequest:
    """A request. Header names are lower case; `body` is the bytes as sent.

    Attributes:
        parsed: the body's JSON, where somebody has read it already; `json` is what to look at.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    parsed: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", _lower(self.headers))

    @cached_property
    def json(self) -> Any:
        """The body as JSON, parsed once; None when it is none (see `is_json`)."""
        if self.parsed is not None:
            return self.parsed
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def is_json(self) -> bool:
        """Whether the body is a JSON object."""
        return isinstance(self.json, dict)


@dataclass(frozen=True)
class HttpResponse:
    """A response, decompressed. Header names are lower case; a repeated header's values are joined by ", ".

    Attributes:
        piece: bytes in each piece in which the body arrives; None for the pieces in which a server sends it.
        reset: whether the connection breaks before anything arrives; the other fields mean nothing then.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    piece: int | None = None
    reset: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", _lower(self.headers))

    @cached_property
    def json(self) -> Any:
        """The body as JSON, parsed once; None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def content_type(self) -> str:
        """The media type alone: `application/json`."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()
