"""The JSON of `show --format json`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from toolreplay.linter import Located
from toolreplay.transcript.model import Call, Conversation, Transcript, Turn
from toolreplay.wire.model import Missing

from .show_text import by_exchange


def show_json(transcript: Transcript, findings: Sequence[Located]) -> dict[str, object]:
    """`{"file", "conversations", "counted", "others", "tokens", "findings"}`.

    `findings` at the top are those of exchanges that are no turn; the others stand in their turns.
    """
    left = by_exchange(findings)  # the turns take theirs out
    conversations = [_conversation(one, left) for one in transcript.conversations]
    return {
        "file": transcript.file,
        "conversations": conversations,
        "counted": transcript.counted,
        "others": transcript.others,
        "tokens": dataclasses.asdict(transcript.tokens),
        "findings": [_finding(one) for others in left.values() for one in others],
    }


def _conversation(conversation: Conversation, findings: dict[int, list[Located]]) -> dict[str, object]:
    return {
        "number": conversation.number,
        "model": conversation.model,
        "wire": conversation.wire,
        "system": conversation.system,
        "tools": [tool.name for tool in conversation.tools],
        "history_known": conversation.history_known,
        "tokens": dataclasses.asdict(conversation.tokens),
        "turns": [_turn(turn, findings.pop(turn.exchange, [])) for turn in conversation.turns],
    }


def _turn(turn: Turn, findings: Sequence[Located]) -> dict[str, object]:
    reply, error = turn.reply, turn.error
    return {
        "turn": turn.number,
        "exchange": turn.exchange,
        "rewritten": turn.rewritten,
        "messages": [message.raw for message in turn.said],
        "reply": None if reply is None else {"content": list(reply.content), "stop_reason": reply.stop_reason},
        "complete": reply is not None and reply.complete,
        "error": None if error is None else {"status": error.status, "type": error.type, "message": error.message},
        "calls": [_call(call) for call in turn.calls],
        "tokens": None if turn.tokens is None else dataclasses.asdict(turn.tokens),
        "findings": [_finding(one) for one in findings],
    }


def _call(call: Call) -> dict[str, object]:
    result = call.result
    return {
        "id": call.use.id,
        "name": call.use.name,
        "input": _present(call.use.input),
        "result": None
        if result is None
        else {
            "turn": call.answered,
            "status": "error" if result.is_error else "success",
            "content": _present(result.content),
        },
    }


def _present(value: object) -> object:
    return None if isinstance(value, Missing) else value


def _finding(located: Located) -> dict[str, object]:
    return {"exchange": located.exchange, **dataclasses.asdict(located.finding)}
