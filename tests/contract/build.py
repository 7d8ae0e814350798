"""Builds requests of both wires and the facts of runs, in as few words as a table of cases can bear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolreplay.contract.conversations import Conversations
from toolreplay.contract.entry import check, parse
from toolreplay.contract.facts import CallFacts, Did, Execution, RunFacts
from toolreplay.contract.finding import Finding
from toolreplay.wire import converse, messages
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.model import ToolResult, ToolUse, Wire

Json = dict[str, Any]
UNSET: Any = object()


@dataclass(frozen=True)
class Case:
    """Messages, and every finding on them as `brief` writes it."""

    id: str
    messages: list[Json]
    found: list[str]
    wire: str = "messages"
    profile: str | None = None

    def __str__(self) -> str:
        return self.id

    def findings(self) -> list[Finding]:
        return check(self.messages, self.wire, self.profile)


@dataclass(frozen=True)
class Whole:
    """A request body, and every finding on it."""

    id: str
    body: Json
    found: list[str]
    wire: str = "messages"
    profile: str | None = None

    def __str__(self) -> str:
        return self.id

    def findings(self) -> list[Finding]:
        return check(self.body, self.wire, self.profile)


def tool(name: str = "weather", schema: Any = UNSET, **more: Any) -> Json:
    return {"name": name, "input_schema": {"type": "object"} if schema is UNSET else schema, **more}


def c_tool(name: str = "weather", schema: Any = UNSET, **more: Any) -> Json:
    inner = {"name": name, "inputSchema": {"json": {"type": "object"} if schema is UNSET else schema}, **more}
    return {"toolSpec": inner}


def but_neighbours(findings: list[Finding]) -> list[Finding]:
    """Without TR402, which is beside the point where neighbours are only there to be counted."""
    return [finding for finding in findings if finding.code != "TR402"]


def brief(findings: list[Finding]) -> list[str]:
    return [f"{finding.code} {finding.severity} {finding.path}" for finding in findings]


def user(*content: Any) -> Json:
    return _message("user", content)


def assistant(*content: Any) -> Json:
    return _message("assistant", content)


def system(*content: Any) -> Json:
    return _message("system", content)


def _message(role: str, content: tuple[Any, ...]) -> Json:
    if len(content) == 1 and isinstance(content[0], str):
        return {"role": role, "content": content[0]}
    return {"role": role, "content": list(content)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def image() -> Json:
    return {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


def use(use_id: Any = "toolu_1", name: str = "weather", given: Any = UNSET, **more: Any) -> Json:
    block = {"type": "tool_use", "id": use_id, "name": name, "input": {} if given is UNSET else given, **more}
    return {key: value for key, value in block.items() if value is not None or key == "input"}


def result(use_id: str | None = "toolu_1", content: Any = "rain", error: bool = False) -> Json:
    block: Json = {"type": "tool_result"}
    if use_id is not None:
        block["tool_use_id"] = use_id
    if content is not UNSET:
        block["content"] = content
    return {**block, "is_error": True} if error else block


def server_use(use_id: str = "srvtoolu_1", name: str = "web_search", kind: str = "server_tool_use") -> Json:
    return {"type": kind, "id": use_id, "name": name, "input": {}}


def server_result(use_id: str = "srvtoolu_1", kind: str = "web_search_tool_result") -> Json:
    return {"type": kind, "tool_use_id": use_id, "content": []}


def c_text(words: str) -> Json:
    return {"text": words}


def c_use(use_id: str = "tooluse_1", name: str = "weather", given: Any = UNSET, **more: Any) -> Json:
    fields = {"toolUseId": use_id, "name": name, "input": {} if given is UNSET else given, **more}
    return {"toolUse": fields}


def c_result(use_id: str = "tooluse_1", content: Any = UNSET, status: str | None = None) -> Json:
    fields: Json = {"toolUseId": use_id, "content": [{"text": "rain"}] if content is UNSET else content}
    return {"toolResult": fields if status is None else {**fields, "status": status}}


CACHE_POINT: Json = {"cachePoint": {"type": "default"}}
ASK = user("Weather?")
C_ASK = user(c_text("Weather?"))


def parsed(messages_json: list[Json], wire: Wire = Wire.MESSAGES) -> Any:
    parse = converse.parse_messages if wire is Wire.CONVERSE else messages.parse_messages
    return parse(messages_json)


def followed(
    request: Json, reply: Json, after: Json | None = None, *, live: bool = False, wire: str = "messages"
) -> list[Finding]:
    """The findings on a reply and on the request that goes on from it, the first request's own left out."""
    kind = Wire(wire)
    read = converse.parse_reply if kind is Wire.CONVERSE else messages.parse_reply
    conversations = Conversations(live=live)
    first = conversations.judge(parse(request, kind))
    found = list(conversations.served(first, read(reply, complete=reply.get("complete", True))))
    if after is not None:
        found += conversations.judge(parse(after, kind)).fresh
    return found


def run(page: Mapping[str, Any]) -> RunFacts:
    """The facts of a run, written as the rules' pages write them.

    `tool` is what the tool did, `{returned: value}`, `{raised: message}` or `{failed: content}`, or a list of
    those; `sent` is the result, if any was sent. A run has two replies and asks for every call in the first,
    unless it says otherwise; so a call without `sent` was followed by a request that did not answer it.
    """
    turns = page.get("turns", 2)
    return RunFacts(
        calls=tuple(_call(index, entry, turns) for index, entry in enumerate(page["calls"])),
        turns=turns,
        crashed=page.get("crashed"),
        refused=page.get("refused", False),
        over_limit=page.get("over_limit"),
        pending_expected=page.get("pending_expected", False),
    )


def _call(index: int, entry: Mapping[str, Any], turns: int) -> CallFacts:
    did = entry.get("tool", [])
    sent = entry.get("sent")
    turn = entry.get("turn", 1)
    (served,) = messages.parse_content([use(entry["id"], entry["name"], **entry.get("use", {}))], -1)
    assert isinstance(served, ToolUse)
    answer = None if sent is None else _sent(index, {**sent, "tool_use_id": entry["id"]}, turn)
    return CallFacts(
        use=served,
        turn=turn,
        executions=tuple(_execution(mapping(one)) for one in (items(did) or [did] if did else [])),
        result=answer,
        result_path=answer.place.path if answer is not None else "",
        followed=sent is not None or turn < turns,
        stop_reason=entry.get("stop_reason", "tool_use"),
    )


def _sent(index: int, fields: Mapping[str, Any], turn: int) -> ToolResult:
    padding: list[Json] = [text("-")] * index
    block = messages.parse_content([*padding, {"type": "tool_result", **fields}], 2 * turn)[index]
    assert isinstance(block, ToolResult)
    return block


def _execution(did: Mapping[str, Any]) -> Execution:
    (what, value), *rest = did.items()
    telling = tuple(rest[0][1]) if rest else (value,) if isinstance(value, str) else ()
    if what == "raised":
        return Execution(Did.RAISED, error=value, telling=telling)
    return Execution(Did.FAILED if what == "failed" else Did.RETURNED, value=value, telling=telling)
