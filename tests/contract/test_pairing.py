from __future__ import annotations

import pytest

from toolreplay.contract.entry import check
from toolreplay.contract.finding import Finding, Severity

from .build import (
    ASK,
    C_ASK,
    Case,
    assistant,
    brief,
    but_neighbours,
    c_result,
    c_text,
    c_use,
    result,
    server_use,
    system,
    text,
    use,
    user,
)

TWO = assistant(use("toolu_1"), use("toolu_2"))
C_TWO = assistant(c_use("tooluse_1"), c_use("tooluse_2"))

CASES = [
    Case("answered", [ASK, assistant(use()), user(result())], []),
    Case("answered in another order", [ASK, TWO, user(result("toolu_2"), result("toolu_1"))], []),
    Case("no answer", [ASK, assistant(use()), user("And?")], ["TR101 error messages[1].content[0]"]),
    Case(
        "none of two",
        [ASK, TWO, user("And?")],
        ["TR101 error messages[1].content[0]", "TR101 error messages[1].content[1]"],
    ),
    Case("one of two", [ASK, TWO, user(result("toolu_1"))], ["TR101 error messages[1].content[1]"]),
    Case(
        "the pair deep in the history",
        [ASK, assistant(use()), user("And?"), assistant("Hm."), user("Again.")],
        ["TR101 error messages[1].content[0]"],
    ),
    Case(
        "a deferred result",
        [ASK, assistant(use()), user("Wait."), assistant("I do."), user(result())],
        ["TR101 error messages[1].content[0]", "TR102 error messages[4].content[0]"],
    ),
    Case(
        "a system message in place of the results",
        [ASK, assistant(use()), system("Be brief.")],
        ["TR101 error messages[1].content[0]", "TR405 error messages[2]"],
    ),
    Case(
        "neighbouring assistant messages are one turn",
        [
            ASK,
            assistant(use("toolu_1")),
            assistant(use("toolu_2")),
            user(result("toolu_1"), result("toolu_2")),
        ],
        ["TR402 info messages[2]"],
    ),
    Case(
        "a wrong id",
        [ASK, assistant(use()), user(result("toolu_9"))],
        ["TR101 error messages[1].content[0]", "TR102 error messages[2].content[0]"],
    ),
    Case("an orphan", [ASK, assistant("Sun."), user(result())], ["TR102 error messages[2].content[0]"]),
    Case("an orphan at the start", [user(result())], ["TR102 error messages[0].content[0]"]),
    Case(
        "an orphan in a neighbour",
        [user("Sum."), user(result()), assistant("Fog."), user("Thanks")],
        ["TR102 error messages[1].content[0]", "TR402 info messages[1]"],
    ),
    Case(
        "an orphan beside text is no matter of order",
        [ASK, assistant("Sun."), user(text("so:"), result(), text("status?"))],
        ["TR102 error messages[2].content[1]"],
    ),
    Case(
        "a result without an id",
        [ASK, assistant(use()), user(result(None))],
        ["TR101 error messages[1].content[0]", "TR102 error messages[2].content[0]"],
    ),
    Case(
        "a call that lost its id leaves its result alone",
        [ASK, assistant(use(None)), user(result())],
        ["TR202 error messages[1].content[0].id"],
    ),
    Case(
        "two results",
        [ASK, assistant(use()), user(result(), result(content="fog"))],
        ["TR103 error messages[2].content[1]"],
    ),
    Case(
        "the second result in the next message",
        [ASK, assistant(use()), user(result()), user(result())],
        ["TR103 error messages[3].content[0]", "TR402 info messages[3]"],
    ),
    Case(
        "the second result a turn later",
        [ASK, assistant(use()), user(result()), assistant("Rain."), user(result())],
        ["TR102 error messages[4].content[0]"],
    ),
    Case(
        "two results of two calls of one id",
        [ASK, assistant(use(), use()), user(result(), result())],
        ["TR201 error messages[1].content[1]"],
    ),
    Case(
        "a server call answered",
        [ASK, assistant(server_use(), use()), user(result("srvtoolu_1"), result())],
        ["TR107 error messages[2].content[0]"],
    ),
    Case(
        "an MCP call answered",
        [ASK, assistant(server_use("mcp_7", kind="mcp_tool_use")), user(result("mcp_7"))],
        ["TR107 error messages[2].content[0]"],
    ),
    Case(
        "a server call answered that is not there",
        [ASK, assistant("Sun."), user(result("srvtoolu_9"))],
        ["TR107 error messages[2].content[0]"],
    ),
    Case("ends with a call", [ASK, assistant(use())], ["TR109 error messages[1].content[0]"]),
    Case("ends with two calls", [ASK, TWO], ["TR109 error messages[1].content[0]"]),
    Case("ends with a paused turn", [ASK, assistant(server_use())], []),
    Case(
        "ends with a call and a text behind it",
        [ASK, assistant(use()), assistant("Wait.")],
        ["TR109 error messages[1].content[0]", "TR402 info messages[2]"],
    ),
    Case(
        "a result in the assistant message explains the open call",
        [ASK, assistant(use(), result()), user("Thanks")],
        ["TR204 error messages[1].content[1]"],
    ),
    Case(
        "a call in a user message explains its result",
        [user(text("It did:"), use(), result()), assistant("So."), user("Yes")],
        ["TR204 error messages[0].content[1]"],
    ),
    Case("converse, answered", [C_ASK, assistant(c_use()), user(c_result())], [], "converse"),
    Case(
        "converse, one of two",
        [C_ASK, C_TWO, user(c_result("tooluse_1"))],
        ["TR101 error messages[1].content[1]"],
        "converse",
    ),
    Case(
        "converse, an orphan",
        [C_ASK, assistant(c_text("Sun.")), user(c_result())],
        ["TR102 error messages[2].content[0]"],
        "converse",
    ),
    Case(
        "converse, two results",
        [C_ASK, assistant(c_use()), user(c_result(), c_result())],
        ["TR103 error messages[2].content[1]"],
        "converse",
    ),
    Case(
        "converse knows no TR107",
        [C_ASK, assistant(c_text("Sun.")), user(c_result("srvtoolu_1"))],
        ["TR102 error messages[2].content[0]"],
        "converse",
    ),
    Case(
        "converse, ends with a call",
        [C_ASK, assistant(c_use())],
        ["TR109 error messages[1].content[0]"],
        "converse",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pairing(case: Case) -> None:
    assert brief(case.findings()) == case.found


UNANSWERED = (
    "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
ORPHAN = (
    "{}: unexpected `tool_use_id` found in `tool_result` blocks: {}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
DUPLICATE = (
    "messages.2.content.1: each tool_use must have a single result. "
    "Found multiple `tool_result` blocks with id: toolu_1"
)
EXCESS = "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn."
WORDS = [
    (
        Case("both calls in one refusal", [ASK, TWO, user("And?")], []),
        [f"tool_use {call} (weather) has no tool_result in the next user turn" for call in ("toolu_1", "toolu_2")],
        [UNANSWERED.format(1, "toolu_1, toolu_2")] * 2,
    ),
    (
        # The recorded 400 of this shape counts the joined message (anthropic-sdk-python, snapshot f59a9391).
        Case("the API counts joined messages", [user("Hi"), user(result())], []),
        ["tool_result answers toolu_1, which no tool_use of the turn before has"],
        [ORPHAN.format("messages.0.content.1", "toolu_1")],
    ),
    (
        Case("a gateway counts messages", [user("Hi"), user(result())], [], profile="gateway"),
        ["tool_result answers toolu_1, which no tool_use of the turn before has"],
        [ORPHAN.format("messages.1.content.0", "toolu_1")],
    ),
    (
        Case(
            "a late result says where its call was",
            [ASK, assistant(use()), user(result()), assistant("Rain."), user(result())],
            [],
        ),
        ["tool_result answers toolu_1, called at messages[1].content[0], not in the turn before"],
        [ORPHAN.format("messages.4.content.0", "toolu_1")],
    ),
    (
        Case("no id", [ASK, assistant("Sun."), user(result(None))], []),
        ["tool_result has no tool_use_id"],
        ["messages.2.content.0.tool_result.tool_use_id: Field required"],
    ),
    (
        Case("two results", [ASK, assistant(use()), user(result(), result())], []),
        ["a second tool_result for toolu_1, after messages[2].content[0]"],
        [DUPLICATE],
    ),
    (
        Case("a server call", [ASK, assistant("Sun."), user(result("srvtoolu_1"))], []),
        ["tool_result answers srvtoolu_1, a call that the API's side runs"],
        [ORPHAN.format("messages.2.content.0", "srvtoolu_1")],
    ),
    (
        Case("a dangling call", [user("Hi"), user("Weather?"), TWO], []),
        ["the request ends with calls that have no tool_result: toolu_1 (weather), toolu_2 (weather)"],
        [UNANSWERED.format(1, "toolu_1, toolu_2")],
    ),
    (
        Case("converse, no answer", [C_ASK, C_TWO, user(c_result("tooluse_2"))], [], "converse"),
        ["tool_use tooluse_1 (weather) has no tool_result in the next user turn"],
        ["Expected toolResult blocks at messages.2.content for the following Ids: tooluse_1"],
    ),
    (
        Case("converse, too many", [C_ASK, assistant(c_text("Sun.")), user(c_result())], [], "converse"),
        ["tool_result answers tooluse_1, which no tool_use of the turn before has"],
        [EXCESS],
    ),
    (
        Case("converse, twice", [C_ASK, assistant(c_use()), user(c_result(), c_result())], [], "converse"),
        ["a second tool_result for tooluse_1, after messages[2].content[0]"],
        ["The toolResult blocks at messages.2.content contain duplicate Ids: tooluse_1"],
    ),
]


@pytest.mark.parametrize(("case", "messages", "api"), WORDS, ids=str)
def test_words(case: Case, messages: list[str], api: list[str]) -> None:
    findings = but_neighbours(case.findings())
    assert [finding.message for finding in findings] == messages
    assert [finding.api for finding in findings] == api


def test_a_whole_finding() -> None:
    assert check([ASK, assistant(use()), user("And?")]) == [
        Finding(
            code="TR101",
            name="unanswered-tool-use",
            severity=Severity.ERROR,
            path="messages[1].content[0]",
            message="tool_use toolu_1 (weather) has no tool_result in the next user turn",
            fix=(
                "send one tool_result for every tool_use of the turn, in the next user message; a call that "
                "failed, was denied or was interrupted gets one with error status."
            ),
            api=UNANSWERED.format(1, "toolu_1"),
        )
    ]


def test_a_thread_that_goes_on_answers_a_reply_that_is_not_in_its_body() -> None:
    body = {"thread": {"type": "continue", "previous_message_id": "msg_1"}, "messages": [user(result())]}
    assert check(body) == []
    assert brief(check({"messages": [user(result())]})) == ["TR102 error messages[0].content[0]"]


def test_messages_are_one_line_whatever_an_id_holds() -> None:
    (finding, *_) = check([ASK, assistant(use("a\nb" * 50)), user("And?")])[::-1]
    assert "\n" not in finding.message
    assert len(finding.message) < 250
