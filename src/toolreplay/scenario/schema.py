"""The JSON Schema of scenario files, for editors and for `toolreplay schema`."""

from __future__ import annotations

import json
from typing import Any

from .model import Scenario


def json_schema() -> dict[str, Any]:
    """The schema of one scenario, JSON Schema draft 2020-12."""
    schema: dict[str, Any] = _tidy(Scenario.model_json_schema(by_alias=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolreplay scenario",
        **schema,
    }


def schema_text() -> str:
    """The schema as it stands in `schema/scenario.json`."""
    return json.dumps(json_schema(), indent=2) + "\n"


def _tidy(schema: Any) -> Any:
    """The schema without what says nothing, which releases of pydantic write or leave out as they like."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _tidy(value)
        for key, value in schema.items()
        if not (key == "additionalProperties" and value is True) and not (key == "title" and isinstance(value, str))
    }
