from __future__ import annotations

import pytest

from .build import (
    ASK,
    C_ASK,
    Case,
    Json,
    Whole,
    assistant,
    brief,
    c_result,
    c_text,
    c_use,
    result,
    server_result,
    server_use,
    system,
    text,
    use,
    user,
)

COMPACTION: Json = {"type": "compaction", "content": "They talked."}
PAIR = [ASK, assistant(use()), user(result())]
C_SPLIT = [C_ASK, assistant(c_use("a"), c_use("b")), user(c_result("a")), user(c_result("b"))]
PREFILL = [ASK, assistant("It is")]


def on(model: str, messages: list[Json], **more: object) -> Json:
    return {"model": model, "messages": messages, **more}


CASES: list[Case | Whole] = [
    Whole("no messages", {"model": "m", "messages": []}, ["TR401 error messages"]),
    Whole("no messages on a gateway", {"model": "m", "messages": []}, ["TR401 error messages"], profile="gateway"),
    Whole("no messages and nothing else", {"messages": []}, []),
    Whole("no messages on Converse", {"modelId": "m", "messages": []}, [], "converse"),
    Whole(
        "no new messages in a thread",
        {"model": "m", "messages": [], "thread": {"type": "continue", "previous_message_id": "msg_1"}},
        [],
    ),
    Case("an empty list", [ASK, assistant(), user("So?")], ["TR401 error messages[1]"]),
    Case("an empty string", [user("")], ["TR401 error messages[0]"]),
    Case("no content", [{"role": "user"}], ["TR401 error messages[0]"]),
    Case("no list of blocks", [{"role": "user", "content": 4}], ["TR401 error messages[0]"]),
    Case("an empty final assistant message", [ASK, {"role": "assistant", "content": ""}], []),
    Case(
        "an empty message inside a turn",
        [ASK, user(), user("So?")],
        ["TR401 error messages[1]", "TR402 info messages[1]", "TR402 info messages[2]"],
    ),
    Case("converse", [C_ASK, assistant(), user(c_text("So?"))], ["TR401 error messages[1]"], "converse"),
    Case("neighbours", [ASK, user("Now")], ["TR402 info messages[1]"]),
    Case("neighbours, gateway", [ASK, user("Now")], ["TR402 error messages[1]"], profile="gateway"),
    Case("neighbours, converse", [C_ASK, user(c_text("Now"))], ["TR402 warning messages[1]"], "converse"),
    Case(
        "neighbours that split, converse",
        C_SPLIT,
        ["TR105 error messages[3].content[0]", "TR402 error messages[3]"],
        "converse",
    ),
    Case("starts with the assistant", [assistant("Hi"), ASK], ["TR403 info messages[0]"]),
    Case(
        "starts with the assistant, gateway",
        [assistant("Hi"), ASK],
        ["TR403 error messages[0]"],
        profile="gateway",
    ),
    Case("starts with a compaction", [assistant(COMPACTION), ASK], []),
    Case("starts with another role", [{"role": "tool", "content": "x"}, ASK], ["TR403 info messages[0]"]),
    Case("a history alone may end with the assistant", [ASK, assistant("Rain.")], []),
    Whole("prefill", on("claude-sonnet-4-5", PREFILL), ["TR404 warning messages[1]"]),
    Whole("prefill, refused", on("claude-opus-4-6", PREFILL), ["TR404 error messages[1]"]),
    Whole("prefill, a name that tells nothing", on("my-model", PREFILL), ["TR404 warning messages[1]"]),
    Whole("a paused turn", on("claude-opus-4-8", [ASK, assistant(server_use())]), []),
    Whole("ends with a compaction", on("claude-opus-4-8", [ASK, assistant(COMPACTION)]), []),
    Whole(
        "prefill, converse",
        {"modelId": "us.anthropic.claude-opus-4-6-v1", "messages": [C_ASK, assistant(c_text("It is"))]},
        ["TR404 error messages[1]"],
        "converse",
    ),
    Case("system first", [system("Be brief."), ASK], ["TR405 error messages[0]"]),
    Case("system after the user, at the end", [ASK, system("Be brief.")], []),
    Case("system before the assistant", [ASK, system("Be brief."), assistant("Rain."), user("So?")], []),
    Case("system twice", [ASK, system("Be brief."), system("Be kind.")], []),
    Case("system before the user", [ASK, system("Be brief."), user("So?")], ["TR405 error messages[1]"]),
    Case(
        "system after the assistant",
        [ASK, assistant("Rain."), system("Be brief.")],
        ["TR405 error messages[2]"],
    ),
    Case(
        "system after a server tool's result",
        [ASK, assistant(server_use(), server_result()), system("Be brief.")],
        [],
    ),
    Case(
        "system between call and result",
        [ASK, assistant(use()), system("Brief."), user(result())],
        ["TR106 error messages[2]"],
    ),
    Case(
        "a directive anywhere",
        [{"role": "system", "content": [], "output_config": {"effort": "low"}}, ASK],
        [],
    ),
    Case("system without content", [ASK, system()], ["TR405 error messages[1]"]),
    Case("an image in system", [ASK, system({"type": "image", "source": {}})], ["TR405 error messages[1]"]),
    Case("a tool added", [ASK, system({"type": "tool_addition", "tool": {}})], []),
    Whole(
        "system, an older model",
        on("claude-sonnet-4-5", [ASK, system("Be brief.")]),
        ["TR405 error messages[1]"],
    ),
    Whole("system, a newer model", on("claude-opus-4-8", [ASK, system("Be brief.")]), []),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_turns(case: Case | Whole) -> None:
    assert brief(case.findings()) == case.found


ALTERNATE = 'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row'
C_ALTERNATE = (
    "A conversation must alternate between user and assistant roles. "
    "Make sure the conversation alternates between user and assistant roles and try again."
)
WORDS: list[tuple[Case | Whole, str, str | None]] = [
    (
        Case("empty", [ASK, assistant(), user("So?")], []),
        "the message of role assistant has no content",
        ("messages.1: all messages must have non-empty content except for the optional final assistant message"),
    ),
    (
        Case("empty, converse", [C_ASK, assistant(), user(c_text("So?"))], [], "converse"),
        "the message of role assistant has no content",
        (
            "The content field in the Message object at messages.1 is empty. Add a ContentBlock object "
            "to the content field and try again."
        ),
    ),
    (Case("neighbours", [ASK, user("Now")], []), "follows a message of the same role, user", None),
    (
        Case("gateway", [ASK, user("Now")], [], profile="gateway"),
        "follows a message of the same role, user",
        ALTERNATE,
    ),
    (
        Case("converse", [C_ASK, user(c_text("-"))], [], "converse"),
        "follows a message of the same role, user",
        C_ALTERNATE,
    ),
    (
        Case("first", [assistant("Hi"), ASK], [], profile="gateway"),
        "the conversation starts with a message of role assistant",
        'messages: first message must use the "user" role',
    ),
    (
        Whole("refused", on("claude-opus-4-6", PREFILL), []),
        "the request ends with an assistant message, which this model refuses",
        ("This model does not support assistant message prefill. The conversation must end with a user message."),
    ),
    (
        Case("system first", [system("Be brief."), ASK], []),
        "a system message comes first; that is what `system` is for",
        (
            "messages.0: use the top-level 'system' parameter for the initial system prompt; "
            "the directive-only form (content: [] with output_config) is accepted at any position"
        ),
    ),
    (
        Case("before the user", [ASK, system("Be brief."), user("So?")], []),
        "a system message stands before a user message",
        "messages.1: role 'system' must precede an 'assistant' message or end the array",
    ),
    (
        Case("after the assistant", [ASK, assistant(text("Rain.")), system("Be brief.")], []),
        "a system message follows an assistant message",
        "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
    ),
    (
        Whole("older", on("claude-3-5-haiku-20241022", [ASK, system("Be brief.")]), []),
        "Claude 3.5 knows no messages of role system",
        "role 'system' is not supported on this model",
    ),
]


@pytest.mark.parametrize(("case", "message", "api"), WORDS, ids=str)
def test_words(case: Case | Whole, message: str, api: str | None) -> None:
    (finding,) = case.findings()
    assert (finding.message, finding.api) == (message, api)
