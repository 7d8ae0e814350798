"""Whether a result carries what a tool did: good loops cut and wrap it, so one telling token is enough."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from toolreplay.wire.model import Media, Other, Text, ToolResult

from .facts import CallFacts, Did, Execution


def told(result: ToolResult) -> str:
    """Everything a reader of the result sees as text; images, documents and JSON parts of Converse as JSON."""
    return "\n".join(
        part.text or "" if isinstance(part, Text) else _as_json(part.raw)
        for part in result.parts
        if isinstance(part, Text | Media | Other)
    )


def tokens_of(executions: Iterable[Execution]) -> tuple[str, ...] | None:
    """What the outcomes are recognised by; None where one of them has nothing that could be looked for."""
    found: list[str] = []
    for execution in executions:
        tokens = [token for token in execution.telling if token.strip()]
        if not tokens:
            return None
        found += tokens
    return tuple(dict.fromkeys(found)) or None


def shows_any(text: str, tokens: Iterable[str]) -> bool:
    """Whether the text holds one of the tokens, as it is or as JSON escapes it."""
    return any(form in text for token in tokens for form in _forms(token))


def carries_own(call: CallFacts) -> bool:
    """Whether the result shows the outcome of its own call, or nothing in the outcome could be looked for."""
    own = tokens_of(call.executions)
    return call.result is None or own is None or shows_any(told(call.result), own)


def swapped_with(call: CallFacts, calls: Sequence[CallFacts]) -> CallFacts | None:
    """The call of the same turn whose outcome stands in this call's result, in place of its own."""
    own = tokens_of(call.executions)
    if call.result is None or own is None:
        return None
    text = told(call.result)
    for other in calls:
        if other is call or other.turn != call.turn:
            continue
        theirs = tokens_of(other.executions) or ()
        mine_only = [token for token in own if token not in theirs]
        theirs_only = [token for token in theirs if token not in own]
        if not theirs_only or not mine_only or shows_any(text, mine_only):
            continue
        shown = sum(_stands_in(text, token) for token in theirs_only)
        # A word or two may stand in any text. Where a token of both outcomes shows, only the whole of the other's
        # proves anything.
        if shown == len(theirs_only) or (2 * shown > len(theirs_only) and not shows_any(text, own)):
            return other
    return None


def sendable(execution: Execution) -> bool:
    """Whether JSON can hold the value; what it cannot hold may be told as an error."""
    try:
        json.dumps(execution.value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def failed(execution: Execution) -> bool:
    """Whether the tool raised or returned an error."""
    return execution.did is not Did.RETURNED


def _forms(token: str) -> tuple[str, ...]:
    return token, json.dumps(token)[1:-1], json.dumps(token, ensure_ascii=False)[1:-1]


def _stands_in(text: str, token: str) -> bool:
    """As a word of its own: `4` does not stand in `404`."""
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in _forms(token))


def _as_json(raw: object) -> str:
    try:
        return json.dumps(raw, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
