"""`toolreplay explain`: print the page of a rule."""

from __future__ import annotations

import argparse
import difflib

from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.page import render_text
from toolreplay.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("rule", metavar="RULE", help="a code (TR101) or a name (unanswered-tool-use)")


def call(options: argparse.Namespace) -> int:
    """Print the page."""
    rules = all_rules()
    found = rules.get(options.rule.upper()) or next((one for one in rules.values() if one.name == options.rule), None)
    if found is None:
        near = difflib.get_close_matches(options.rule, [*rules, *(one.name for one in rules.values())], 1)
        hint = f"did you mean {near[0]}?" if near else f"codes are {', '.join(rules)}"
        raise UsageError(f"no rule {options.rule!r}; {hint}")
    print(render_text(found))
    return 0
