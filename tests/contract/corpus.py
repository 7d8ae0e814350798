"""What the tests share that lies beside the repository: the corpus of public recordings, and cases of the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
CORPUS = SHARED / "corpus"
MISSING = "the corpus of public recordings is not beside the repository"


def rows() -> list[dict[str, Any]]:
    """What the corpus says of each of its recordings; nothing where it is missing."""
    index = CORPUS / "INDEX.jsonl"
    return [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()] if index.is_file() else []


def files() -> list[Path]:
    """Every recording of the corpus."""
    return [CORPUS / row["file"] for row in rows()]
