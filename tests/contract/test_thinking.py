from __future__ import annotations

import pytest

from .build import (
    ASK,
    C_ASK,
    Json,
    Whole,
    assistant,
    brief,
    c_result,
    c_tool,
    c_use,
    followed,
    result,
    text,
    tool,
    use,
    user,
)

OLD, NEW, NEWEST = "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-5-5"
ON: Json = {"type": "enabled", "budget_tokens": 1024}
THOUGHT: Json = {"type": "thinking", "thinking": "Look it up.", "signature": "c2ln"}
REDACTED: Json = {"type": "redacted_thinking", "data": "c2ln"}
LOOP = [ASK, assistant(use()), user(result())]
AT = "messages[1].content[0]"


def asked(model: str, messages: list[Json], **more: object) -> Json:
    return {"model": model, "tools": [tool()], "messages": messages, **more}


def c_asked(model: str) -> Json:
    return {
        "modelId": model,
        "toolConfig": {"tools": [c_tool()]},
        "additionalModelRequestFields": {"thinking": ON},
        "messages": [C_ASK, assistant(c_use()), user(c_result())],
    }


LATER = [ASK, assistant(THOUGHT, use()), user(result()), assistant(use("b")), user(result("b"))]
NEXT_TURN = [*LATER, assistant("Rain."), user("And now?"), assistant(use("c")), user(result("c"))]
ENDS = [ASK, assistant(THOUGHT, text("One"))]

CASES = [
    Whole("dropped, an older model", asked(OLD, LOOP, thinking=ON), [f"TR406 error {AT}"]),
    Whole("dropped, a newer model", asked(NEW, LOOP, thinking=ON), [f"TR406 warning {AT}"]),
    Whole("dropped, a name that tells nothing", asked("my-model", LOOP, thinking=ON), [f"TR406 warning {AT}"]),
    Whole("dropped, gateway", asked(NEW, LOOP, thinking=ON), [f"TR406 error {AT}"], profile="gateway"),
    Whole(
        "dropped, converse",
        c_asked("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        [f"TR406 error {AT}"],
        "converse",
    ),
    Whole("adaptive thinking may be absent", asked(OLD, LOOP, thinking={"type": "adaptive"}), []),
    Whole("thinking is off", asked(OLD, LOOP), []),
    Whole("kept", asked(OLD, [ASK, assistant(THOUGHT, use()), user(result())], thinking=ON), []),
    Whole("kept, redacted", asked(OLD, [ASK, assistant(REDACTED, use()), user(result())], thinking=ON), []),
    Whole("at the start of the loop is enough", asked(OLD, LATER, thinking=ON), []),
    Whole(
        "thinking of another turn is not",
        asked(OLD, NEXT_TURN, thinking=ON),
        ["TR406 error messages[7].content[0]"],
    ),
    Whole("no loop is open", asked(OLD, [*LOOP, assistant("Rain."), user("So?")], thinking=ON), []),
    Whole("left over", {"model": OLD, "messages": ENDS}, ["TR404 warning messages[1]", f"TR408 error {AT}"]),
    Whole(
        "left over, may think by itself",
        {"model": "claude-fable-5", "messages": ENDS},
        ["TR404 error messages[1]", f"TR408 warning {AT}"],
    ),
    Whole(
        "left over, switched off",
        {"model": "claude-fable-5", "thinking": {"type": "disabled"}, "messages": ENDS},
        ["TR404 error messages[1]", f"TR408 error {AT}"],
    ),
    Whole(
        "left over, gateway",
        {"model": "glm", "messages": ENDS},
        ["TR404 warning messages[1]", f"TR408 error {AT}"],
        profile="gateway",
    ),
    Whole("thinking is on", {"model": OLD, "thinking": ON, "messages": ENDS}, ["TR404 warning messages[1]"]),
    Whole("of an earlier turn", {"model": OLD, "messages": [*ENDS, user("Go on")]}, []),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_thinking(case: Whole) -> None:
    assert brief(case.findings()) == case.found


FIRST = asked(NEW, [ASK], thinking=ON)
SERVED: Json = {"content": [THOUGHT, use()], "stop_reason": "tool_use"}


def after(*sent: Json, model: str = NEW, thinking: Json | None = ON, system: str | None = None) -> Json:
    body = asked(model, [ASK, assistant(*sent), user(result())])
    return {**body, **({"thinking": thinking} if thinking else {}), **({"system": system} if system else {})}


def moved(**more: object) -> Json:
    return {**THOUGHT, **more}


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (after(THOUGHT, use()), []),
        (after(use()), [f"TR406 error {AT}"]),
        (after(use(), thinking={"type": "adaptive"}), [f"TR406 warning {AT}"]),
        (after(use(), thinking=None), []),
        (after(moved(thinking="Look it up"), use()), [f"TR407 error {AT}"]),
        (after(moved(signature="other"), use()), [f"TR407 error {AT}"]),
        (after(THOUGHT, THOUGHT, use()), ["TR407 error messages[1].content[1]"]),
        (after(REDACTED, use()), [f"TR407 error {AT}"]),
    ],
    ids=[
        "kept",
        "dropped",
        "dropped, adaptive",
        "dropped, off",
        "trimmed",
        "signed anew",
        "doubled",
        "replaced",
    ],
)
def test_thinking_and_its_reply(sent: Json, found: list[str]) -> None:
    assert brief(followed(FIRST, SERVED, sent)) == found


def test_one_of_two_thoughts_is_gone() -> None:
    served = {"content": [THOUGHT, moved(thinking="So."), use()], "stop_reason": "tool_use"}
    (finding,) = followed(FIRST, served, after(THOUGHT, use()))
    assert (finding.code, finding.message) == (
        "TR407",
        "the reply had 2 thinking blocks, and 1 of them come back",
    )


@pytest.mark.parametrize(
    ("model", "change", "found"),
    [
        (NEWEST, {"system": "It is 12:31."}, ["TR412 warning system"]),
        (NEWEST, {"tools": [tool(description="Another.")]}, ["TR412 warning tools", "TR507 warning tools"]),
        (
            NEWEST,
            {"messages": [user("Weather now?"), assistant(THOUGHT, use()), user(result())]},
            ["TR412 warning messages[0]", "TR606 warning messages[0]"],
        ),
        (
            NEWEST,
            {"messages": [user("Weather now?"), assistant(use()), user(result())]},
            ["TR606 warning messages[0]"],
        ),
        (NEWEST, {"system": "It is 12:30.", "tools": [tool(cache_control={"type": "ephemeral"})]}, []),
        (NEWEST, {"output_config": {"effort": "low"}}, []),
        (OLD, {"system": "It is 12:31."}, []),
        ("claude-fable-5", {"system": "It is 12:31."}, []),
    ],
    ids=[
        "system",
        "tools",
        "a message",
        "no thinking kept",
        "a breakpoint",
        "effort",
        "an older model",
        "Fable 5",
    ],
)
def test_what_stands_before_thinking_stays(model: str, change: Json, found: list[str]) -> None:
    first = {"model": model, "system": "It is 12:30.", "tools": [tool()], "messages": [ASK]}
    then = {**first, "messages": [ASK, assistant(THOUGHT, use()), user(result())], **change}
    assert brief(followed(first, SERVED, then)) == found
