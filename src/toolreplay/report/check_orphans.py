"""`check --orphans` as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from .lines import count
from .printable import printable

_FIX: Final = "no scenario plays it; delete it, or mend the path or name of its scenario"


def orphans_text(orphans: Sequence[str], cassettes: int) -> str:
    """A line for each cassette without a scenario, and a summary.

    Args:
        orphans: their paths, as they are shown.
        cassettes: how many cassettes there are in all.
    """
    lines = [f"{printable(path)}: {_FIX}" for path in orphans]
    return "\n".join([*lines, f"{count(cassettes, 'cassette')}: {count(len(orphans), 'orphan')}"]) + "\n"


def orphans_json(orphans: Sequence[str], cassettes: int) -> str:
    """`{"cassettes": n, "orphans": [path]}`."""
    return json.dumps({"cassettes": cassettes, "orphans": list(orphans)}, indent=2) + "\n"
