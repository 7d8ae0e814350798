from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.transcript.build import (
    Json,
    assistant,
    body,
    call,
    exchange,
    loop,
    nested,
    reply,
    result,
    text,
    transcript,
    user,
)
from toolreplay.cassette.reading import NotARecording, UnreadableError
from toolreplay.transcript.model import Tokens, Transcript
from toolreplay.transcript.read import Asked, read_transcript
from toolreplay.transcript.read import transcript as read
from toolreplay.wire.messages import parse_request

CONVERSE: Final = "https://bedrock-runtime.us-east-1.amazonaws.com/model/claude/converse"
ASK: Final = user("Weather?")
CALLS: Final = assistant(call("t1", city="Oslo"))
RESULTS: Final = user([result("t1", "18")])
ASKED: Final = exchange(body(ASK), reply(CALLS, 1, "tool_use"))
OVERLOADED: Final = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def outline(found: Transcript) -> list[list[str]]:
    """A list for each conversation, a line for each turn: exchange, new messages, said ones, answer, calls."""
    lines: list[list[str]] = []
    for conversation in found.conversations:
        lines.append([])
        for turn in conversation.turns:
            answer = f"{turn.error.status} {turn.error.message}" if turn.error else turn.stop_reason or "none"
            calls = [f"{one.use.id}={one.result.text if one.result else None}@{one.answered}" for one in turn.calls]
            new, said = ("".join(message.role[0] for message in some) for some in (turn.new, turn.said))
            words = [f"{turn.number}:{turn.exchange}", new, said, answer, *calls, *["rewritten"] * turn.rewritten]
            lines[-1].append(" ".join(words))
    return lines


@dataclass(frozen=True)
class Case:
    id: str
    exchanges: tuple[Json, ...]
    outline: list[list[str]]
    counts: tuple[int, int] = (0, 0)


CASES: Final = (
    Case("a loop", tuple(loop()), [["1:0 u u tool_use t1=18@2 t2=no such city@2", "2:1 au u end_turn"]]),
    Case(
        "two conversations, one after the other",
        (ASKED, exchange(body(user("And you?")), reply(assistant(text("Fine.")), 2))),
        [["1:0 u u tool_use t1=None@None"], ["1:1 u u end_turn"]],
    ),
    Case(
        "two conversations at a time",
        (
            ASKED,
            exchange(body(user("And you?")), reply(assistant(text("Fine.")), 2)),
            exchange(body(ASK, CALLS, RESULTS), reply(assistant(text("18.")), 3)),
        ),
        [["1:0 u u tool_use t1=18@2", "2:2 au u end_turn"], ["1:1 u u end_turn"]],
    ),
    Case(
        "a retry after an error",
        (exchange(body(ASK), OVERLOADED, status=529), ASKED),
        [["1:0 u u 529 Overloaded", "2:1   tool_use t1=None@None"]],
    ),
    Case(
        "an id that is used again",
        (
            ASKED,
            exchange(body(ASK, CALLS, RESULTS), reply(CALLS, 2, "tool_use")),
            exchange(body(ASK, CALLS, RESULTS, CALLS, user([result("t1", "19")])), reply(assistant(text("Ok.")), 3)),
        ),
        [["1:0 u u tool_use t1=18@2", "2:1 au u tool_use t1=19@3", "3:2 au u end_turn"]],
    ),
    Case(
        "a reply that was altered",
        (ASKED, exchange(body(ASK, assistant(text("Hm."), call("t1", city="Oslo")), RESULTS), reply(CALLS, 2))),
        [["1:0 u u tool_use t1=18@2", "2:1 au au end_turn t1=None@None"]],
    ),
    Case(
        "a history that was changed in its beginning",
        (ASKED, exchange(body(user("Rain?"), CALLS, RESULTS), reply(assistant(text("18.")), 2))),
        [["1:0 u u tool_use t1=18@2", "2:1 uau uau end_turn rewritten"]],
    ),
    Case(
        "a cache mark that moves",
        (
            exchange(body(user([{**text("Weather?"), "cache_control": {}}])), ASKED["response"]["body"]),
            exchange(body(ASK, CALLS, RESULTS), reply(assistant(text("18.")), 2)),
        ),
        [["1:0 u u tool_use t1=18@2", "2:1 au u end_turn"]],
    ),
    Case(
        "a thread",
        (
            exchange(body(ASK, thread={"type": "start"}), reply(CALLS, 1, "tool_use")),
            exchange(body(RESULTS, thread={"type": "continue", "previous_message_id": "msg_1"}), reply(assistant(), 2)),
        ),
        [["1:0 u u tool_use t1=18@2", "2:1 u u end_turn"]],
    ),
    Case(
        "traffic that is no turn",
        (
            exchange({}, "", url="https://example.com/health"),
            exchange(body(ASK), {"input_tokens": 5}, url="https://api.anthropic.com/v1/messages/count_tokens"),
            ASKED,
        ),
        [["1:2 u u tool_use t1=None@None"]],
        counts=(1, 1),
    ),
    Case("no answer that can be read", (exchange(body(ASK), "damaged"),), [["1:0 u u none"]]),
    Case("nothing of a model", (exchange({}, "", url="https://example.com/health"),), [], counts=(0, 1)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_recording_is_read_as_conversations(case: Case) -> None:
    found = transcript(*case.exchanges)
    assert (outline(found), (found.counted, found.others)) == (case.outline, case.counts)


def test_a_conversation_knows_what_its_requests_set() -> None:
    (found,) = transcript(*loop(system="Be brief.")).conversations
    assert (found.number, found.model, found.wire, found.system) == (1, "m", "messages", "Be brief.")
    assert [tool.name for tool in found.tools] == ["get_weather"]
    assert [message.content for message in found.prompts] == ["Weather?"]
    assert [one.use.input for one in found.calls] == [{"city": "Oslo"}, {"city": "Atlantis"}]
    assert found.history_known


def test_a_text_beside_results_is_no_prompt() -> None:
    answers = user([result("t1", "18"), text("Be quick.")])
    found = transcript(ASKED, exchange(body(ASK, CALLS, answers, user("And Rome?")), reply(assistant(text("18.")), 2)))
    assert [message.content for message in found.conversations[0].prompts] == ["Weather?", "And Rome?"]


def test_tokens_are_added_up() -> None:
    found = transcript(*loop(), exchange(body(user("Hi")), OVERLOADED, status=529))
    assert [turn.tokens for turn in found.turns] == [Tokens(10, 5, 3, 0), Tokens(10, 5, 3, 0), None]
    assert (found.tokens, found.tokens.all_input) == (Tokens(20, 10, 6, 0), 26)


def test_converse_is_read_too() -> None:
    use = {"toolUse": {"toolUseId": "t1", "name": "get_weather", "input": {"city": "Oslo"}}}
    failed = {"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"text": "no such city"}]}}
    messages: list[Json] = [user([{"text": "Weather?"}]), assistant(use), user([failed])]
    usage = {"inputTokens": 7, "outputTokens": 2, "cacheWriteInputTokens": 1}
    replies = [
        {"output": {"message": message}, "stopReason": stop, "usage": usage}
        for message, stop in ((messages[1], "tool_use"), (assistant({"text": "No."}), "end_turn"))
    ]
    found = transcript(
        exchange({"messages": messages[:1], "system": [{"text": "Be brief."}]}, replies[0], url=CONVERSE),
        exchange({"messages": messages, "system": [{"text": "Be brief."}]}, replies[1], url=CONVERSE),
    )
    assert outline(found) == [["1:0 u u tool_use t1=no such city@2", "2:1 au u end_turn"]]
    (conversation,) = found.conversations
    assert (conversation.model, conversation.wire, conversation.tokens) == ("claude", "converse", Tokens(14, 4, 0, 2))


def test_a_thread_whose_beginning_is_missing_is_told() -> None:
    go_on = {"type": "continue", "previous_message_id": "msg_gone"}
    (found,) = transcript(exchange(body(RESULTS, thread=go_on), reply(assistant(), 2))).conversations
    assert not found.history_known


def test_a_body_that_is_nested_deeper_than_python_compares_is_told() -> None:
    asked = [
        Asked(0, parse_request(body(user(nested()))), None),
        Asked(1, parse_request(body(user(nested()))), None, 7),
    ]
    with pytest.raises(UnreadableError) as caught:
        read("a.json", asked)
    assert str(caught.value) == "a.json:7: is nested too deeply"


def test_a_file_that_is_no_recording_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("version: 1\nname: a scenario\n")
    with pytest.raises(NotARecording):
        read_transcript(path)
