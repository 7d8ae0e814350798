"""Credentials in what `check` reads, as the rules TR901 and TR902 see them."""

from __future__ import annotations

from typing import Final

from toolreplay.cassette.secrets import Secret
from toolreplay.contract.leak import Leak

_BODY: Final = "request body "
SECRETS: Final = ("TR901", "TR902")
"""The rules about credentials."""


def leak_of(secret: Secret) -> Leak:
    """What the rules judge. A credential in JSON that came alone has the place as its path, and stands in a request."""
    place = secret.place
    if place.startswith(("request URL", "request header", "response header")):
        return Leak(secret.kind, place, in_body=False)
    if place.startswith("response"):
        return Leak(secret.kind, place, in_body=True)
    path = place.removeprefix(_BODY).partition(" ")[0].rstrip(",")
    return Leak(secret.kind, place if place.startswith(_BODY.rstrip()) else f"{_BODY}{place}", in_body=True, path=path)
