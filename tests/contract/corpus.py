"""The corpus of public recordings, where it lies beside the repository."""

from __future__ import annotations

import json
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus"
MISSING = "the corpus of public recordings is not beside the repository"


def files() -> list[Path]:
    """Every recording of the corpus."""
    rows = (CORPUS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    return [CORPUS / json.loads(row)["file"] for row in rows]
