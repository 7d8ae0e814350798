"""The JSON Schema of scenario files, for editors and for `toolreplay schema`."""

from __future__ import annotations

import json
from typing import Any

from .model import Scenario


def json_schema() -> dict[str, Any]:
    """The schema of one scenario, JSON Schema draft 2020-12."""
    schema = Scenario.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "toolreplay scenario",
    }


def schema_text() -> str:
    """The schema as it stands in `schema/scenario.json`."""
    return json.dumps(json_schema(), indent=2) + "\n"
