"""What fuzzing found, as lines for a terminal or a pytest failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolreplay.fuzzer.result import Found, Result
from toolreplay.fuzzer.table import Row

from .printable import printable

_CELL: Final = 48
_WIDTH: Final = 400


def fuzz_line(result: Result) -> str:
    """One line: what was played, and what broke that is a warning."""
    played = f"{result.examples} examples, {result.calls} calls, {result.requests} requests, {result.seconds:.1f} s"
    warned = ", ".join(f"{code} {count}x" for code, count in result.warnings.most_common(5))
    return f"{played}; warnings: {warned}" if warned else played


def fuzz_details(result: Result, files: Mapping[str, str] | None = None) -> list[str]:
    """Each fault with its smallest conversation.

    Args:
        files: where the regressions were written, by the codes of their faults.
    """
    files = files or {}
    lines: list[str] = []
    for found in result.found:
        lines += _found(found)
        if found.fault.code in files:
            lines.append(f"  written to {files[found.fault.code]}; play it: toolreplay run {files[found.fault.code]}")
    lines += [f"still broken: {', '.join(sorted(known.codes))} in {known.path}" for known in result.regressions]
    if result.unplayed:
        lines.append(f"{result.unplayed} more conversations were not played, because others like them did not end")
    return lines


def policy_line(results: Sequence[Result], *, strict: bool) -> str:
    """What the model side did after failures, which decides what the figures mean; empty where nothing failed."""
    failures = sum(result.after_failure for result in results)
    if not failures:
        return ""
    went_on = f"in {failures} examples a tool failed; the model side went on with the replies it had"
    broken = "a broken request was answered with the API's own 400" if strict else "after a broken request too"
    return f"{went_on}, and {broken}" if strict else f"{went_on}, {broken} (--strict answers those with the API's 400)"


def _found(found: Found) -> Iterator[str]:
    fault = found.fault
    place = f"request {fault.request}, {fault.where}" if fault.request is not None else fault.where
    yield f"error {fault.code} {fault.name} ({fault.layer}): {_short(place)}"
    yield f"  {_short(fault.message)}"
    if fault.api:
        yield f"  the API answers 400: {_short(fault.api)}"
    yield f"  fix: {_short(fault.fix)}"
    yield from _table(found.rows)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    cells = [("turn", "call", "the tool", "sent"), *((str(row.turn), row.call, row.did, row.sent) for row in rows)]
    shown = [[_cell(cell) for cell in line] for line in cells]
    widths = [max(len(line[column]) for line in shown) for column in range(4)]
    for line in shown:
        yield "  | " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _cell(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _CELL else f"{line[: _CELL - 1]}…"


def _short(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
