from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolreplay.contract.entry import check, parse
from toolreplay.contract.finding import Finding, Profile
from toolreplay.contract.fold import EMPTY, State, check_request, close, fold
from toolreplay.contract.turns import Context
from toolreplay.wire.model import Wire

from .build import (
    ASK,
    CACHE_POINT,
    Json,
    assistant,
    brief,
    c_result,
    c_text,
    c_use,
    image,
    result,
    server_result,
    server_use,
    text,
    use,
    user,
)

IDS = st.sampled_from(["toolu_1", "toolu_2", "srvtoolu_1", "a|b", ""])
CONTENTS: st.SearchStrategy[Any] = st.sampled_from(
    ["rain", "", " ", [], [text("rain")], [text("")], [image()], {}, 4, None]
)
COMPACTION = {"type": "compaction", "content": "They talked."}
MESSAGES_BLOCKS = st.one_of(
    st.builds(text, st.sampled_from(["so", "", " "])),
    st.builds(use, IDS, given=st.sampled_from([{}, "{}", None])),
    st.builds(result, IDS, CONTENTS, st.booleans()),
    st.builds(server_use, IDS, kind=st.sampled_from(["server_tool_use", "mcp_tool_use"])),
    st.builds(server_result, IDS),
    st.sampled_from([image(), COMPACTION, {**COMPACTION, "content": None}, {"type": "thinking", "thinking": "hm"}]),
    st.builds(use, IDS, caller=st.just({"type": "code_execution_20260120"})),
)
CONVERSE_BLOCKS = st.one_of(
    st.builds(c_text, st.sampled_from(["so", "", " "])),
    st.builds(c_use, IDS),
    st.builds(c_use, IDS, type=st.just("server_tool_use")),
    st.builds(c_result, IDS, CONTENTS, st.sampled_from([None, "success", "error"])),
    st.just(CACHE_POINT),
)
ROLES = st.sampled_from(["user", "assistant", "user", "assistant", "system", "tool"])


def conversations(blocks: st.SearchStrategy[Json]) -> st.SearchStrategy[list[Json]]:
    contents = st.one_of(st.lists(blocks, max_size=4), st.sampled_from(["so", "", " "]))
    return st.lists(st.builds(lambda role, content: {"role": role, "content": content}, ROLES, contents), max_size=9)


WIRES = {Wire.MESSAGES: MESSAGES_BLOCKS, Wire.CONVERSE: CONVERSE_BLOCKS}


@settings(deadline=None)
@given(data=st.data(), wire=st.sampled_from(Wire), profile=st.sampled_from(Profile))
def test_a_conversation_folded_in_pieces_is_judged_as_the_whole(
    data: st.DataObject, wire: Wire, profile: Profile
) -> None:
    messages = data.draw(conversations(WIRES[wire]))
    cuts = data.draw(st.lists(st.integers(0, len(messages)), max_size=4).map(sorted))
    request = parse(messages, wire)
    context = Context(profile, request)
    state = EMPTY
    for start, end in zip([0, *cuts], [*cuts, len(messages)], strict=True):
        state = fold(state, request.messages[start:end], context)
        close(state, context)  # judging what there is so far keeps nothing
    assert close(state, context) == check_request(request, profile)
    assert state.count == len(messages)


@settings(deadline=None)
@given(data=st.data(), wire=st.sampled_from(Wire))
def test_findings_stand_in_the_body_and_say_what_to_do(data: st.DataObject, wire: Wire) -> None:
    messages = data.draw(conversations(WIRES[wire]))
    for finding in check(messages, wire.value):
        assert well_placed(finding, messages)
        assert "\n" not in finding.message
        assert finding.fix


def well_placed(finding: Finding, messages: list[Json]) -> bool:
    index = int(finding.path.removeprefix("messages[").partition("]")[0])
    return index < len(messages)


OK = [ASK, assistant(use()), user(result())]


def test_judging_a_turn_that_goes_on_keeps_no_finding_of_its_end() -> None:
    request = parse([ASK, assistant(use("toolu_1")), assistant(use("toolu_2"))], Wire.MESSAGES)
    context = Context(Profile.MESSAGES, request)
    state = fold(EMPTY, request.messages[:2], context)
    assert brief(list(close(state, context))) == ["TR109 error messages[1].content[0]"]
    assert state.findings == ()


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        (
            [user("Hi"), ASK, assistant("a"), assistant(use()), user(result()), user("so")],
            [
                "TR402 info messages[1]",
                "TR402 info messages[3]",
                "TR110 info messages[5].content",
                "TR402 info messages[5]",
            ],
        ),
        (
            [*OK, user("a"), assistant("b"), user("c")],
            ["TR110 info messages[3].content", "TR402 info messages[3]"],
        ),
    ],
)
def test_neighbours_of_one_role_are_one_turn(messages: list[Json], found: list[str]) -> None:
    assert brief(check(messages)) == found


def test_the_conversation_starts_at_the_last_compaction() -> None:
    cut = [
        user(result("toolu_9")),
        assistant(use("toolu_8"), COMPACTION, text("I go on."), use()),
        user(result()),
    ]
    assert check(cut) == []
    failed = [user(result("toolu_9")), assistant({**COMPACTION, "content": None}, use()), user(result())]
    assert brief(check(failed)) == ["TR102 error messages[0].content[0]"]
    after = [assistant(COMPACTION, use()), user("And?")]
    assert brief(check(after)) == ["TR101 error messages[0].content[1]"]


def test_the_api_counts_system_messages() -> None:
    messages: list[Any] = [
        user("Hi"),
        user("Ho"),
        {"role": "system", "content": "Be brief."},
        assistant("Hm."),
        user(result()),
    ]
    (finding,) = [finding for finding in check(messages) if finding.code == "TR102"]
    assert finding.path == "messages[4].content[0]"
    assert finding.api is not None
    assert finding.api.startswith("messages.3.content.0: ")


def test_the_core_imports_nothing_heavy() -> None:
    heavy = {"yaml", "pydantic", "anthropic", "vcr", "hypothesis", "rich"}
    code = f"import sys, toolreplay.contract.entry, toolreplay.contract.page; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def _long(turns: int) -> list[Json]:
    calls = (f"toolu_{number}" for number in range(turns))
    return [ASK, *(one for call in calls for one in (assistant(use(call), text("")), user(result(call))))]


def test_the_state_is_copied_once_and_not_at_every_message(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = State.__init__

    def counted(self: State, **fields: Any) -> None:
        made.append(fields)
        whole(self, **fields)

    request = parse(_long(50), Wire.MESSAGES)
    monkeypatch.setattr(State, "__init__", counted)
    state = fold(EMPTY, request.messages, Context(Profile.MESSAGES, request))
    assert (len(made), len(state.seen), len(state.findings) >= 49) == (1, 50, True)


def test_a_fold_leaves_the_state_it_goes_on_from() -> None:
    request = parse(_long(3), Wire.MESSAGES)
    context = Context(Profile.MESSAGES, request)
    state = fold(EMPTY, request.messages[:4], context)
    before = (dict(state.seen), state.findings, state.open)
    fold(state, request.messages[4:], context)
    assert ((dict(state.seen), state.findings, state.open), EMPTY.seen) == (before, {})
