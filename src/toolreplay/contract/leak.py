"""A credential that a recording holds, as the rules TR901 and TR902 see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Leak:
    """A credential; it is itself nowhere in it.

    Attributes:
        kind: what it is, in words: `a private key`.
        place: where it stands, in words: `request header x-api-key`, `response body`.
        in_body: whether that is a body; else it is a header or the URL.
        path: the place in the request body as sent, where it is one.
    """

    kind: str
    place: str
    in_body: bool
    path: str = ""
