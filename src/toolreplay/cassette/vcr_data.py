"""A recording of any tool as vcrpy's data: as it stands where vcrpy wrote it, else made from its exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from .exchange import Provenance
from .format import provenance_of
from .reading import interpret, refuse_twice
from .recording import Interaction
from .response_bodies import text_or_bytes
from .vcr_packing import UNKNOWN, unpack

PROVENANCE: Final = "provenance"
"""Where our provenance stands in a file of plain vcrpy, which looks at `interactions` and `metadata` alone."""

_PHRASES: Final[Mapping[int, str]] = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class VcrData:
    """A recording for vcrpy.

    Attributes:
        data: what vcrpy's serializers give it.
        provenance: where it comes from, if the file says so.
        unanswered: how many requests were left out since they have no response, which vcrpy cannot hold.
    """

    data: dict[str, Any]
    provenance: Provenance = UNKNOWN
    unanswered: int = 0


def vcr_data(data: object, lines: Mapping[int, int], name: str) -> VcrData:
    """A loaded file as vcrpy's data. Raises CassetteError as `reading.interpret`, which has the words for it."""
    if isinstance(data, dict) and "toolreplay" in data:
        refuse_twice(lines, name)
        return VcrData(unpack(data, name), provenance_of(data["toolreplay"], name))
    if isinstance(data, dict) and _is_vcrs(data):
        refuse_twice(lines, name)
        kept = data.get(PROVENANCE)
        provenance = provenance_of(kept, name) if isinstance(kept, dict) else UNKNOWN
        return VcrData({key: value for key, value in data.items() if key != PROVENANCE}, provenance)
    found = interpret(data, lines, name).interactions
    answered = [_interaction(one) for one in found if one.response is not None]
    return VcrData({"version": 1, "interactions": answered}, UNKNOWN, len(found) - len(answered))


def _is_vcrs(data: Mapping[str, Any]) -> bool:
    """Whether vcrpy itself can play the data, so that there is nothing to make of it."""
    interactions = data.get("interactions")
    return isinstance(interactions, list) and all(_is_vcrs_interaction(one) for one in interactions)


def _is_vcrs_interaction(one: object) -> bool:
    match one:
        case {
            "request": {"method": str(), "uri": str(), "headers": dict(), **more},
            "response": {"status": {"code": int()}, "headers": dict(), "body": {"string": str() | bytes() | None}},
        }:
            return more.keys() == {"body"}
    return False


def _interaction(one: Interaction) -> dict[str, Any]:
    request, response = one.request, one.response
    assert response is not None
    return {
        "request": {
            "method": request.method,
            "uri": request.url,
            "body": text_or_bytes(request.body) if request.body else None,
            "headers": {name: [value] for name, value in request.headers.items()},
        },
        "response": {
            "status": {"code": response.status, "message": _PHRASES.get(response.status, "")},
            "headers": {name: [value] for name, value in response.headers.items()},
            "body": {"string": text_or_bytes(response.body)},
        },
    }
