"""The part of SARIF 2.1.0 (OASIS, 27 March 2020) that `check` writes and GitHub reads, as JSON Schema."""

from __future__ import annotations

from typing import Any, Final

STRING: Final[dict[str, Any]] = {"type": "string", "minLength": 1}
MESSAGE: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": STRING},
    "additionalProperties": False,
}
LEVEL: Final[dict[str, Any]] = {"enum": ["none", "note", "warning", "error"]}
ARTIFACT: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["uri"],
    "properties": {"uri": {**STRING, "pattern": r"^[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+$"}, "uriBaseId": STRING},
    "additionalProperties": False,
}
LOCATION: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": ARTIFACT,
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"fullyQualifiedName": STRING},
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
RULE: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": STRING,
        "name": STRING,
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
    },
    "additionalProperties": False,
}
NOTIFICATION: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["message"],
    "properties": {"level": LEVEL, "message": MESSAGE, "locations": {"type": "array", "items": LOCATION}},
    "additionalProperties": False,
}
RESULT: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["message", "ruleId", "locations", "partialFingerprints"],
    "properties": {
        "ruleId": STRING,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {"type": "array", "minItems": 1, "maxItems": 1, "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": STRING},
    },
    "additionalProperties": False,
}
RUN: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["tool", "results"],
    "properties": {
        "tool": {
            "type": "object",
            "required": ["driver"],
            "properties": {
                "driver": {
                    "type": "object",
                    "required": ["name", "rules"],
                    "properties": {
                        "name": {"const": "toolreplay"},
                        "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
                        "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                    },
                    "additionalProperties": False,
                }
            },
            "additionalProperties": False,
        },
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "invocations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["executionSuccessful"],
                "properties": {
                    "executionSuccessful": {"type": "boolean"},
                    "toolExecutionNotifications": {"type": "array", "items": NOTIFICATION},
                },
                "additionalProperties": False,
            },
        },
        "results": {"type": "array", "maxItems": 25_000, "items": RESULT},
    },
    "additionalProperties": False,
}
SARIF: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"const": "https://json.schemastore.org/sarif-2.1.0.json"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "maxItems": 20, "items": RUN},
    },
    "additionalProperties": False,
}
