"""A recorded conversation as a scenario: stubs return what was recorded, and expectations say what came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolreplay.cassette.recording import Recording
from toolreplay.errors import CassetteError
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.forms import wants_stream
from toolreplay.wire.mapping import UnmappableError
from toolreplay.wire.model import Message, ToolResult, ToolUse, Wire

from .asked import content_of, history_of, request_fields, tool_definitions
from .losses import losses
from .model import Call, Conversation, Transcript, Turn
from .playable import Playable, Prompt, playable
from .read import recorded_transcript
from .stubbed import Tools, excerpt, expected_call, stub_entries, tools_of

_FORCED: Final = ("any", "tool")
_MAX_TURNS: Final = 20  # of a scenario that does not say


@dataclass(frozen=True, slots=True)
class Draft:
    """A scenario that plays a recorded conversation.

    Attributes:
        fields: the scenario as a file has it.
        conversation: which of the recording's, from 1.
        exchanges: the exchanges that it plays, by their index in the recording.
        turns: how many the conversation has.
        notes: what of the recording is not in it, and where the loop has to be stopped, a line each.
    """

    fields: dict[str, Any]
    conversation: int
    exchanges: tuple[int, ...]
    turns: int
    notes: tuple[str, ...]


def draft(recording: Recording, name: str, *, number: int | None = None, wire: Wire | None = None) -> Draft:
    """Draft a scenario from one conversation of a recording.

    Args:
        name: the scenario's.
        number: of the conversation, from 1; by default the longest one with tools.
        wire: only conversations on this wire.

    Raises:
        CassetteError: the recording has no such conversation, or nothing of it can be played.
    """
    transcript = recorded_transcript(recording)
    conversation = _chosen(transcript, number, wire)
    found = playable(conversation)
    where = f"{recording.file}: conversation {conversation.number}"
    other = "take another one with --conversation" if len(transcript.conversations) > 1 else "record it anew"
    if not found.prompts:
        raise CassetteError(f"{where} cannot be played ({found.notes[0]}); {other}")
    turns = [turn for prompt in found.prompts for turn in prompt.turns]
    try:
        calls = _calls(found, turns)
        fields = _fields(name, found, calls, stream=_streams(recording, turns[0].exchange))
    except UnmappableError as error:
        raise CassetteError(f"{where} cannot be a scenario ({error}); {other}") from None
    notes = [*found.notes, *losses(turns[0].request, calls)]
    others = len(transcript.conversations) - 1
    if others:
        notes.append(f"left out: {others} other conversation{'s' if others > 1 else ''}; take one with --conversation")
    exchanges = tuple(turn.exchange for turn in turns)
    return Draft(fields, conversation.number, exchanges, len(conversation.turns), tuple(notes))


def _chosen(transcript: Transcript, number: int | None, wire: Wire | None) -> Conversation:
    """The conversation of that number; else the longest one with tools."""
    on_wire = [one for one in transcript.conversations if wire in (None, one.wire)]
    found = [one for one in on_wire if number in (None, one.number)]
    if not found:
        held = ", ".join(f"{one.number} ({one.wire.value}, {len(one.turns)} turns)" for one in on_wire) or "none"
        said = "no conversation" if number is None else f"no conversation {number}"
        raise CassetteError(f"{transcript.file}: holds {said} to draft a scenario from; it has: {held}")
    return max(found, key=lambda one: (one.history_known, sum(bool(turn.calls) for turn in one.turns), len(one.turns)))


def _streams(recording: Recording, exchange: int) -> bool:
    http = next(one.request for one in recording.interactions if one.index == exchange)
    call = endpoint(http.method, http.url)
    return call is not None and wants_stream(call, http)


def _fields(name: str, found: Playable, calls: Sequence[Call], *, stream: bool) -> dict[str, Any]:
    turns = [turn for prompt in found.prompts for turn in prompt.turns]
    first = turns[0].request
    definitions = tool_definitions(turn.request for turn in turns)
    tools = tools_of(definitions, first.wire)
    fields = {"version": 1, "name": name, **request_fields(first, stream=stream)}
    if _is_contradicted(fields.get("tool_choice"), found.prompts):
        del fields["tool_choice"]
    fields["tools"] = [_with_stub(tool, calls, tools) for tool in definitions]
    fields["history"] = history_of(found.history, first.wire)
    fields["conversation"] = [_step(prompt, found, tools) for prompt in found.prompts]
    most = max(len(prompt.turns) for prompt in found.prompts)
    if found.prompts[-1].is_open or most > _MAX_TURNS:
        fields["max_turns"] = most
    return {field: value for field, value in fields.items() if value not in ([], ())}


def _is_contradicted(choice: Any, prompts: Sequence[Prompt]) -> bool:
    """Whether a recorded reply that begins a prompt makes no call, although the first request forces one."""
    if not isinstance(choice, dict) or choice.get("type") not in _FORCED:
        return False
    return any(not prompt.turns[0].calls for prompt in prompts)


def _calls(found: Playable, turns: Sequence[Turn]) -> list[Call]:
    """The calls that stubs answer, in order."""
    opening = _opening_calls(found, turns[0].request.messages)
    return [*opening, *(call for turn in turns for call in turn.calls)]


def _opening_calls(found: Playable, messages: Sequence[Message]) -> Iterator[Call]:
    """The calls at the end of the history, with the results that the first request sent for them."""
    if not found.prompts[0].messages:
        after = [block for message in messages[len(found.history) :] for block in message.blocks]
        results = {block.id: block for block in after if isinstance(block, ToolResult)}
        for block in found.history[-1].blocks:
            if isinstance(block, ToolUse):
                if block.id not in results:
                    raise UnmappableError(f"it begins with results, and none is that of {block.id}")
                yield Call(block, results[block.id])


def _with_stub(tool: dict[str, Any], calls: Sequence[Call], tools: Tools) -> dict[str, Any]:
    entries = stub_entries([call for call in calls if call.use.name == tool.get("name")], tools)
    return {**tool, "stub": entries} if entries else tool


def _step(prompt: Prompt, found: Playable, tools: Tools) -> dict[str, Any]:
    wire = prompt.turns[0].request.wire
    expect = {"expect": _expected(prompt, tools)}
    if prompt.messages:
        return {"user": content_of(prompt.messages, wire), **expect}
    names = [block.name for block in found.history[-1].blocks if isinstance(block, ToolUse)]
    known = [name for name in names if name in tools.arguments]
    if not known:
        raise UnmappableError(f"it begins with the results of {names[0]}, which is none of its tools")
    return {"approve": dict.fromkeys(known, "allow"), **expect}


def _expected(prompt: Prompt, tools: Tools) -> dict[str, Any]:
    last = prompt.turns[-1]
    calls = [expected_call(call, tools) for turn in prompt.turns[:-1] for call in turn.calls]
    # What the last reply asks for was not run: the loop was stopped, or the reply was cut.
    not_run = [expected_call(replace(call, result=None), tools) for call in last.calls]
    found: dict[str, Any] = {
        "tool_calls": [*calls, *({**call, "result": {"ran": False}} for call in not_run)],
        "turns": len(prompt.turns),
        "stop_reason": last.stop_reason,
    }
    said = excerpt(last.reply.text if last.reply is not None else "")
    return {**found, "final_text": {"contains": said}} if said else found
