"""Rules that look at the request before and its reply, and how requests are linked."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from toolreplay.contract.conversations import Conversations, Verdict
from toolreplay.contract.finding import Finding
from toolreplay.wire import converse, messages
from toolreplay.wire.messages import parse_reply, parse_request

from .build import (
    ASK,
    C_ASK,
    CACHE_POINT,
    Json,
    assistant,
    brief,
    c_result,
    c_text,
    c_tool,
    c_use,
    followed,
    result,
    server_result,
    server_use,
    text,
    tool,
    use,
    user,
)

MARK: Json = {"type": "ephemeral"}
CALL = use(given={"city": "Oslo"})
ASKED: Json = {"tools": [tool()], "messages": [ASK]}
SERVED: Json = {"content": [text("I look."), CALL], "stop_reason": "tool_use"}


def then(*sent: Json, **more: Any) -> Json:
    return {"tools": [tool()], "messages": [ASK, *sent], **more}


def echo(*blocks: Json) -> Json:
    return then(assistant(*blocks), user(result()))


AT = "messages[1]"
SEARCHED: Json = {"content": [server_use(), server_result(), text("So.")], "stop_reason": "end_turn"}

ALTERED: list[tuple[str, Json, Json, list[str], list[str]]] = [
    ("to the letter", SERVED, echo(text("I look."), CALL), [], []),
    ("with a breakpoint", SERVED, echo(text("I look."), {**CALL, "cache_control": MARK}), [], []),
    ("with the caller", SERVED, echo(text("I look."), {**CALL, "caller": {"type": "direct"}}), [], []),
    ("texts joined", {"content": [text("I "), text("look."), CALL]}, echo(text("I look."), CALL), [], []),
    ("blank text dropped", {"content": [text(" "), CALL]}, echo(CALL), [], []),
    ("white space trimmed", {"content": [text("I look.\n"), CALL]}, echo(text("I look."), CALL), [], []),
    (
        "as a string",
        {"content": [text("Rain.")], "stop_reason": "end_turn"},
        then(assistant("Rain."), user("So?")),
        [],
        [],
    ),
    ("text dropped", SERVED, echo(CALL), [f"TR605 warning {AT}"], [f"TR605 warning {AT}"]),
    ("order", SERVED, echo(CALL, text("I look.")), [f"TR605 warning {AT}"], [f"TR605 warning {AT}"]),
    (
        "a server tool dropped",
        SEARCHED,
        then(assistant("So."), user("More")),
        [f"TR605 warning {AT}"],
        [f"TR605 warning {AT}"],
    ),
    (
        "input",
        SERVED,
        echo(text("I look."), use(given={"city": "Rome"})),
        [f"TR605 warning {AT}"],
        [f"TR605 error {AT}"],
    ),
    (
        "name",
        SERVED,
        echo(text("I look."), {**CALL, "name": "weather2"}),
        [f"TR205 warning {AT}.content[1].name", f"TR605 warning {AT}"],
        [f"TR205 warning {AT}.content[1].name", f"TR605 error {AT}"],
    ),
    (
        "id",
        SERVED,
        then(assistant(text("I look."), use("toolu_2", given={"city": "Oslo"})), user(result("toolu_2"))),
        [],  # another run, whose first request is not in the file
        [f"TR605 error {AT}"],
    ),
    (
        "a call dropped",
        {"content": [CALL, use("toolu_2")]},
        echo(CALL),
        [f"TR605 warning {AT}"],
        [f"TR605 error {AT}"],
    ),
    (
        "a cut reply may be left out",
        {"content": [text("I"), CALL], "stop_reason": "max_tokens"},
        then(assistant("I"), user("Go on")),
        [],
        [],
    ),
    ("a stream that was cut", {**SERVED, "complete": False}, echo(CALL), ["TR612 warning reply"], []),
    ("the reply left out", SERVED, then(user("So?")), [f"TR402 info {AT}"], [f"TR402 info {AT}"]),
]


@pytest.mark.parametrize(("name", "reply", "sent", "recorded", "live"), ALTERED, ids=[case[0] for case in ALTERED])
def test_a_reply_that_comes_back(name: str, reply: Json, sent: Json, recorded: list[str], live: list[str]) -> None:
    assert brief(followed(ASKED, reply, sent)) == recorded
    assert brief(followed(ASKED, reply, sent, live=True)) == live


def test_what_is_altered_is_told() -> None:
    told = {
        name: next(finding.message for finding in followed(ASKED, reply, sent) if finding.code == "TR605")
        for name, reply, sent, recorded, _ in ALTERED
        if any("TR605" in line for line in recorded)
    }
    assert told == {
        "text dropped": "the message is not the reply: 1 of its 2 blocks are gone",
        "order": "the message is not the reply: its blocks are in another order",
        "a server tool dropped": "the message is not the reply: 2 of its 3 blocks are gone",
        "input": "the call toolu_1 (weather) is not as the model asked for it",
        "name": "the call toolu_1 (weather) is not as the model asked for it",
        "a call dropped": "the call toolu_2 (weather) is not as the model asked for it",
    }


def test_converse_replies_come_back_with_cache_points_and_without_their_type() -> None:
    config = {"tools": [c_tool()]}
    served = {
        "output": {"message": {"content": [c_text("I look."), c_use(type="tool_use")]}},
        "stopReason": "tool_use",
    }
    sent = {
        "toolConfig": config,
        "messages": [C_ASK, assistant(c_text("I look."), c_use(), CACHE_POINT), user(c_result())],
    }
    assert followed({"toolConfig": config, "messages": [C_ASK]}, served, sent, live=True, wire="converse") == []
    other: Json = copy.deepcopy(sent)
    other["messages"][1]["content"][1]["toolUse"]["input"] = {"city": "Rome"}
    found = followed({"toolConfig": config, "messages": [C_ASK]}, served, other, live=True, wire="converse")
    assert brief(found) == [f"TR605 error {AT}"]


def play(*steps: tuple[Json, Json | None], live: bool = False) -> list[Verdict]:
    """Judge requests in turn, each with the reply it got."""
    conversations = Conversations(live=live)
    verdicts = []
    for body, reply in steps:
        verdicts.append(conversations.judge(parse_request(copy.deepcopy(body))))
        if reply is not None:
            conversations.served(verdicts[-1], parse_reply(reply))
    return verdicts


def last(*steps: tuple[Json, Json | None], live: bool = False) -> list[str]:
    return brief(list(play(*steps, live=live)[-1].fresh))


PAIR = [assistant(text("I look."), CALL), user(result())]
SECOND: Json = {"content": [use("toolu_2")], "stop_reason": "tool_use"}
TWO_TURNS: tuple[tuple[Json, Json | None], ...] = ((ASKED, SERVED), (then(*PAIR), SECOND))
GOES_ON = [assistant(use("toolu_2")), user(result("toolu_2"))]


@pytest.mark.parametrize(
    ("sent", "recorded", "live"),
    [
        (then(*PAIR, *GOES_ON), [], []),
        (
            then(PAIR[0], user(result(content="fog")), *GOES_ON),
            ["TR606 warning messages[2]"],
            ["TR606 warning messages[2]"],
        ),
        (then(*GOES_ON), ["TR606 warning messages[1]"], ["TR606 error messages[1]"]),
        (
            {"tools": [tool()], "messages": [user("Summary: rain in Oslo."), *GOES_ON]},
            ["TR606 warning messages[0]"],
            ["TR606 error messages[0]"],
        ),
    ],
    ids=["appended", "a result changed", "a pair dropped", "summed up"],
)
def test_a_history_that_is_rewritten(sent: Json, recorded: list[str], live: list[str]) -> None:
    assert last(*TWO_TURNS, (sent, None)) == recorded
    assert last(*TWO_TURNS, (sent, None), live=True) == live


def test_what_the_api_compacted_may_be_left_out() -> None:
    blocks = [{"type": "compaction", "content": "Rain in Oslo."}, use("toolu_2")]
    compacted = {"content": blocks, "stop_reason": "tool_use"}
    sent = {"tools": [tool()], "messages": [assistant(*blocks), user(result("toolu_2"))]}
    assert last((ASKED, SERVED), (then(*PAIR), compacted), (sent, None), live=True) == []


def test_lost_calls_are_named() -> None:
    (finding,) = play(*TWO_TURNS, (then(*GOES_ON), None), live=True)[-1].fresh
    assert finding.message == "was another message in the request before, with the calls toolu_1"
    verdicts = play(*TWO_TURNS, (then(PAIR[0]), None))
    (gone,) = [finding for finding in verdicts[-1].fresh if finding.code == "TR606"]
    assert gone.message == "1 messages of the request before are gone"


def test_what_only_a_run_calls_wrong_is_not_what_the_api_refuses() -> None:
    verdict = play(*TWO_TURNS, (then(*GOES_ON), None), live=True)[-1]
    assert [finding.is_error for finding in verdict.findings] == [True]
    assert verdict.errors == ()


def cached(messages: list[Json], *marked: int) -> list[Json]:
    """The messages with breakpoints at the last block of some, as clients that cache move them."""
    moved = copy.deepcopy(messages)
    for index in marked:
        content = moved[index]["content"]
        if isinstance(content, str):
            moved[index]["content"] = content = [text(content)]
        content[-1]["cache_control"] = MARK
    return moved


def test_breakpoints_that_move_leave_a_conversation_what_it_is() -> None:
    whole = [ASK, *PAIR, *GOES_ON]
    steps = [
        ({**ASKED, "messages": cached(whole[:1], 0)}, SERVED),
        ({**ASKED, "messages": cached(whole[:3], 0, 2)}, SECOND),
        ({**ASKED, "messages": cached(whole, 2, 4)}, None),
    ]
    verdicts = play(*steps, live=True)
    assert [verdict.findings for verdict in verdicts] == [(), (), ()]
    assert len({verdict.conversation.number for verdict in verdicts}) == 1
    assert [len(verdict.new_messages) for verdict in verdicts] == [1, 2, 2]


def test_breakpoints_are_counted_where_they_stand_now() -> None:
    whole = [ASK, *PAIR, *GOES_ON]
    marks = {"system": [{**text("Be brief."), "cache_control": MARK}] * 2}
    steps = [
        ({**ASKED, **marks, "messages": cached(whole[:3], 0, 2)}, SECOND),
        ({**ASKED, **marks, "messages": cached(whole, 2, 4)}, None),
        ({**ASKED, **marks, "messages": cached(whole, 0, 2, 4)}, None),
    ]
    assert [brief(list(verdict.findings)) for verdict in play(*steps)] == [
        [],
        [],
        ["TR506 error messages[4].content[0].cache_control"],
    ]


def test_a_text_conversation_with_moving_breakpoints_is_one() -> None:
    turns = [user("Hi"), assistant("Hello."), user("So?")]
    served = {"content": [text("Hello.")], "stop_reason": "end_turn"}
    verdicts = play(({"messages": cached(turns[:1], 0)}, served), ({"messages": cached(turns, 2)}, None))
    assert [verdict.conversation.number for verdict in verdicts] == [1, 1]


LOOPING = then(*PAIR, tools=[tool(), tool("map")])
OTHER: Json = {"content": [text("Done.")], "stop_reason": "end_turn"}


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        (((ASKED, SERVED), (LOOPING, None)), ["TR507 warning tools"]),
        (((ASKED, SERVED), (then(*PAIR, tools=[tool(cache_control=MARK)]), None)), []),
        (((ASKED, OTHER), (then(assistant("Done."), user("Next"), tools=[tool("map")]), None)), []),
        (((ASKED, SERVED), (ASKED, None)), []),
        (((then(*PAIR), OTHER), (then(*PAIR), None)), ["TR614 warning messages"]),
        (((then(*PAIR), None), (then(*PAIR), None)), []),
        (((then(*PAIR), OTHER), ({**then(*PAIR), "max_tokens": 9}, None)), []),
    ],
    ids=[
        "tools",
        "a breakpoint",
        "a new prompt",
        "a beginning again",
        "resent",
        "no answer came",
        "with another limit",
    ],
)
def test_the_request_before(steps: tuple[tuple[Json, Json | None], ...], found: list[str]) -> None:
    assert last(*steps) == found


def test_in_a_run_a_beginning_sent_again_counts_too() -> None:
    assert last((ASKED, SERVED), (ASKED, None), live=True) == ["TR614 warning messages"]


def test_of_two_answers_the_one_that_comes_back_counts() -> None:
    other: Json = {"content": [use("toolu_9")], "stop_reason": "tool_use"}
    assert last((ASKED, SERVED), (ASKED, other), (then(*PAIR), None)) == []
    assert last((ASKED, other), (ASKED, SERVED), (then(assistant(use("toolu_9")), user(result("toolu_9"))), None)) == []


CUT: Json = {"content": [CALL], "stop_reason": "max_tokens"}


@pytest.mark.parametrize(
    ("reply", "sent", "found"),
    [
        (CUT, echo(CALL), ["TR607 warning messages[2].content[0]"]),
        ({**CUT, "stop_reason": "refusal"}, echo(CALL), ["TR607 warning messages[2].content[0]"]),
        (CUT, then(assistant(CALL), user(result(error=True))), []),
        ({**CUT, "stop_reason": "tool_use"}, echo(CALL), []),
    ],
    ids=["cut", "refused", "answered with an error", "whole"],
)
def test_a_call_of_a_reply_that_was_cut(reply: Json, sent: Json, found: list[str]) -> None:
    assert brief(followed(ASKED, reply, sent)) == found
    assert followed(ASKED, reply, sent, live=True) == []  # there the rule knows what ran


@pytest.mark.parametrize(
    ("request_", "reply", "found"),
    [
        ({}, {**OTHER, "complete": False}, ["TR612 warning reply"]),
        (
            {},
            {"content": [text("-"), use(given='{"a": 1')], "stop_reason": "tool_use"},
            ["TR612 warning reply.content[1].input"],
        ),
        ({}, {"content": [use(given='{"a": 1')], "stop_reason": "max_tokens"}, []),
        (
            {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
            {"content": [CALL, use("b")]},
            ["TR613 warning reply"],
        ),
        ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, {"content": [CALL]}, []),
        ({"tool_choice": {"type": "auto"}}, {"content": [CALL, use("b")]}, []),
    ],
)
def test_replies(request_: Json, reply: Json, found: list[str]) -> None:
    assert brief(followed({**ASKED, **request_}, reply)) == found


def test_blocks_whose_type_is_no_string_are_compared_too() -> None:
    odd: Json = {"type": ["thinking"], "text": {}}
    assert followed(ASKED, {"content": [odd]}, then(assistant(odd), user("So?"))) == []
    found = followed(ASKED, {"content": [odd]}, then(assistant("So."), user("So?")))
    assert brief(found) == [f"TR605 warning {AT}"]


def test_a_cut_stream_is_no_fault_of_a_run() -> None:
    assert followed(ASKED, {**OTHER, "complete": False}, live=True) == []


def test_a_finding_on_a_reply_is_reported_once() -> None:
    conversations = Conversations()
    verdict = conversations.judge(parse_request(ASKED))
    cut = parse_reply(OTHER, complete=False)
    assert [finding.code for finding in conversations.served(verdict, cut)] == ["TR612"]
    assert conversations.served(verdict, cut) == ()


CREATED: Json = {"system": "Be brief.", "tools": [tool()], "thread": {"type": "create"}, "messages": [ASK]}
IN_THREAD: Json = {"id": "msg_1", **SERVED}
THREAD: Json = {"type": "continue", "previous_message_id": "msg_1"}
CONTINUED: Json = {"thread": THREAD, "messages": [user(result())]}


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        (((CREATED, IN_THREAD), (CONTINUED, None)), []),
        (((CREATED, IN_THREAD), ({**CONTINUED, "system": "Be kind."}, None)), ["TR509 error system"]),
        (((CREATED, IN_THREAD), ({**CONTINUED, "system": [text("Be brief.")], "tools": [tool()]}, None)), []),
        (
            ((CREATED, IN_THREAD), ({**CONTINUED, "tools": [tool(), tool("map")]}, None)),
            ["TR509 error tools"],
        ),
        (((CREATED, IN_THREAD), ({**CONTINUED, "output_config": {}}, None)), ["TR509 error output_config"]),
        (
            ((CREATED, IN_THREAD), (CONTINUED, {"id": "msg_2", **OTHER}), (CONTINUED, None)),
            ["TR509 error thread.previous_message_id"],
        ),
        (((CREATED, IN_THREAD), (CONTINUED, None), (CONTINUED, None)), []),
        (
            ((CREATED, {"id": "msg_1", "content": [use(name="forecast")]}), (CONTINUED, None)),
            ["TR205 warning messages[-1].content[0].name"],
        ),
    ],
    ids=[
        "goes on",
        "system",
        "sent again as it was",
        "tools",
        "output",
        "twice",
        "no answer came",
        "tools are inherited",
    ],
)
def test_threads(steps: tuple[tuple[Json, Json | None], ...], found: list[str]) -> None:
    assert last(*steps) == found


def test_a_thread_whose_beginning_was_not_seen_is_not_judged() -> None:
    (verdict,) = play((CONTINUED, None))
    assert (verdict.history_known, verdict.findings) == (False, ())


def test_tools_are_judged_once_for_all_requests_that_have_them() -> None:
    broken = {"tools": [tool("a.b")], "messages": [ASK]}
    first, second = play((broken, OTHER), ({**broken, "messages": [ASK, assistant("Done."), user("So?")]}, None))
    assert [finding.code for finding in first.findings] == ["TR208"]
    assert [finding.code for finding in second.findings] == ["TR208"]
    assert second.fresh == ()
    assert first.conversation.tools is second.conversation.tools


def test_conversations_on_both_wires_do_not_share_tools() -> None:
    conversations = Conversations()
    one = conversations.judge(messages.parse_request({"messages": [ASK]}))
    other = conversations.judge(converse.parse_request({"messages": [C_ASK]}))
    assert one.conversation is not other.conversation
    assert one.conversation.tools is not other.conversation.tools


def _codes(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings]


def test_the_cost_of_a_turn_does_not_grow_with_the_history() -> None:
    """Counted in parsed messages: only what is new, and what was touched, is looked at again."""
    read: list[int] = []
    conversations = Conversations(live=True)
    whole = [ASK]
    for number in range(12):
        request = parse_request({"tools": [tool()], "messages": cached(whole, len(whole) - 1)})
        reader = request.reader

        def counting(raw: Any, first: int, reader: Any = reader) -> Any:
            parsed = reader(raw, first)
            read.append(len(parsed))
            return parsed

        object.__setattr__(request, "reader", counting)
        verdict = conversations.judge(request)
        assert _codes(verdict.findings) == []
        served = {"content": [use(f"toolu_{number}")], "stop_reason": "tool_use"}
        conversations.served(verdict, parse_reply(served))
        whole += [assistant(use(f"toolu_{number}")), user(result(f"toolu_{number}"))]
    assert max(read) <= 2
