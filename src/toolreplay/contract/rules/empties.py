"""TR308-310: results that hold nothing, or a JSON part that is no object."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_message
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import shown
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import MISSING, Message, ToolResult, Wire

from .blocks import kind_of


@on_message(
    "TR308",
    "null-result-content",
    "WEE",
    evidence="anthropic SDK types and botocore service model (content may be absent on Messages, null on "
    "neither); the SDK's own tool_runner sends it for a tool that returns None",
    alone=True,
    about=(ToolResult,),
)
def null_result_content(message: Message, context: Context) -> Iterator[Broken]:
    """The content of a tool_result is null.

    Why: a tool returned nothing and the loop passed it on. No documentation allows null there; the
    first-party API has not been seen to refuse it, stricter endpoints and botocore do.
    Fix: leave `content` out where there is no output (on Converse send an empty list), or say `done`.
    Good:
        messages:
          - {role: user, content: Make a folder}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: make_folder, input: {}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: done}]}
    Bad:
        messages:
          - {role: user, content: Make a folder}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: make_folder, input: {}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: null}]}
    """
    del context
    for block in message.blocks:
        if isinstance(block, ToolResult) and block.content is None and not block.is_error:
            yield Broken(block.place.field("content"), f"the content of the result of {shown(block.id)} is null")


@on_message(
    "TR309",
    "json-result-not-object",
    "--E",
    evidence="400 reported in aws/aws-sdk-js-v3#7330, sigoden/aichat#1542 (Claude); Nova takes it: a warning",
    answers={Wire.CONVERSE: [wording.JSON_NOT_OBJECT]},
    alone=True,
    about=(ToolResult,),
)
def json_result_not_object(message: Message, context: Context) -> Iterator[Broken]:
    """A `json` part of a Converse result is a list, a string or a number.

    Why: Converse takes any JSON by its type, and refuses all but an object when the model is Claude. A tool
    that returns a list works with one model and not with the other.
    Fix: wrap the value in an object, `{"items": [...]}`, or send it as text.
    Good:
        wire: converse
        messages:
          - {role: user, content: [{text: Cities}]}
          - {role: assistant, content: [{toolUse: {toolUseId: tooluse_1, name: cities, input: {}}}]}
          - role: user
            content: [{toolResult: {toolUseId: tooluse_1, content: [{json: {items: [Oslo, Bergen]}}]}}]
    Bad:
        wire: converse
        messages:
          - {role: user, content: [{text: Cities}]}
          - {role: assistant, content: [{toolUse: {toolUseId: tooluse_1, name: cities, input: {}}}]}
          - {role: user, content: [{toolResult: {toolUseId: tooluse_1, content: [{json: [Oslo, Bergen]}]}}]}
    """
    if context.wire is not Wire.CONVERSE:
        return
    for block in message.blocks:
        if not isinstance(block, ToolResult):
            continue
        for part in block.parts:
            value = mapping(part.raw).get("json", MISSING)
            if value is MISSING or isinstance(value, dict):
                continue
            nova = "nova" in (context.request.model or "").lower()
            at = f"{part.place.dotted}.toolResult.content.{part.place.inner}.json"
            yield Broken(
                path=f"{part.place.path}.json",
                message=f"the json of the result of {shown(block.id)} is {kind_of(value)}, not an object",
                api=None if nova else wording.JSON_NOT_OBJECT.format(at=at),
                severity=Severity.WARNING if nova else None,
            )


@on_message(
    "TR310",
    "empty-result",
    "IWI",
    evidence="docs: handle-tool-calls shows a result without content; gateways to Bedrock refuse it",
    alone=True,
    about=(ToolResult,),
)
def empty_result(message: Message, context: Context) -> Iterator[Broken]:
    """A good result has no content.

    Why: it is legal, and the model cannot tell "nothing found" from "nothing came back"; gateways to other
    endpoints turn it into an empty message, which is refused.
    Fix: say in words what an empty output means, `done` or `no matches`.
    Good:
        messages:
          - {role: user, content: Find Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: find, input: {}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: no matches}]}
    Bad:
        messages:
          - {role: user, content: Find Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: find, input: {}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: ""}]}
    """
    for block in message.blocks:
        if not isinstance(block, ToolResult) or block.is_error:
            continue
        if block.content == [] or (block.content in (MISSING, "") and context.wire is Wire.MESSAGES):
            yield Broken(block.place.path, f"the result of {shown(block.id)} is empty")
