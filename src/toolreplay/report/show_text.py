"""A transcript for a terminal: who said what, each call with its result, findings where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from toolreplay.contract.finding import Severity
from toolreplay.linter import Located
from toolreplay.transcript.model import Call, Conversation, Tokens, Transcript, Turn
from toolreplay.wire.model import ApiError, Block, Text, Thinking, ToolResult, ToolUse
from toolreplay.wire.words import block_words, call_words, result_words, system_words, value_words

from .lines import Line, count, text_lines
from .printable import printable

_MOST: Final = 400
"""Characters of a text that are shown unless all are asked for."""

_STYLES: Final = {"user": "green", "assistant": "bold"}
_SEVERITIES: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}


def show_lines(transcript: Transcript, findings: Sequence[Located], *, full: bool = False) -> Iterator[Line]:
    """The lines of a transcript.

    Args:
        findings: what `check` found in the file, in the order of requests.
        full: whether long texts are shown to their end.
    """
    yield Line(printable(f"{transcript.file}: {_summary(transcript)}"), "bold")
    of_exchange = by_exchange(findings)
    most = None if full else _MOST
    for conversation in transcript.conversations:
        yield Line("")
        yield from _head(conversation, most, several=len(transcript.conversations) > 1)
        shown = _Shown(conversation, most)
        for turn in conversation.turns:
            yield Line("")
            yield from shown.turn(turn)
            for one in of_exchange.pop(turn.exchange, ()):
                yield from _finding(one, "  ")
    if of_exchange:
        yield Line("")
    for exchange, left in of_exchange.items():
        for one in left:
            yield from _finding(one, f"exchange {exchange}: ")


def by_exchange(findings: Iterable[Located]) -> dict[int, list[Located]]:
    """The findings by the index of their exchange."""
    found: dict[int, list[Located]] = {}
    for one in findings:
        found.setdefault(one.exchange, []).append(one)
    return found


def _summary(transcript: Transcript) -> str:
    conversations = transcript.conversations
    parts = [
        count(len(conversations), "conversation"),
        count(sum(len(one.turns) for one in conversations), "turn"),
        count(sum(len(one.calls) for one in conversations), "call"),
        tokens_words(transcript.tokens),
    ]
    if transcript.counted:
        parts.append(f"{count(transcript.counted, 'count')} of tokens")
    if transcript.others:
        parts.append(f"{count(transcript.others, 'exchange')} of another kind")
    return ", ".join(parts)


def tokens_words(tokens: Tokens) -> str:
    """`1,204 tokens in (1,000 from the cache), 61 out`."""
    cached = f" ({tokens.cache_read:,} from the cache)" if tokens.cache_read else ""
    return f"{count(tokens.all_input, 'token')} in{cached}, {tokens.output:,} out"


def _head(conversation: Conversation, most: int | None, *, several: bool) -> Iterator[Line]:
    model = conversation.model or "no model named"
    sums = f"{count(len(conversation.turns), 'turn')}, {tokens_words(conversation.tokens)}" if several else ""
    words = ", ".join(part for part in (model, f"{conversation.wire} wire", sums) if part)
    yield Line(printable(f"conversation {conversation.number}: {words}"), "bold underline")
    if not conversation.history_known:
        yield Line("  it goes on from a reply that the file does not hold", "dim")
    if conversation.system is not None:
        yield from text_lines("system", system_words(conversation.system), indent="  ", style="dim", most=most)
    if conversation.tools:
        names = ", ".join(tool.name or tool.type for tool in conversation.tools)
        yield from text_lines("tools", names, indent="  ", style="dim", most=most)


class _Shown:
    """The turns of one conversation, each shown once."""

    def __init__(self, conversation: Conversation, most: int | None) -> None:
        self._most = most
        self._asked = {call.use.id: call.use for call in conversation.calls}
        self._paired = {id(call.result) for call in conversation.calls}

    def turn(self, turn: Turn) -> Iterator[Line]:
        yield Line(f"turn {turn.number}, exchange {turn.exchange}", "underline")
        yield from self._request(turn)
        if isinstance(turn.answer, ApiError):
            words = f"{turn.answer.status} {turn.answer.type or ''}: {turn.answer.message}"
            yield from self._text("error", words, style="red")
        elif turn.answer is None:
            yield Line("  no answer that can be read was recorded", "dim")
        else:
            yield from self._reply(turn.answer.blocks, turn.calls)
            cut = "" if turn.answer.complete else "the stream was cut off; "
            spent = "" if turn.tokens is None else f"; {tokens_words(turn.tokens)}"
            yield Line(printable(f"  {cut}stop: {turn.stop_reason or 'no reason'}{spent}"), "dim")

    def _request(self, turn: Turn) -> Iterator[Line]:
        if turn.rewritten:
            since = turn.new[0].index if turn.new else len(turn.request.raw_messages)
            yield Line(f"  the history was changed from messages[{since}] on", "dim")
        elif not turn.new:
            yield Line("  the same request again", "dim")
        repeated = [block for message in turn.said for block in message.blocks if isinstance(block, ToolUse)]
        self._asked.update((use.id, use) for use in repeated)
        anew = {use.id for use in repeated}  # a history that comes anew shows calls with their results
        for message in turn.said:
            role = "assistant, in the request" if message.role == "assistant" else message.role or "no role"
            for block in message.blocks:
                if not isinstance(block, ToolResult):
                    yield from self._block(block, role)
                elif id(block) not in self._paired or block.id in anew:
                    use = self._asked.get(block.id)
                    of = f"for {block.id}" if use is None else f"of {call_words(use)}"
                    yield from self._result(block, f" {of}", "  ")

    def _reply(self, blocks: Sequence[Block], calls: Sequence[Call]) -> Iterator[Line]:
        waiting = iter(calls)
        for block in _joined(blocks):
            yield from self._block(block, "assistant")
            call = next(waiting) if isinstance(block, ToolUse) else None
            if call is not None and call.result is not None:
                yield from self._result(call.result, "", "    ")
            elif call is not None:
                yield Line("    no result", "dim")

    def _block(self, block: Block, role: str) -> Iterator[Line]:
        match block:
            case ToolUse():
                words = f"{block.name or '(no name)'} {value_words(block.input)}  ({block.id})"
                yield from self._text("call", words, style="cyan")
            case Text():
                yield from self._text(role, block.text or "", style=_STYLES.get(role, ""))
            case Thinking():
                yield from self._text("thinking", block_words(block), style="dim")
            case _:
                kind = getattr(block, "type", None) or "unknown block"
                yield from self._text(f"{role}, {kind}", block_words(block))

    def _result(self, result: ToolResult, of: str, indent: str) -> Iterator[Line]:
        label, style = ("error", "red") if result.is_error else ("result", "")
        yield from text_lines(f"{label}{of}", result_words(result), indent=indent, style=style, most=self._most)

    def _text(self, label: str, words: str, *, style: str = "") -> Iterator[Line]:
        return text_lines(label, words, indent="  ", style=style, most=self._most)


def _finding(located: Located, before: str) -> Iterator[Line]:
    finding = located.finding
    where = f"{finding.path}: " if finding.path else ""
    words = f"{before}{finding.severity} {finding.code} {finding.name}: {where}{finding.message}"
    yield Line(printable(words), _SEVERITIES[finding.severity])


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, neighbouring texts as one: citations cut a sentence into several."""
    for is_text, group in groupby(blocks, key=lambda block: isinstance(block, Text)):
        first, *others = group
        if is_text and isinstance(first, Text) and others:
            yield replace(first, text="".join(block_words(block) for block in (first, *others)))
        else:
            yield from (first, *others)
