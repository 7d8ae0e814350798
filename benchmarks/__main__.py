"""Print every figure, a line each."""

from __future__ import annotations

from . import cassettes, checking, fuzzing, replay, startup

for part in (replay, cassettes, checking, fuzzing, startup):
    for row in part.rows():
        print(row, flush=True)
