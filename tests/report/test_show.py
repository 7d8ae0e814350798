from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import pytest

from tests.transcript.build import (
    TOOLS,
    Json,
    assistant,
    body,
    call,
    exchange,
    loop,
    reply,
    result,
    text,
    transcript,
    user,
)
from toolreplay.contract.finding import Finding, Severity
from toolreplay.linter import Located
from toolreplay.report.lines import Line, rendered
from toolreplay.report.show_json import show_json
from toolreplay.report.show_text import show_lines

FOUND: Final = Finding("TR402", "roles", Severity.WARNING, "messages[2]", "two\nlines", "fix it")
ASK: Final = user("Hi")
HELLO: Final = exchange(body(ASK), reply(assistant(text("Hello."))))
HEAD: Final = ["conversation 1: m, messages wire", "  tools: get_weather", "", "turn 1, exchange 0", "  user: Hi"]


def shown(*exchanges: Json, findings: tuple[Located, ...] = (), full: bool = False) -> list[str]:
    return "".join(rendered(show_lines(transcript(*exchanges), findings, full=full))).splitlines()


def test_a_loop_is_shown_with_its_calls_results_and_findings() -> None:
    findings = (Located(FOUND, "a.json", 1), Located(FOUND, "a.json", 7))
    assert shown(*loop(system=[text("Be\nbrief.")]), findings=findings) == [
        "a.json: 1 conversation, 2 turns, 2 calls, 26 tokens in (6 from the cache), 10 out",
        "",
        "conversation 1: m, messages wire",
        "  system: Be",
        "    brief.",
        "  tools: get_weather",
        "",
        "turn 1, exchange 0",
        "  user: Weather?",
        "  assistant: Let me look.",
        '  call: get_weather {"city": "Oslo"}  (t1)',
        "    result: 18",
        '  call: get_weather {"city": "Atlantis"}  (t2)',
        "    error: no such city",
        "  stop: tool_use; 13 tokens in (3 from the cache), 5 out",
        "",
        "turn 2, exchange 1",
        "  assistant: 18 in Oslo.",
        "  stop: end_turn; 13 tokens in (3 from the cache), 5 out",
        "  warning TR402 roles: messages[2]: two\\nlines",
        "",
        "exchange 7: warning TR402 roles: messages[2]: two\\nlines",
    ]


def test_conversations_stand_apart_and_other_traffic_is_counted() -> None:
    other = exchange(body(user("And you?"), model=None, tools=None), reply(assistant(), stop="refusal"))
    counts = exchange(body(ASK), {"input_tokens": 5}, url="https://api.anthropic.com/v1/messages/count_tokens")
    assert shown(HELLO, other, counts, exchange({}, "", url="https://example.com")) == [
        "a.json: 2 conversations, 2 turns, 0 calls, 0 tokens in, 0 out, 1 count of tokens, 1 exchange of another kind",
        "",
        "conversation 1: m, messages wire, 1 turn, 0 tokens in, 0 out",
        *HEAD[1:],
        "  assistant: Hello.",
        "  stop: end_turn",
        "",
        "conversation 2: no model named, messages wire, 1 turn, 0 tokens in, 0 out",
        "",
        "turn 1, exchange 1",
        "  user: And you?",
        "  stop: refusal",
    ]


@dataclass(frozen=True)
class Case:
    """The last of some exchanges, and the lines of its turn."""

    id: str
    exchanges: tuple[Json, ...]
    lines: list[str]


NOTHING: Final = assistant()
CALLS: Final = assistant(call("t1", city="Oslo"))
IMAGE: Final[Json] = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGkK"}}
THOUGHT: Final[Json] = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
SEARCH: Final[Json] = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
CASES: Final = (
    Case(
        "an error of the API",
        (exchange(body(ASK), {"type": "error", "error": {"type": "api_error", "message": "Oh."}}, status=500),),
        ["  user: Hi", "  error: 500 api_error: Oh."],
    ),
    Case("no answer", (exchange(body(ASK), "damaged"),), ["  user: Hi", "  no answer that can be read was recorded"]),
    Case("a retry", (HELLO, HELLO), ["  the same request again", "  assistant: Hello.", "  stop: end_turn"]),
    Case(
        "a stream that was cut",
        (exchange(body(ASK), 'event: message_start\ndata: {"type": "message_start", "message": {"content": []}}\n\n'),),
        ["  user: Hi", "  the stream was cut off; stop: no reason"],
    ),
    Case(
        "a call without a result",
        (exchange(body(ASK), reply(CALLS)),),
        ["  user: Hi", '  call: get_weather {"city": "Oslo"}  (t1)', "    no result", "  stop: end_turn"],
    ),
    Case(
        "results of a history and of nothing",
        (exchange(body(ASK, CALLS, user([result("t1", "18"), result("t9", "19", is_error=True)])), reply(NOTHING)),),
        [
            "  user: Hi",
            '  call: get_weather {"city": "Oslo"}  (t1)',
            "  result of get_weather for Oslo: 18",
            "  error for t9: 19",
            "  stop: end_turn",
        ],
    ),
    Case(
        "a history that was changed",
        (
            exchange(body(ASK), reply(CALLS)),
            exchange(body(user("Ho"), CALLS, user([result("t1", "18")])), reply(assistant(text("A"), text("B")))),
        ),
        [
            "  the history was changed from messages[0] on",
            "  user: Ho",
            '  call: get_weather {"city": "Oslo"}  (t1)',
            "  result of get_weather for Oslo: 18",
            "  assistant: AB",
            "  stop: end_turn",
        ],
    ),
    Case(
        "a reply that was altered",
        (HELLO, exchange(body(ASK, assistant(text("Ho.")), user("Go on.")), reply(assistant()))),
        ["  assistant, in the request: Ho.", "  user: Go on.", "  stop: end_turn"],
    ),
    Case(
        "blocks of other kinds",
        (exchange(body(user([IMAGE, 5]), {"content": "x"}), reply(assistant(THOUGHT, SEARCH))),),
        [
            "  user, image: [image image/png, 3 bytes]",
            "  user, unknown block: 5",
            "  no role: x",
            "  thinking: Hm.",
            '  assistant, server_tool_use: web_search {"query": "x"}',
            "  stop: end_turn",
        ],
    ),
    Case(
        "what a terminal would act upon",
        (exchange(body(user("\x1b[31mred\rover\r\n\tset in\u202e")), reply(assistant(), stop="\x07")),),
        ["  user: \\x1b[31mred\\rover", "        set in\\u202e", "  stop: \\x07"],
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_turn_is_shown(case: Case) -> None:
    lines = shown(*case.exchanges)
    start = max(index for index, line in enumerate(lines) if line.startswith("turn "))
    assert lines[start + 1 :] == case.lines


def test_a_thread_without_its_beginning_is_told() -> None:
    thread = {"type": "continue", "previous_message_id": "gone"}
    assert shown(exchange(body(ASK, thread=thread), reply(assistant())))[3] == (
        "  it goes on from a reply that the file does not hold"
    )


def test_long_texts_are_cut_unless_all_is_asked_for() -> None:
    long = exchange(body(user("x" * 1500)), reply(assistant()))
    assert shown(long)[6:8] == [f"  user: {'x' * 400}", "    … 1,100 more characters; --full shows all"]
    assert shown(long, full=True)[6:8] == [f"  user: {'x' * 1500}", "  stop: end_turn"]


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    line = Line("[red]no markup[/red] :smile: 12", "red")
    assert list(rendered([line])) == ["[red]no markup[/red] :smile: 12\n"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert list(rendered([line])) == ["\x1b[31m[red]no markup[/red] :smile: 12\x1b[0m\n"]


def as_json(*exchanges: Json, findings: tuple[Located, ...] = ()) -> Json:
    found: Json = json.loads(json.dumps(show_json(transcript(*exchanges), findings)))
    return found


def test_the_same_as_json() -> None:
    found = as_json(*loop(), findings=(Located(FOUND, "a.json", 1), Located(FOUND, "a.json", 7)))
    (conversation,) = found.pop("conversations")
    told = {
        "exchange": 7,
        "code": "TR402",
        "name": "roles",
        "severity": "warning",
        "path": "messages[2]",
        "message": "two\nlines",
        "fix": "fix it",
        "api": None,
    }
    tokens = {"input": 10, "output": 5, "cache_read": 3, "cache_write": 0}
    sums = {name: 2 * count for name, count in tokens.items()}
    assert found == {"file": "a.json", "counted": 0, "others": 0, "tokens": sums, "findings": [told]}
    first, second = conversation.pop("turns")
    assert conversation == {
        "number": 1,
        "model": "m",
        "wire": "messages",
        "system": None,
        "tools": [TOOLS[0]["name"]],
        "history_known": True,
        "tokens": sums,
    }
    assert first["calls"] == [
        {
            "id": "t1",
            "name": "get_weather",
            "input": {"city": "Oslo"},
            "result": {"turn": 2, "status": "success", "content": "18"},
        },
        {
            "id": "t2",
            "name": "get_weather",
            "input": {"city": "Atlantis"},
            "result": {"turn": 2, "status": "error", "content": "no such city"},
        },
    ]
    assert second == {
        "turn": 2,
        "exchange": 1,
        "rewritten": False,
        "messages": [loop()[1]["request"]["body"]["messages"][2]],
        "reply": {"content": [text("18 in Oslo.")], "stop_reason": "end_turn"},
        "complete": True,
        "error": None,
        "calls": [],
        "tokens": tokens,
        "findings": [{**told, "exchange": 1}],
    }


def test_errors_and_what_is_missing_as_json() -> None:
    failed = exchange(body(ASK), {"type": "error", "error": {"type": "api_error", "message": "Oh."}}, status=500)
    use = {"type": "tool_use", "id": "t1", "name": "f"}
    (conversation,) = as_json(failed, exchange(body(ASK), reply(assistant(use))))["conversations"]
    first, second = conversation["turns"]
    assert (first["reply"], first["complete"], first["error"], first["tokens"]) == (
        None,
        False,
        {"status": 500, "type": "api_error", "message": "Oh."},
        None,
    )
    assert second["calls"] == [{"id": "t1", "name": "f", "input": None, "result": None}]
