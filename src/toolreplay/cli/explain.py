"""`toolreplay explain`: print the page of a rule."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Mapping

from toolreplay.contract.catalogue import AnyRule, all_rules
from toolreplay.contract.page import render_text
from toolreplay.errors import UsageError

_ALIKE = 0.85  # TR1011 is meant as TR101; TR999 is not meant as TR609


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("rule", metavar="RULE", help="a code (TR101) or a name (unanswered-tool-use)")


def call(options: argparse.Namespace) -> int:
    """Print the page."""
    rules = all_rules()
    found = rules.get(options.rule.upper()) or next((one for one in rules.values() if one.name == options.rule), None)
    if found is None:
        raise UsageError(_unknown(options.rule, rules))
    print(render_text(found))
    return 0


def _unknown(word: str, rules: Mapping[str, AnyRule]) -> str:
    family = [code for code in rules if word and code.startswith(word.upper())]
    if family:
        return f"{word!r} is the beginning of {len(family)} codes, {family[0]} to {family[-1]}; name one rule"
    near = difflib.get_close_matches(word, [*rules, *(rule.name for rule in rules.values())], 1, _ALIKE)
    hint = f"did you mean {near[0]}?" if near else f"codes are {', '.join(rules)}"
    return f"no rule {word!r}; {hint}"
