from __future__ import annotations

from dataclasses import replace

import pytest

from toolreplay.contract.finding import Finding
from toolreplay.contract.fold import check_request
from toolreplay.wire import converse

from .build import (
    ASK,
    C_ASK,
    CACHE_POINT,
    Case,
    Json,
    assistant,
    brief,
    but_neighbours,
    c_result,
    c_text,
    c_use,
    image,
    result,
    server_result,
    server_use,
    system,
    text,
    use,
    user,
)

TWO = assistant(use("toolu_1"), use("toolu_2"))
SPLIT = [ASK, TWO, user(result("toolu_1")), user(result("toolu_2"))]
C_SPLIT = [
    C_ASK,
    assistant(c_use("tooluse_1"), c_use("tooluse_2")),
    user(c_result("tooluse_1")),
    user(c_result("tooluse_2")),
]
BETWEEN = [ASK, assistant(use()), system("Be brief."), user(result())]
BROKEN_UP = [ASK, assistant(use()), assistant("Wait."), user(result())]
LATE = [ASK, assistant(use()), user("So:"), user(result())]
DIRECTIVE: Json = {"role": "system", "content": [], "output_config": {"effort": "low"}}
BY_CODE = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}

CASES = [
    Case(
        "text first",
        [ASK, assistant(use()), user(text("so"), result())],
        ["TR104 error messages[2].content[0]"],
    ),
    Case(
        "image first",
        [ASK, assistant(use()), user(image(), result())],
        ["TR104 error messages[2].content[0]"],
    ),
    Case(
        "text between results",
        [ASK, TWO, user(result("toolu_1"), text("late"), result("toolu_2"))],
        ["TR104 error messages[2].content[1]"],
    ),
    Case("text in the message before", LATE, ["TR104 error messages[2].content", "TR402 info messages[3]"]),
    Case("split", SPLIT, ["TR105 warning messages[3].content[0]"]),
    Case(
        "split, gateway",
        SPLIT,
        ["TR105 error messages[3].content[0]", "TR402 error messages[3]"],
        profile="gateway",
    ),
    Case(
        "split, converse",
        C_SPLIT,
        ["TR105 error messages[3].content[0]", "TR402 error messages[3]"],
        "converse",
    ),
    Case(
        "a system message between",
        BETWEEN,
        ["TR106 error messages[2]"],
    ),
    Case("a system message after", [ASK, assistant(use()), user(result()), system("Be brief.")], []),
    Case("a system message of directives", [ASK, assistant(use()), DIRECTIVE, user(result())], []),
    Case("an assistant message between is joined", BROKEN_UP, ["TR402 info messages[2]"]),
    Case(
        "an assistant message between, gateway",
        BROKEN_UP,
        ["TR402 error messages[2]", "TR106 error messages[2]"],
        profile="gateway",
    ),
    Case(
        "a user message between, gateway",
        LATE,
        ["TR106 error messages[2]", "TR402 error messages[3]"],
        profile="gateway",
    ),
    Case(
        "an assistant message between, converse",
        [C_ASK, assistant(c_use()), assistant(c_text("Wait.")), user(c_result())],
        ["TR402 warning messages[2]", "TR106 error messages[2]"],
        "converse",
    ),
    Case(
        "text with an open server tool",
        [ASK, assistant(server_use(), use()), user(result(), text("Go on."))],
        ["TR108 error messages[2].content[1]"],
    ),
    Case(
        "text before the result with an open server tool",
        [ASK, assistant(server_use(), use()), user(text("Go on."), result())],
        ["TR108 error messages[2].content[0]"],
    ),
    Case(
        "the server tool was answered",
        [ASK, assistant(server_use(), server_result(), use()), user(result(), text("Go on."))],
        ["TR110 info messages[2].content[1]"],
    ),
    Case("results alone with an open server tool", [ASK, assistant(server_use(), use()), user(result())], []),
    Case(
        "a paused turn is a matter of TR410",
        [ASK, assistant(server_use()), user("Go on.")],
        ["TR410 error messages[1].content[0]"],
    ),
    Case(
        "text with a programmatic call",
        [ASK, assistant(use(caller=BY_CODE)), user(result(), text("Go on."))],
        ["TR108 error messages[2].content[1]"],
    ),
    Case(
        "text with a direct call",
        [ASK, assistant(use(caller={"type": "direct"})), user(result(), text("Go on."))],
        ["TR110 info messages[2].content[1]"],
    ),
    Case(
        "text after",
        [ASK, assistant(use()), user(result(), text("Briefly."), image())],
        ["TR110 info messages[2].content[1]"],
    ),
    Case(
        "text in the message after",
        [ASK, assistant(use()), user(result()), user("Briefly.")],
        ["TR110 info messages[3].content", "TR402 info messages[3]"],
    ),
    Case(
        "text after, gateway",
        [ASK, assistant(use()), user(result(), text("Briefly."))],
        ["TR110 warning messages[2].content[1]"],
        profile="gateway",
    ),
    Case(
        "text after, converse",
        [C_ASK, assistant(c_use()), user(c_result(), CACHE_POINT, c_text("Briefly."))],
        ["TR110 warning messages[2].content[2]"],
        "converse",
    ),
    Case(
        "a cache point is no content",
        [C_ASK, assistant(c_use()), user(CACHE_POINT, c_result(), CACHE_POINT)],
        [],
        "converse",
    ),
    Case(
        "text first, converse",
        [C_ASK, assistant(c_use()), user(c_text("so"), c_result())],
        ["TR104 error messages[2].content[0]"],
        "converse",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_placement(case: Case) -> None:
    assert brief(case.findings()) == case.found


UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
EXPECTED = "Expected toolResult blocks at messages.2.content for the following Ids: {}"
OPEN = "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block"
MIXED = "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
API = [
    (
        Case("not first", [ASK, TWO, user(result("toolu_1"), text("-"), result("toolu_2"))], []),
        UNANSWERED.format("toolu_2"),
    ),
    (Case("split is accepted", SPLIT, []), None),
    (Case("split, gateway", SPLIT, [], profile="gateway"), UNANSWERED.format("toolu_2")),
    (Case("split, converse", C_SPLIT, [], "converse"), EXPECTED.format("tooluse_2")),
    (
        Case("system between", BETWEEN, []),
        "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
    ),
    (
        Case("server tool open", [ASK, assistant(server_use(), use()), user(result(), text("-"))], []),
        OPEN,
    ),
    (Case("text after", [ASK, assistant(use()), user(result(), text("-"))], []), None),
]


@pytest.mark.parametrize(("case", "api"), API, ids=str)
def test_what_the_api_answers(case: Case, api: str | None) -> None:
    assert [finding.api for finding in but_neighbours(case.findings())] == [api]


def mixed_on(model: str) -> Finding:
    tool = {"toolSpec": {"name": "weather", "inputSchema": {"json": {"type": "object"}}}}
    messages = [C_ASK, assistant(c_use()), user(c_result(), c_text("Briefly."))]
    body = {"messages": messages, "toolConfig": {"tools": [tool]}}
    (finding,) = check_request(converse.parse_request(body, model))
    return finding


def test_llama_refuses_text_beside_results() -> None:
    claude, llama = (
        mixed_on("anthropic.claude-sonnet-4-5"),
        mixed_on("us.meta.llama4-maverick-17b-instruct-v1:0"),
    )
    assert (claude.severity, claude.api) == ("warning", None)
    assert llama == replace(
        claude,
        severity=llama.severity,
        message="this model takes results only alone",
        api=MIXED,
    )
    assert llama.is_error
