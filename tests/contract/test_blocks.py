from __future__ import annotations

from typing import Any

import pytest

from .build import (
    ASK,
    C_ASK,
    UNSET,
    Case,
    Json,
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

AGAIN = [ASK, assistant(use()), user(result()), assistant(use()), user(result())]
C_AGAIN = [C_ASK, assistant(c_use()), user(c_result()), assistant(c_use()), user(c_result())]


def one_call(use_id: Any) -> list[Json]:
    return [ASK, assistant(use(use_id)), user(result(use_id))]


def c_call(use_id: str) -> list[Json]:
    return [C_ASK, assistant(c_use(use_id)), user(c_result(use_id))]


def with_input(given: Any) -> list[Json]:
    return [ASK, assistant(use(given=given)), user(result())]


BAD_ID = ["TR202 error messages[1].content[0].id"]
BAD_INPUT = ["TR203 error messages[1].content[0].input"]
C_BAD_ID = ["TR202 error messages[1].content[0].toolUse.toolUseId"]
SYSTEM_TOOL = c_use("srv_1", type="server_tool_use")

CASES = [
    Case("one id twice", [ASK, assistant(use(), use()), user(result())], ["TR201 error messages[1].content[1]"]),
    Case(
        "repeated calls",
        [ASK, assistant(use("a"), use("a"), use("b"), use("a")), user(result("a"), result("b"))],
        ["TR201 error messages[1].content[1]", "TR201 error messages[1].content[3]"],
    ),
    Case(
        "twice over two messages of a turn",
        [ASK, assistant(use()), assistant(use()), user(result())],
        ["TR201 error messages[2].content[0]", "TR402 info messages[2]"],
    ),
    Case("one id in two turns", AGAIN, ["TR201 warning messages[3].content[0]"]),
    Case("one id in two turns, gateway", AGAIN, ["TR201 warning messages[3].content[0]"], profile="gateway"),
    Case("one id in two turns, converse", C_AGAIN, ["TR201 error messages[3].content[0]"], "converse"),
    Case("foreign id", one_call("functions.Bash:0"), BAD_ID),
    Case("empty id", one_call(""), BAD_ID),
    Case("a newline behind a good id", one_call("toolu_1\n"), BAD_ID),
    Case("letters of other scripts", one_call("toolu_é"), BAD_ID),
    Case("id is a number", [ASK, assistant(use(7)), user(result())], BAD_ID),
    Case("a long id is fine", one_call("t" * 300), []),
    Case("server tool id", [ASK, assistant(server_use("ws_1"))], BAD_ID),
    Case("MCP ids are free", [ASK, assistant(server_use("mcp.1", kind="mcp_tool_use"))], []),
    Case("converse takes dots and colons", c_call("functions.Bash:0"), [], "converse"),
    Case("converse, 64 characters", c_call("t" * 64), [], "converse"),
    Case("converse, 65 characters", c_call("t" * 65), C_BAD_ID, "converse"),
    Case("converse, empty id", c_call(""), C_BAD_ID, "converse"),
    Case("input is text", with_input('{"city": "Oslo"}'), BAD_INPUT),
    Case("input is null", with_input(None), BAD_INPUT),
    Case("input is a list", with_input([]), BAD_INPUT),
    Case(
        "no input",
        [ASK, assistant({"type": "tool_use", "id": "toolu_1", "name": "a"}), user(result())],
        BAD_INPUT,
    ),
    Case("no arguments", with_input({}), []),
    Case(
        "converse, input is text",
        [C_ASK, assistant(c_use(given="{")), user(c_result())],
        ["TR203 error messages[1].content[0].toolUse.input"],
        "converse",
    ),
    Case(
        "a call in a user message",
        [ASK, assistant("Done."), user(text("It did:"), use())],
        ["TR204 error messages[2].content[1]"],
    ),
    Case("a result in an assistant message", [ASK, assistant(result())], ["TR204 error messages[1].content[0]"]),
    Case("a result in a system message", [ASK, system(result())], ["TR204 error messages[1].content[0]"]),
    Case(
        "a system message between turns",
        [ASK, system(use()), assistant("So."), user("Yes")],
        ["TR204 error messages[1].content[0]"],
    ),
    Case(
        "the tool role of other APIs",
        [ASK, assistant(use()), {"role": "tool", "content": [result()]}],
        ["TR204 error messages[2].content[0]"],
    ),
    Case("converse, a system tool", [C_ASK, assistant(SYSTEM_TOOL, c_result("srv_1"))], [], "converse"),
    Case(
        "converse, a system tool answered a message later",
        [C_ASK, assistant(SYSTEM_TOOL), assistant(c_result("srv_1"))],
        ["TR402 warning messages[2]"],
        "converse",
    ),
    Case(
        "converse, a system tool answered a turn later",
        [C_ASK, assistant(SYSTEM_TOOL), user(c_text("Go on.")), assistant(c_result("srv_1"))],
        [],
        "converse",
    ),
    Case(
        "converse, a client result in an assistant message",
        [C_ASK, assistant(c_result())],
        ["TR204 error messages[1].content[0]"],
        "converse",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_blocks(case: Case) -> None:
    assert brief(case.findings()) == case.found


PATTERN = "String should match pattern"
WORDS = [
    (
        Case("one id twice", [user("Hi"), ASK, assistant(use(), use()), user(result())], []),
        "the id of tool_use toolu_1 (weather) already stands at messages[2].content[0]",
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    (
        Case("in two turns", AGAIN, []),
        "the id of tool_use toolu_1 (weather) stands in an earlier turn too, at messages[1].content[0]",
        None,
    ),
    (
        Case("converse, twice", [C_ASK, assistant(c_use(), c_use()), user(c_result())], [], "converse"),
        "the id of tool_use tooluse_1 (weather) already stands at messages[1].content[0]",
        "The toolUse blocks at messages.1.content contain duplicate Ids: tooluse_1",
    ),
    (
        Case("foreign id", one_call("a|b"), []),
        "the id a|b does not match [a-zA-Z0-9_-]+",
        f"messages.1.content.0.tool_use.id: {PATTERN} '^[a-zA-Z0-9_-]+$'",
    ),
    (
        Case("server tool id", [ASK, assistant(server_use("ws_1"))], []),
        "the id ws_1 does not match srvtoolu_[a-zA-Z0-9_]+",
        f"messages.1.content.0.server_tool_use.id: {PATTERN} '^srvtoolu_[a-zA-Z0-9_]+$'",
    ),
    (Case("no id", [ASK, assistant(use(None)), user("And?")], []), "the id is missing or no string", None),
    (
        Case("converse, foreign id", c_call("a|b"), [], "converse"),
        "the id a|b does not match [a-zA-Z0-9_.:-]{1,64}",
        None,
    ),
    (
        Case("input is text", with_input("{}"), []),
        "the input of tool_use toolu_1 (weather) is a string",
        "messages.1.content.0.tool_use.input: Input should be an object",
    ),
    (
        Case("converse, input is text", [C_ASK, assistant(c_use(given=1)), user(c_result())], [], "converse"),
        "the input of tool_use tooluse_1 (weather) is a number",
        "The format of the value at messages.1.content.0.toolUse.input is invalid.",
    ),
    (
        Case("a call in a user message", [user(use())], []),
        "tool_use stands in a message of role 'user', not 'assistant'",
        "messages.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    (
        Case("a result in an assistant message", [ASK, assistant(result())], []),
        "tool_result stands in a message of role 'assistant', not 'user'",
        "messages.1: `tool_result` blocks can only be in `user` messages",
    ),
]


@pytest.mark.parametrize(("case", "message", "api"), WORDS, ids=str)
def test_words(case: Case, message: str, api: str | None) -> None:
    (finding,) = but_neighbours(case.findings())
    assert (finding.message, finding.api) == (message, api)


def test_the_builder_leaves_an_input_out_only_where_it_is_told() -> None:
    assert use(given=UNSET)["input"] == {}
