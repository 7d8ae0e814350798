"""Print every figure, a line each."""

from __future__ import annotations

from . import replay

for part in (replay,):
    for row in part.rows():
        print(row, flush=True)
