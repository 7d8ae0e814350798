"""`toolreplay schema`: print the JSON Schema of scenario files."""

from __future__ import annotations

import argparse
import json

from toolreplay.scenario.schema import json_schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments."""


def call(options: argparse.Namespace) -> int:  # noqa: ARG001  (the form of every command)
    """Print the schema."""
    print(json.dumps(json_schema(), indent=2))
    return 0
