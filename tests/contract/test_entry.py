from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolreplay.contract.conversations import Conversations
from toolreplay.contract.entry import check, parse
from toolreplay.errors import UsageError
from toolreplay.wire.messages import parse_reply
from toolreplay.wire.model import Wire

from .build import ASK, C_ASK, assistant, brief, c_use, use, user

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
KEYS = st.sampled_from(
    [
        "messages",
        "role",
        "content",
        "type",
        "id",
        "name",
        "input",
        "tool_use_id",
        "is_error",
        "text",
        "caller",
        "thread",
        "tools",
        "toolUse",
        "toolUseId",
        "toolResult",
        "status",
        "json",
        "system",
        "modelId",
        "anthropic_version",
        "tool_choice",
        "thinking",
        "input_schema",
        "properties",
        "anyOf",
        "cache_control",
        "source",
        "data",
        "media_type",
        "system",
        "toolConfig",
        "toolSpec",
        "inputSchema",
        "toolset_name",
    ]
)
VALUES = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "text",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "compaction",
        "continue",
        "thinking",
        "image",
        "base64",
        "object",
        "enabled",
        "any",
        "tool",
        "2026-10-21",
        "claude-sonnet-4-5",
    ]
)
JSON = st.recursive(
    LEAVES | VALUES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=5),
    max_leaves=30,
)
BLOCKS = st.fixed_dictionaries(
    {"type": VALUES | JSON},
    optional={
        "id": JSON,
        "tool_use_id": JSON,
        "content": JSON,
        "input": JSON,
        "text": JSON,
        "is_error": JSON,
        "caller": JSON,
    },
)
C_BLOCKS = st.dictionaries(st.sampled_from(["text", "toolUse", "toolResult", "cachePoint"]), JSON | BLOCKS, max_size=2)
TOOLS = st.fixed_dictionaries(
    {"name": st.text(max_size=3)}, optional={"input_schema": JSON, "strict": JSON, "type": VALUES}
)
SHAPED = st.fixed_dictionaries(
    {
        "messages": st.lists(
            st.fixed_dictionaries(
                {"role": VALUES | JSON, "content": st.lists(BLOCKS | C_BLOCKS | JSON, max_size=4) | JSON}
            )
            | JSON,
            max_size=5,
        )
    },
    optional={
        "thread": JSON,
        "tools": st.lists(TOOLS | JSON, max_size=3) | JSON,
        "model": VALUES | JSON,
        "toolConfig": st.fixed_dictionaries({"tools": st.lists(JSON, max_size=3)}, optional={"toolChoice": JSON})
        | JSON,
        "tool_choice": st.fixed_dictionaries({"type": VALUES}, optional={"name": JSON}) | JSON,
        "thinking": JSON,
        "system": JSON,
        "anthropic_version": VALUES | JSON,
        "cache_control": JSON,
    },
)


@settings(deadline=None)
@given(
    request=JSON | SHAPED | SHAPED.map(lambda body: body["messages"]),
    wire=st.sampled_from(["messages", "converse"]),
    profile=st.sampled_from([None, "messages", "gateway", "converse"]),
)
def test_no_json_makes_it_raise(request: Any, wire: str, profile: str | None) -> None:
    if not isinstance(request, dict | list):
        with pytest.raises(UsageError):  # no request at all
            check(request, wire, profile)
        return
    for finding in check(request, wire, profile):
        assert finding.code.startswith("TR")


REPLIES = st.fixed_dictionaries(
    {"content": st.lists(BLOCKS | C_BLOCKS | JSON, max_size=3)},
    optional={"id": st.just("msg_1"), "stop_reason": st.sampled_from(["pause_turn", "max_tokens", "tool_use"]) | JSON},
)
THREAD = st.just({"type": "continue", "previous_message_id": "msg_1"})


@settings(deadline=None)
@given(
    steps=st.lists(st.tuples(SHAPED, REPLIES, st.none() | THREAD, st.booleans()), min_size=2, max_size=4),
    live=st.booleans(),
)
def test_no_conversation_makes_it_raise(steps: list[tuple[Any, Any, Any, bool]], live: bool) -> None:
    conversations = Conversations(live=live)
    history: list[Any] = []
    for body, reply, thread, goes_on in steps:
        sent = [*(history if goes_on else []), *body["messages"]]
        request = parse({**body, "messages": sent, **({"thread": thread} if thread else {})}, Wire.MESSAGES)
        verdict = conversations.judge(request)
        found = [*verdict.fresh, *conversations.served(verdict, parse_reply(reply))]
        assert all(finding.code.startswith("TR") for finding in found)
        history = [*sent, {"role": "assistant", "content": reply["content"]}]


def test_a_body_and_its_messages_alone() -> None:
    messages = [ASK, assistant(use()), user("And?")]
    assert check({"messages": messages}) == check(messages)
    assert brief(check(messages)) == ["TR101 error messages[1].content[0]"]
    whole = check({"model": "claude", "messages": messages})
    assert brief(whole) == ["TR101 error messages[1].content[0]", "TR501 warning tools"]


def test_the_wire_is_converse() -> None:
    messages = [C_ASK, assistant(c_use("functions.Bash:0")), user({"text": "And?"})]
    assert brief(check({"messages": messages}, wire="converse")) == ["TR101 error messages[1].content[0]"]
    assert check(messages, wire="messages") == []  # read as the wrong wire, it holds no tool block at all


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"wire": "bedrock"}, "wire: 'bedrock' is unknown; choose messages or converse"),
        ({"profile": "strict"}, "profile: 'strict' is unknown; choose messages or gateway or converse"),
    ],
)
def test_an_unknown_choice(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        check([], **arguments)


def test_it_is_what_the_package_offers() -> None:
    import toolreplay

    assert toolreplay.check is check
