"""A conversation as a table: what was said, what was asked for, what the tool did, what was sent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from toolreplay.runner.cast import MAIN
from toolreplay.runner.run import Call, Run
from toolreplay.scenario.outcomes import Blocks, Exits, Garbage, Hangs, Outcome, Raises, Returns
from toolreplay.scenario.stubs import NoStubError, StubBook, UnknownToolError
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.model import Reply
from toolreplay.wire.words import value_words

from .case import Case

Json = Mapping[str, Any]

_REFUSED: Final = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A call; or a request that was answered without one.

    Attributes:
        prompt: the prompt it belongs to, from 1.
        reply: what answered, as its place in the prompt's script, from 1; after the script's end the closing text, and
            0 where the request was refused and no reply was served.
        turn: the reply of the model, from 1 over the whole run; 0 where the model did not reply.
        call: its tool and input; "" where there is none, as of what follows.
        did: what the tool did; "not run" where nothing was.
        sent: status and content of its result; "nothing" where none was sent.
    """

    prompt: int
    reply: int
    turn: int
    call: str = ""
    did: str = ""
    sent: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said beside calls.

    Attributes:
        turn: the reply that says it; 0 where it is none.
        who: `user`, `model`, `API` where the model does not reply, or `history` before the first prompt.
    """

    turn: int
    who: str
    what: str


def rows_of(run: Run) -> tuple[Row, ...]:
    """What was asked of the model in a run and what came of it, in order."""
    calls: defaultdict[int, list[Call]] = defaultdict(list)
    for call in run.calls:
        calls[call.turn].append(call)
    rows: list[Row] = []
    served: Counter[int] = Counter()
    turn = 0
    for exchange in (one for one in run.exchanges if one.checked):
        scripted = exchange.served and exchange.agent == MAIN
        served[exchange.prompt] += scripted
        reply = served[exchange.prompt] if scripted else _REFUSED
        replied = isinstance(exchange.reply, Reply)
        turn += replied
        asked = calls[turn] if replied else ()
        rows += [_row(call, exchange.prompt, reply) for call in asked]
        if not asked:
            rows.append(Row(exchange.prompt, reply, turn if replied else 0))
    return tuple(rows)


def table_of(case: Case, rows: Sequence[Row] = ()) -> Iterator[Row | Said]:
    """The conversation of a case, line by line: each call, and what was said where it is more than that.

    Args:
        rows: how it was played; without them, as of a loop that did not end, what was to be played is shown.
    """
    steps = case.document["conversation"]
    if case.document.get("history"):
        yield Said(0, "history", _count(len(case.document["history"]), "message"))
    for number, in_prompt in groupby(rows or _planned(case), lambda row: row.prompt):
        step = steps[number - 1]
        yield Said(0, "user", _prompt_words(step["user"]))
        for place, in_reply in groupby(in_prompt, lambda row: (row.reply, row.turn)):
            answered = tuple(in_reply)
            yield from (Said(place[1], who, what) for who, what in _answer_words(step.get("script", ()), place[0]))
            yield from (row for row in answered if row.call)


def _row(call: Call, prompt: int, reply: int) -> Row:
    result = call.result
    sent = "nothing" if result is None else f"{result.status}: {_content(result.content)}"
    return Row(prompt, reply, call.turn, f"{call.name} {value_words(call.input)}", call.did or "not run", sent)


def _content(content: object) -> str:
    """The content as sent; of a single text block its text."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and "text" in content[0]:
        return value_words(content[0]["text"])
    return value_words(content)


def _answer_words(script: Sequence[Json], place: int) -> Iterator[tuple[str, str]]:
    """Who said what; nothing for an ordinary reply."""
    if place == _REFUSED:
        yield "API", "400, the request is refused"
    elif place <= len(script):
        reply = script[place - 1]
        if "http_error" in reply:
            yield "API", str(reply["http_error"])
        elif "reset" in reply:
            yield "API", "the connection breaks"
        else:
            what = ", ".join(_reply_words(reply))
            if what:
                yield "model", what


def _reply_words(reply: Json) -> Iterator[str]:
    """What a reply of the model is beside calls, or beside plain text."""
    blocks = [mapping(block) for block in items(reply.get("content"))]
    kinds = [str(block.get("type")) for block in blocks]
    calls = "tool_use" in kinds
    if not kinds and "text" not in reply:
        yield "an empty reply"
    beside = dict.fromkeys(kind for kind in kinds if kind != ("tool_use" if calls else "text"))
    if beside:
        yield f"with {' and '.join(beside)}"
    if any(
        kind == "tool_use" and isinstance(block.get("input"), str) for kind, block in zip(kinds, blocks, strict=True)
    ):
        yield "with input that is no JSON"
    stop_reason = reply.get("stop_reason")
    if stop_reason not in {None, "tool_use" if calls else "end_turn"}:
        yield f"stop_reason {stop_reason}"
    if "cut_after" in reply:
        yield f"the stream ends after {_count(reply['cut_after'], 'byte')}"
    if "error_after" in reply:
        yield f"the stream ends in an error after {_count(reply['error_after'], 'event')}"
    if "piece" in reply:
        yield f"in pieces of {_count(reply['piece'], 'byte')}"


def _prompt_words(prompt: object) -> str:
    """What the user says; of a block that is no text its kind."""
    if isinstance(prompt, str):
        return prompt
    blocks = [mapping(block) for block in items(prompt)]
    return " ".join(value_words(block["text"]) if "text" in block else f"[{block.get('type')}]" for block in blocks)


def _planned(case: Case) -> Iterator[Row]:
    """The calls that the script asks for, and what the stubs do for them."""
    stubs = StubBook(case.scenario().tools)
    turn = 0
    for prompt, step in enumerate(case.document["conversation"], 1):
        script = step.get("script", ())
        for place, reply in enumerate(script, 1):
            turn += "content" in reply or "text" in reply
            calls = [block for block in map(mapping, items(reply.get("content"))) if block.get("type") == "tool_use"]
            for block in calls:
                name, given = str(block["name"]), block["input"]
                call = f"{name} {value_words(given)}"
                yield Row(prompt, place, turn, call, _plan(stubs, name, given), "not known")
            if not calls:
                yield Row(prompt, place, turn if "http_error" not in reply and "reset" not in reply else 0)
        if not script:
            yield Row(prompt, 1, turn + 1)  # the closing text, which nothing is to be said of
            turn += 1


def _plan(stubs: StubBook, name: str, given: object) -> str:
    try:
        outcome = stubs.outcome(name, given)
    except UnknownToolError:
        return "there is none"
    except NoStubError:
        return ""
    return _outcome_words(outcome)


def _outcome_words(outcome: Outcome) -> str:
    match outcome:
        case Raises(type=kind):
            return f"raises {kind}"
        case Returns(value=value):
            return f"returns {value_words(value)}"
        case Garbage(kind=kind):
            return f"returns {kind}"
        case Blocks():
            return "returns content blocks"
        case Exits():
            return "ends the process"
        case Hangs(seconds=seconds):
            return f"hangs {seconds:g} s"
    return type(outcome).__name__.lower()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
