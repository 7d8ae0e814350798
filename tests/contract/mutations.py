"""Ways to break a recorded request, a way a rule, and where the rule must see it.

A mutation changes a body in place and returns the place; None where the body has nothing it could break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Mutate: TypeAlias = Callable[["Body"], str | None]

HTML = "PGh0bWw+PC9odG1sPg=="
MARK = {"type": "ephemeral"}


@dataclass(frozen=True)
class Body:
    """A request body with the words of its wire."""

    raw: Json
    converse: bool

    @property
    def messages(self) -> list[Json]:
        found: list[Json] = self.raw["messages"]
        return found

    @property
    def tools(self) -> list[Json]:
        found = self.raw.get("toolConfig", {}).get("tools", []) if self.converse else self.raw.get("tools", [])
        return [entry for entry in found if ("toolSpec" in entry if self.converse else "input_schema" in entry)]

    def use(self) -> tuple[int, int, Json]:
        """Message, block and fields of the last call."""
        return next(self._found("toolUse", "tool_use"))

    def result(self) -> tuple[int, int, Json]:
        """Message, block and fields of the last result."""
        return next(self._found("toolResult", "tool_result"))

    def _found(self, union_key: str, kind: str) -> Iterator[tuple[int, int, Json]]:
        for index in range(len(self.messages) - 1, -1, -1):
            content = self.messages[index]["content"]
            for position in range(len(content) - 1, -1, -1) if isinstance(content, list) else ():
                block = content[position]
                if self.converse and union_key in block:
                    yield index, position, block[union_key]
                elif not self.converse and block.get("type") == kind:
                    yield index, position, block

    @property
    def id_key(self) -> str:
        return "toolUseId" if self.converse else "tool_use_id"

    def text(self, words: str) -> Json:
        return {"text": words} if self.converse else {"type": "text", "text": words}

    def say(self, role: str, words: str) -> Json:
        return {"role": role, "content": [self.text(words)]}

    def image(self, data: str) -> Json:
        if self.converse:
            return {"image": {"format": "jpeg", "source": {"bytes": data}}}
        return {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": data}}

    def at(self, index: int, position: int, field: str = "", key: str = "") -> str:
        place = f"messages[{index}].content[{position}]"
        inner = f".{key}" if self.converse and key else ""
        return f"{place}{inner}.{field}" if field else place

    def fail(self, result: Json, content: Any) -> None:
        """Give a result error status and a content."""
        result.update({"status": "error"} if self.converse else {"is_error": True}, content=content)


def unanswered(body: Body) -> str | None:
    index, position, _ = body.result()
    content = body.messages[index]["content"]
    del content[position]
    if not content:
        content.append(body.text("And?"))
    at, where, _ = body.use()
    return body.at(at, where)


def orphan(body: Body) -> str | None:
    index, position, result = body.result()
    result[body.id_key] = "toolu_none"
    return body.at(index, position)


def answered_twice(body: Body) -> str | None:
    index, position, result = body.result()
    content = body.messages[index]["content"]
    content.insert(position + 1, {"toolResult": dict(result)} if body.converse else dict(result))
    return body.at(index, position + 1)


def text_first(body: Body) -> str | None:
    index, _, _ = body.result()
    body.messages[index]["content"].insert(0, body.text("Here it is:"))
    return body.at(index, 0)


def split(body: Body) -> str | None:
    index, position, _ = body.result()
    content = body.messages[index]["content"]
    if position == 0 or position != len(content) - 1:
        return None
    body.messages.insert(index + 1, {"role": "user", "content": [content.pop()]})
    return body.at(index + 1, 0)


def system_between(body: Body) -> str | None:
    index, _, _ = body.result()
    body.messages.insert(index, body.say("system", "Be brief."))
    return f"messages[{index}]"


def answered_server(body: Body) -> str | None:
    index, position, _ = body.result()
    answer = {"type": "tool_result", "tool_use_id": "srvtoolu_none", "content": "rain"}
    body.messages[index]["content"].insert(position + 1, answer)
    return body.at(index, position + 1)


def crowded(body: Body) -> str | None:
    at, _, _ = body.use()
    call = {"type": "server_tool_use", "id": "srvtoolu_open", "name": "web_search", "input": {}}
    body.messages[at]["content"].insert(0, call)
    index, _, _ = body.result()
    content = body.messages[index]["content"]
    content.append(body.text("Go on."))
    return body.at(index, len(content) - 1)


def dangling(body: Body) -> str | None:
    at, _, _ = body.use()
    del body.messages[at + 1 :]
    first = next(
        position
        for position, block in enumerate(body.messages[at]["content"])
        if "toolUse" in block or block.get("type") == "tool_use"
    )
    return body.at(at, first)


def text_behind(body: Body) -> str | None:
    index, _, _ = body.result()
    content = body.messages[index]["content"]
    content.append(body.text("In one line."))
    return body.at(index, len(content) - 1)


def called_twice(body: Body) -> str | None:
    at, where, use = body.use()
    body.messages[at]["content"].insert(where + 1, {"toolUse": dict(use)} if body.converse else dict(use))
    return body.at(at, where + 1)


def foreign_id(body: Body) -> str | None:
    at, where, use = body.use()
    _, _, result = body.result()
    field = "toolUseId" if body.converse else "id"
    if use[field] != result[body.id_key]:
        return None
    use[field] = result[body.id_key] = "call_1|fc_2"
    return body.at(at, where, field, "toolUse")


def input_text(body: Body) -> str | None:
    at, where, use = body.use()
    use["input"] = '{"a": 1}'
    return body.at(at, where, "input", "toolUse")


def wrong_role(body: Body) -> str | None:
    index, position, _ = body.result()
    if len(body.messages[index]["content"]) > 1:
        return None
    body.messages[index]["role"] = "assistant"
    return body.at(index, position)


def unknown_tool(body: Body) -> str | None:
    at, where, use = body.use()
    use["name"] = "no_such_tool"
    return body.at(at, where, "name", "toolUse")


def misfit(body: Body) -> str | None:
    at, where, use = body.use()
    for entry in body.tools:
        spec = entry["toolSpec"] if body.converse else entry
        schema = spec["inputSchema"]["json"] if body.converse else spec["input_schema"]
        if spec["name"] == use["name"] and schema.get("required"):
            use["input"] = {}
            return body.at(at, where, "input", "toolUse")
    return None


def stray_field(body: Body) -> str | None:
    at, where, use = body.use()
    use["index"] = 0
    return body.at(at, where, "index", "toolUse")


def dotted_name(body: Body) -> str | None:
    entry = body.tools[0]
    (entry["toolSpec"] if body.converse else entry)["name"] = "a.b"
    return _tool(body, 0, "name")


def lost_toolset(body: Body) -> str | None:
    _, _, use = body.use()
    use["toolset_name"] = "browser"
    index, position, result = body.result()
    return body.at(index, position) if result["tool_use_id"] == use["id"] else None


def set_content(content: Any) -> Mutate:
    def mutate(body: Body) -> str | None:
        index, position, result = body.result()
        result["content"] = content(body)
        return body.at(index, position, "content", "toolResult")

    return mutate


def inside(mutate: Mutate, suffix: str) -> Mutate:
    def located(body: Body) -> str | None:
        where = mutate(body)
        return None if where is None else f"{where}{suffix}"

    return located


def silent_error(body: Body) -> str | None:
    index, position, result = body.result()
    body.fail(result, [] if body.converse else "")
    return body.at(index, position, "content", "toolResult")


def pictured_error(body: Body) -> str | None:
    index, position, result = body.result()
    body.fail(result, [body.text("timed out"), body.image("/9j/4AAQ")])
    return body.at(index, position, "content[1]", "toolResult")


def not_a_number(body: Body) -> str | None:
    at, where, use = body.use()
    use["input"]["t"] = float("nan")
    return body.at(at, where, "input.t", "toolUse")


def empty(body: Body) -> str | None:
    index, position, result = body.result()
    result["content"] = []
    return body.at(index, position)


def said_nothing(body: Body) -> str | None:
    body.messages.extend([{"role": "assistant", "content": []}, body.say("user", "So?")])
    return f"messages[{len(body.messages) - 2}]"


def twice_the_user(body: Body) -> str | None:
    body.messages.append(body.say("user", "So?"))
    return f"messages[{len(body.messages) - 1}]"


def begun_by(role: str) -> Mutate:
    def mutate(body: Body) -> str | None:
        body.messages.insert(0, body.say(role, "Hello."))
        return "messages[0]"

    return mutate


def ended_by_assistant(body: Body) -> str | None:
    body.messages.append(body.say("assistant", "In one word:"))
    return f"messages[{len(body.messages) - 1}]"


def thinking_gone(body: Body) -> str | None:
    if "thinking" in str(body.messages) or body.result()[0] != len(body.messages) - 1:
        return None
    fields = body.raw.setdefault("additionalModelRequestFields", {}) if body.converse else body.raw
    fields["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    last_said = max(
        (index for index, message in enumerate(body.messages) if message["role"] == "user" and not _answers(message)),
        default=-1,
    )
    return body.at(last_said + 1, 0)


def thinking_left(body: Body) -> str | None:
    body.raw.pop("thinking", None)
    thought = {"type": "thinking", "thinking": "So.", "signature": "c2ln"}
    body.messages.append({"role": "assistant", "content": [thought, body.text("So")]})
    return body.at(len(body.messages) - 1, 0)


def server_result_alone(body: Body) -> str | None:
    at, _, _ = body.use()
    lonely = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_none", "content": []}
    body.messages[at]["content"].insert(0, lonely)
    return body.at(at, 0)


def server_use_alone(body: Body) -> str | None:
    call = {"type": "server_tool_use", "id": "srvtoolu_open", "name": "web_search", "input": {}}
    body.messages.extend([{"role": "assistant", "content": [call, body.text("So.")]}, body.say("user", "More")])
    return body.at(len(body.messages) - 2, 0)


def tools_gone(body: Body) -> str | None:
    body.raw.pop("tool_choice", None)
    del body.raw["toolConfig" if body.converse else "tools"]
    return "toolConfig" if body.converse else "tools"


def same_name(body: Body) -> str | None:
    entries = body.raw["toolConfig"]["tools"] if body.converse else body.raw["tools"]
    entries.append(body.tools[0])
    return _tool(body, len(entries) - 1, "name")


def bad_schema(body: Body) -> str | None:
    entry = body.tools[0]
    schema = entry["toolSpec"]["inputSchema"]["json"] if body.converse else entry["input_schema"]
    schema["type"] = "array"
    return _tool(body, 0, "inputSchema.json.type" if body.converse else "input_schema.type")


def forced_while_thinking(body: Body) -> str | None:
    body.raw["tool_choice"] = {"type": "any"}
    body.raw["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    return "tool_choice"


def wrong_choice(body: Body) -> str | None:
    if body.converse:
        body.raw["toolConfig"]["toolChoice"] = {"required": {}}
        return "toolConfig.toolChoice"
    body.raw["tool_choice"] = {"type": "required"}
    return "tool_choice"


def breakpoints(body: Body) -> str | None:
    if "cache_control" in str(body.raw) or "cachePoint" in str(body.raw):
        return None
    point = {"cachePoint": {"type": "default"}} if body.converse else {**body.text("-"), "cache_control": MARK}
    body.raw["system"] = [point] * 5
    return "system[4]"


def new_version(body: Body) -> str | None:
    body.raw["anthropic_version"] = "2026-10-21"
    for name in ("top_p", "top_k"):
        body.raw.pop(name, None)
    body.raw["temperature"] = 0.0
    return "temperature"


def _answers(message: Json) -> bool:
    content = message["content"]
    return isinstance(content, list) and any(
        "toolResult" in block or block.get("type") == "tool_result" for block in content
    )


def _tool(body: Body, index: int, field: str) -> str:
    return f"toolConfig.tools[{index}].toolSpec.{field}" if body.converse else f"tools[{index}].{field}"
