from __future__ import annotations

import pytest

from .build import (
    ASK,
    Case,
    Json,
    assistant,
    brief,
    followed,
    result,
    server_result,
    server_use,
    text,
    use,
    user,
)

CASES = [
    Case("whole", [ASK, assistant(server_use(), server_result(), text("So.")), user("More")], []),
    Case(
        "a result without its call",
        [ASK, assistant(server_result(), text("So.")), user("More")],
        ["TR409 error messages[1].content[0]"],
    ),
    Case(
        "a result before its call",
        [ASK, assistant(server_result(), server_use()), user("More")],
        ["TR409 error messages[1].content[0]"],
    ),
    Case(
        "a result a turn later",
        [
            ASK,
            assistant(server_use(), use()),
            user(result()),
            assistant(server_result(), text("So.")),
            user("More"),
        ],
        [],
    ),
    Case(
        "a call without its result",
        [ASK, assistant(server_use(), text("So.")), user("More")],
        ["TR410 error messages[1].content[0]"],
    ),
    Case(
        "two calls, one result",
        [
            ASK,
            assistant(server_use("srvtoolu_1"), server_use("srvtoolu_2"), server_result("srvtoolu_2")),
            user("More"),
        ],
        ["TR410 error messages[1].content[0]"],
    ),
    Case(
        "an MCP call without its result",
        [ASK, assistant(server_use("mcp_1", kind="mcp_tool_use")), user("More")],
        ["TR410 error messages[1].content[0]"],
    ),
    Case("open at the end", [ASK, assistant(server_use())], []),
    Case("open beside a client call", [ASK, assistant(server_use(), use()), user(result())], []),
    Case(
        "answered by the client",
        [ASK, assistant(server_use()), user(result("srvtoolu_1"))],
        ["TR107 error messages[2].content[0]"],
    ),
    Case("a thread goes on", [ASK, assistant(server_use(), server_result()), user("More")], []),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_server_tools(case: Case) -> None:
    assert brief(case.findings()) == case.found


def test_words() -> None:
    (orphan,) = Case("", [ASK, assistant(server_result()), user("More")], []).findings()
    assert orphan.message == "web_search_tool_result for srvtoolu_1, which no call before it has"
    assert orphan.api == (
        "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: "
        "srvtoolu_1. "
        "Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it."
    )
    (unanswered,) = Case("", [ASK, assistant(server_use()), user("More")], []).findings()
    assert unanswered.api == (
        "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block"
    )


FIRST: Json = {"messages": [ASK]}
PAUSED: Json = {"id": "msg_1", "stop_reason": "pause_turn", "content": [text("Let me look."), server_use()]}


def after(*messages: Json) -> Json:
    return {"messages": [ASK, *messages]}


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (after(assistant(text("Let me look."), server_use())), []),
        (
            after(assistant(text("Let me look."), {**server_use(), "cache_control": {"type": "ephemeral"}})),
            [],
        ),
        (after(assistant(text("Let me look."))), ["TR411 warning messages[1]"]),
        (after(), ["TR411 warning messages"]),
        (after(user("continue")), ["TR402 info messages[1]", "TR411 warning messages[1]"]),
        (
            after(assistant(text("Let me look."), server_use()), user("continue")),
            ["TR410 error messages[1].content[1]", "TR411 warning messages[2]"],
        ),
    ],
    ids=[
        "as it was",
        "with a breakpoint",
        "altered",
        "sent again without it",
        "left out",
        "with a message more",
    ],
)
def test_a_paused_turn(sent: Json, found: list[str]) -> None:
    assert brief(followed(FIRST, PAUSED, sent)) == found


def test_a_paused_turn_of_a_thread() -> None:
    thread = {"type": "continue", "previous_message_id": "msg_1"}
    assert followed(FIRST, PAUSED, {"thread": thread, "messages": []}) == []
    found = followed(FIRST, PAUSED, {"thread": thread, "messages": [user("continue")]})
    assert "TR411 warning messages[0]" in brief(found)


def test_a_resumed_turn_may_be_merged_into_the_paused_one() -> None:
    from toolreplay.contract.conversations import Conversations
    from toolreplay.wire.messages import parse_reply, parse_request

    conversations = Conversations()
    first = conversations.judge(parse_request(FIRST))
    conversations.served(first, parse_reply(PAUSED))
    second = conversations.judge(parse_request(after(assistant(text("Let me look."), server_use()))))
    resumed = {"stop_reason": "end_turn", "content": [server_result(), text("So.")]}
    conversations.served(second, parse_reply(resumed))
    merged = assistant(text("Let me look."), server_use(), server_result(), text("So."))
    third = conversations.judge(parse_request(after(merged, user("More"))))
    assert third.findings == ()
    assert third.conversation is first.conversation
