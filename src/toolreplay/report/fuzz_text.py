"""What fuzzing found, as lines for a terminal or a pytest failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolreplay.fuzzer.faults import THE_PROCESS
from toolreplay.fuzzer.regression import Written
from toolreplay.fuzzer.result import Found, Result
from toolreplay.fuzzer.table import Row, Said, table_of
from toolreplay.runner.loops import Target

from .printable import printable

_CELL: Final = 48
_SAID: Final = 100
_MOST: Final = 20  # lines of a table
_WIDTH: Final = 400
_HEAD: Final = ("turn", "call", "the tool", "sent")


def fuzz_summary(scenario: str, result: Result) -> str:
    """One line: the outcome, the scenario, whose loop it was, and what was played."""
    outcome = "FAIL" if result.failed else "PASS"
    return f"{outcome:<5} {printable(scenario)}  ({loop_words(result.target)}: {fuzz_line(result)})"


def loop_words(target: Target) -> str:
    """Whose loop it was: one that nobody named is none of the user's."""
    return "toolreplay's own reference loop" if target.is_reference else printable(target.name)


def fuzz_line(result: Result) -> str:
    """One line: what was played, and what broke that is a warning."""
    played = f"{result.examples} examples, {result.calls} calls, {result.requests} requests, {result.seconds:.1f} s"
    warned = ", ".join(f"{code} {count}x" for code, count in result.warnings.most_common(5))
    return f"{played}; warnings: {warned}" if warned else played


def fuzz_details(result: Result, files: Mapping[str, Written] | None = None) -> list[str]:
    """Each fault with its smallest conversation.

    Args:
        files: where the regressions were written, by the kinds of their faults.
    """
    files = files or {}
    lines: list[str] = []
    for found in result.found:
        lines += _found(found)
        if found.fault.kind in files:
            lines.append(_written(files[found.fault.kind]))
    lines += [f"still broken: {', '.join(sorted(known.codes))} in {known.path}" for known in result.regressions]
    if result.again:
        lines.append(f"shown again, as told of a scenario before: {', '.join(sorted(result.again))}")
    lines += map(_short, result.notes)
    if result.unplayed:
        lines.append(f"{result.unplayed} more conversations were not played, because others like them did not end")
    return lines


def _written(file: Written) -> str:
    by_hand = f'toolreplay.play("{file.path}", loop=...), since the loop cannot be imported by name'
    return f"  written to {file.path}; play it: {f'toolreplay run {file.path}' if file.named else by_hand}"


def policy_line(results: Sequence[Result], *, strict: bool) -> str:
    """What the model side did after failures, which decides what the figures mean; empty where nothing failed."""
    failures = sum(result.after_failure for result in results)
    if not failures:
        return ""
    went_on = f"in {failures} examples a tool failed; the model side went on with the replies it had"
    broken = "a broken request was answered with the API's own 400" if strict else "after a broken request too"
    return f"{went_on}, and {broken}" if strict else f"{went_on}, {broken} (--strict answers those with the API's 400)"


def loop_line(results: Sequence[Result], *, named: bool) -> str:
    """What to tell someone who named no loop, and so tested ours; empty for all others."""
    if named or not any(result.target.is_reference for result in results):
        return ""
    return "no loop was named, so toolreplay's own reference loop was fuzzed; name yours: --loop MODULE:FUNCTION"


def _found(found: Found) -> Iterator[str]:
    fault = found.fault
    place = f"request {fault.request}, {fault.where}" if fault.request is not None else fault.where
    yield f"error {fault.code} {fault.name} ({fault.layer}): {_short(place)}"
    yield f"  {_short(fault.message)}"
    if fault.api:
        yield f"  the API answers 400: {_short(fault.api)}"
    yield f"  fix: {_short(fault.fix)}"
    yield from _table(tuple(table_of(found.case, found.rows)))
    if not found.repeats:
        yield "  played once more it did not show: it depends on time or on chance"
    elif fault.where == THE_PROCESS:
        yield "  not written down: whoever played it would end with the loop"
    elif not found.replays:
        yield "  not written down: under `toolreplay run` the API's refusal of an earlier request ends it before"


def _table(lines: Sequence[Row | Said]) -> Iterator[str]:
    shown = lines if len(lines) <= _MOST else lines[: _MOST - 1]
    cells = {line: _cells(line) for line in shown if isinstance(line, Row)}
    widths = [max(map(len, column)) for column in zip(_HEAD, *cells.values(), strict=True)]
    yield _aligned(_HEAD, widths)
    for line in shown:
        if isinstance(line, Row):
            yield _aligned(cells[line], widths)
        else:
            yield _aligned((_number(line.turn), _cut(f"{line.who}: {line.what}", _SAID)), [*widths[:1], 0])
    if len(shown) < len(lines):
        yield f"  | ... {len(lines) - len(shown)} more lines; --format json shows all"


def _cells(row: Row) -> tuple[str, ...]:
    return (_number(row.turn), *(_cut(cell, _CELL) for cell in (row.call, row.did, row.sent)))


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  | " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _number(turn: int) -> str:
    return str(turn) if turn else ""


def _short(text: str) -> str:
    return _cut(text, _WIDTH)


def _cut(text: str, width: int) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= width else f"{line[: width - 1]}…"
