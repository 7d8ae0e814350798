"""Every rule can fail: recorded conversations, broken in the way of a rule, show that rule and no other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from toolreplay.cassette.reading import read_recording
from toolreplay.contract.catalogue import all_rules
from toolreplay.contract.conversations import Conversations
from toolreplay.contract.entry import check_run
from toolreplay.contract.facts import CallFacts, Did, Execution, RunFacts
from toolreplay.contract.finding import Finding
from toolreplay.contract.fold import check_request
from toolreplay.wire import converse, messages
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.model import Reply, Request, ToolResult, ToolUse, Wire

from . import mutations as by
from .corpus import CORPUS, MISSING, files
from .mutations import Body, Json, Mutate

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)

MOST = 50  # conversations a rule


@dataclass(frozen=True)
class Mutation:
    """A way to break a request.

    Attributes:
        follows: the codes that the same fault brings with it.
        wires: the wires it is tried on.
    """

    code: str
    apply: Mutate
    follows: frozenset[str] = frozenset()
    wires: tuple[Wire, ...] = (Wire.MESSAGES, Wire.CONVERSE)

    def __str__(self) -> str:
        return self.code


def mutation(code: str, apply: Mutate, *follows: str, wires: str = "both") -> Mutation:
    kinds = tuple(Wire) if wires == "both" else (Wire(wires),)
    return Mutation(code, apply, frozenset(follows), kinds)


MUTATIONS = [
    mutation("TR101", by.unanswered),
    mutation("TR102", by.orphan, "TR101"),
    mutation("TR103", by.answered_twice),
    mutation("TR104", by.text_first),
    mutation("TR105", by.split, "TR402"),  # on Converse
    mutation("TR106", by.system_between, "TR405"),  # models that know no system message
    mutation("TR107", by.answered_server, wires="messages"),
    mutation("TR108", by.crowded, wires="messages"),
    mutation("TR109", by.dangling),
    mutation("TR110", by.text_behind),
    mutation("TR201", by.called_twice),
    mutation("TR202", by.foreign_id),
    mutation("TR203", by.input_text),
    mutation("TR204", by.wrong_role, "TR402"),
    mutation("TR205", by.unknown_tool),
    mutation("TR206", by.misfit),
    mutation("TR207", by.stray_field),
    mutation("TR208", by.dotted_name, "TR205"),  # the calls of the tool
    mutation("TR209", by.lost_toolset, wires="messages"),
    mutation("TR301", by.set_content(lambda _: {"temp_c": 4})),
    mutation("TR302", by.silent_error),
    mutation("TR303", by.pictured_error),
    mutation("TR304", by.inside(by.set_content(lambda body: [body.text("")]), "[0]")),
    mutation("TR305", by.not_a_number, "TR206"),
    mutation("TR306", by.set_content(lambda body: [body.text("x" * 1_000_001)])),
    mutation("TR307", by.inside(by.set_content(lambda body: [body.image(by.HTML)]), "[0]")),
    mutation("TR308", by.set_content(lambda _: None)),
    mutation("TR309", by.inside(by.set_content(lambda _: [{"json": [1]}]), "[0].json"), wires="converse"),
    mutation("TR310", by.empty),
    mutation("TR401", by.said_nothing),
    mutation("TR402", by.twice_the_user, "TR110"),  # the text stands behind results
    mutation("TR403", by.begun_by("assistant")),
    mutation("TR404", by.ended_by_assistant),
    mutation("TR405", by.begun_by("system")),
    mutation("TR406", by.thinking_gone, "TR504"),  # where the recording forces a tool
    mutation("TR408", by.thinking_left, "TR404", wires="messages"),
    mutation("TR409", by.server_result_alone, wires="messages"),
    mutation("TR410", by.server_use_alone, wires="messages"),
    mutation("TR501", by.tools_gone),
    mutation("TR502", by.same_name),
    mutation("TR503", by.bad_schema, "TR206"),
    mutation("TR504", by.forced_while_thinking, "TR406", wires="messages"),
    mutation("TR505", by.wrong_choice),
    mutation("TR506", by.breakpoints),
    mutation("TR508", by.new_version, wires="messages"),
]


@dataclass(frozen=True)
class Step:
    """A request with its reply, and the request that goes on from it; all without a finding."""

    first: Request
    reply: Reply
    then: Request


@pytest.fixture(scope="module")
def recorded() -> tuple[list[Request], list[Step]]:
    """Clean requests with answered calls, and clean steps of tool loops, an equal one once."""
    requests: dict[str, Request] = {}
    steps: dict[str, Step] = {}
    for path in files():
        before: tuple[Request, Reply] | None = None
        for request, reply in _exchanges(path):
            key = json.dumps(request.body, sort_keys=True)
            if check_request(request) == () and _has_pair(request):
                requests.setdefault(key, request)
                if before is not None and _goes_on(before, request):
                    steps.setdefault(key, Step(*before, request))
            before = None if reply is None else (request, reply)
    return list(requests.values()), list(steps.values())


def _exchanges(path: Any) -> Iterator[tuple[Request, Reply | None]]:
    for interaction in read_recording(path).interactions:
        request = read_request(interaction.request)
        response = interaction.response
        if request is not None and response is not None and response.status == 200:
            reply = read_response(request, response)
            yield request, reply if isinstance(reply, Reply) else None


def _has_pair(request: Request) -> bool:
    """Whether the last call is a good one: answered without an error, with an input that is an object."""
    body = Body(dict(request.body), request.wire is Wire.CONVERSE)
    try:
        _, _, result = body.result()
        body.use()
    except StopIteration:
        return False
    failed = result.get("is_error") is True or result.get("status") == "error"
    return bool(body.tools) and not failed


def _goes_on(before: tuple[Request, Reply], request: Request) -> bool:
    first, reply = before
    known = len(first.raw_messages)
    calls = bool(reply.tool_uses) and reply.stop_reason == "tool_use"
    return calls and request.raw_messages[:known] == first.raw_messages and not judged(Step(first, reply, request))


def judged(step: Step, *, live: bool = False) -> list[Finding]:
    conversations = Conversations(live=live)
    first = conversations.judge(step.first)
    found = list(conversations.served(first, step.reply))
    return [*found, *conversations.judge(step.then).fresh]


def copied(request: Request, **more: Any) -> Request:
    body = json.loads(json.dumps(request.body))
    body.update(more)
    return parsed(request, body)


def parsed(request: Request, body: Json) -> Request:
    if request.wire is Wire.CONVERSE:
        return converse.parse_request(body, request.model)
    return messages.parse_request(body, request.version, request.model)


@pytest.mark.parametrize("case", MUTATIONS, ids=str)
def test_a_broken_request_shows_its_rule_alone(case: Mutation, recorded: tuple[list[Request], list[Step]]) -> None:
    tried: Counter[Wire] = Counter()
    for request in recorded[0]:
        wire = request.wire
        if wire not in case.wires or tried[wire] >= MOST:
            continue
        body = Body(json.loads(json.dumps(request.body)), wire is Wire.CONVERSE)
        where = case.apply(body)
        if where is None:
            continue
        version = body.raw.get("anthropic_version")
        broken = replace(parsed(request, body.raw), version=version or request.version)
        found = check_request(broken)
        seen = {(finding.code, finding.path) for finding in found if finding.code not in case.follows}
        assert seen == {(case.code, where)}, request.body
        tried[wire] += 1
    assert all(tried[wire] > 0 for wire in case.wires), tried


def _sent(step: Step) -> Json:
    body: Json = json.loads(json.dumps(step.then.body))
    return body


def _echo(step: Step, body: Json) -> Json:
    message: Json = body["messages"][len(step.first.raw_messages)]
    return message


def _thought(step: Step, thinking: str) -> tuple[Step, Json, int]:
    """The step as if its model had thought, and the place of the echo."""
    block = {"type": "thinking", "thinking": "So.", "signature": "c2ln"}
    reply = messages.parse_reply({**step.reply.body, "content": [block, *step.reply.content]})
    body = _sent(step)
    _echo(step, body)["content"].insert(0, {**block, "thinking": thinking})
    return replace(step, reply=reply), body, len(step.first.raw_messages)


def thinking_altered(step: Step) -> tuple[Step, str] | None:
    if step.first.wire is Wire.CONVERSE:
        return None
    thoughtful, body, at = _thought(step, "So")
    return replace(thoughtful, then=parsed(step.then, body)), f"messages[{at}].content[0]"


def prefix_changed(step: Step) -> tuple[Step, str] | None:
    if step.first.wire is Wire.CONVERSE:
        return None
    thoughtful, body, _ = _thought(step, "So.")
    first = copied(step.first, model="claude-opus-5-5", system="It is 12:30.", tool_choice=None)
    then = parsed(step.then, {**body, "model": "claude-opus-5-5", "system": "It is 12:31.", "tool_choice": None})
    return replace(thoughtful, first=first, then=then), "system"


def paused(step: Step) -> tuple[Step, str] | None:
    if step.first.wire is Wire.CONVERSE:
        return None
    return replace(
        step, reply=replace(step.reply, stop_reason="pause_turn")
    ), f"messages[{len(step.first.raw_messages) + 1}]"


def tools_changed(step: Step) -> tuple[Step, str] | None:
    body = _sent(step)
    if step.first.wire is Wire.CONVERSE:
        spec = {"name": "map", "description": "A map.", "inputSchema": {"json": {"type": "object"}}}
        body["toolConfig"]["tools"].append({"toolSpec": spec})
        return replace(step, then=parsed(step.then, body)), "toolConfig"
    body["tools"].append({"name": "map", "input_schema": {"type": "object"}})
    return replace(step, then=parsed(step.then, body)), "tools"


def thread_changed(step: Step) -> tuple[Step, str] | None:
    if step.reply.id is None:
        return None
    first = copied(step.first, thread={"type": "create"})
    body = _sent(step)
    body["messages"] = body["messages"][len(step.first.raw_messages) + 1 :]
    body |= {"thread": {"type": "continue", "previous_message_id": step.reply.id}, "system": "Another."}
    return replace(step, first=first, then=parsed(step.then, body)), "system"


def reply_altered(step: Step) -> tuple[Step, str] | None:
    body = _sent(step)
    use = Body(body, step.first.wire is Wire.CONVERSE).use()[2]
    use["input"] = {"another": "input"}
    return replace(step, then=parsed(step.then, body)), f"messages[{len(step.first.raw_messages)}]"


def history_rewritten(step: Step) -> tuple[Step, str] | None:
    body = _sent(step)
    body["messages"][0] = Body(body, step.first.wire is Wire.CONVERSE).say("user", "Another prompt")
    return replace(step, then=parsed(step.then, body)), "messages[0]"


def cut_and_run(step: Step) -> tuple[Step, str] | None:
    if len(step.reply.tool_uses) != 1:
        return None
    index, position, _ = Body(dict(step.then.body), step.first.wire is Wire.CONVERSE).result()
    reply = replace(step.reply, stop_reason="max_tokens")
    return replace(step, reply=reply), f"messages[{index}].content[{position}]"


def cut_stream(step: Step) -> tuple[Step, str] | None:
    return replace(step, reply=replace(step.reply, complete=False)), "reply"


def parallel(step: Step) -> tuple[Step, str] | None:
    if step.first.wire is Wire.CONVERSE or len(step.reply.tool_uses) < 2:
        return None
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    return replace(step, first=copied(step.first, tool_choice=choice)), "reply"


def resent(step: Step) -> tuple[Step, str] | None:
    return Step(
        step.then, replace(step.reply, blocks=(), content=[], stop_reason="end_turn"), copied(step.then)
    ), "messages"


SEQUELS = {
    "TR407": (thinking_altered, set()),
    "TR411": (paused, set()),
    "TR412": (prefix_changed, set()),
    "TR507": (tools_changed, set()),
    "TR509": (thread_changed, set()),
    "TR605": (reply_altered, {"TR206"}),
    "TR606": (history_rewritten, set()),
    "TR607": (cut_and_run, set()),
    "TR612": (cut_stream, set()),
    "TR613": (parallel, set()),
    "TR614": (resent, set()),
}


@pytest.mark.parametrize("code", SEQUELS)
def test_a_broken_step_shows_its_rule_alone(code: str, recorded: tuple[list[Request], list[Step]]) -> None:
    apply, follows = SEQUELS[code]
    tried = 0
    for step in recorded[1]:
        broken = apply(step)
        if broken is None or tried >= MOST:
            continue
        seen = {(finding.code, finding.path) for finding in judged(broken[0]) if finding.code not in follows}
        assert seen == {(code, broken[1])}
        tried += 1
    assert tried > 0


def facts_of(step: Step) -> RunFacts:
    """A run as it was recorded, with tools that returned what was sent for them."""
    results = {
        block.id: block for message in step.then.messages for block in message.blocks if isinstance(block, ToolResult)
    }
    calls = tuple(_fact(use, results[use.id]) for use in step.reply.tool_uses if use.id in results)
    return RunFacts(calls=calls, turns=2)


def _fact(use: ToolUse, result: ToolResult) -> CallFacts:
    value = f"outcome of {use.id}"
    block = Body({"messages": []}, use.place.key != "").text(value)
    part = (converse.parse_messages if use.place.key else messages.parse_messages)(
        [{"role": "user", "content": [block]}]
    )
    told = replace(result, parts=part[0].blocks, is_error=False)
    return CallFacts(
        use, 1, (Execution(Did.RETURNED, value, telling=(value,)),), told, result.place.path, followed=True
    )


def run_broken(facts: RunFacts, code: str) -> RunFacts | None:
    call, *rest = facts.calls
    ran = call.executions[0]
    assert call.result is not None
    match code:
        case "TR601":
            changed = replace(call, result=None, result_path="")
        case "TR602":
            changed = replace(call, executions=(replace(ran, did=Did.RAISED),))
        case "TR603":
            changed = replace(call, executions=(replace(ran, telling=("something else",)),))
        case "TR604":
            if not rest:
                return None
            changed = replace(call, result=rest[0].result)
        case "TR607":
            changed = replace(call, stop_reason="max_tokens")
        case "TR608":
            changed = replace(call, executions=(ran, ran))
        case "TR609":
            return replace(facts, crashed="LookupError: no city")
        case "TR610":
            changed = replace(call, result=None, result_path="", followed=False)
        case _:
            return replace(facts, over_limit=2)
    return replace(facts, calls=(changed, *rest))


@pytest.mark.parametrize("code", ["TR601", "TR602", "TR603", "TR604", "TR607", "TR608", "TR609", "TR610", "TR611"])
def test_a_broken_run_shows_its_rule_alone(code: str, recorded: tuple[list[Request], list[Step]]) -> None:
    tried = 0
    for step in recorded[1][:MOST]:
        facts = facts_of(step)
        assert check_run(facts) == ()
        broken = run_broken(facts, code)
        if broken is not None:
            assert {finding.code for finding in check_run(broken)} == {code}
            tried += 1
    assert tried > 0


def test_every_rule_is_tried() -> None:
    runs = {"TR601", "TR602", "TR603", "TR604", "TR608", "TR609", "TR610", "TR611"}
    recordings = {"TR901", "TR902"}  # tests/linter/test_secrets.py
    assert {case.code for case in MUTATIONS} | set(SEQUELS) | runs | recordings == set(all_rules())
