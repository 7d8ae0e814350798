"""TR308-310, TR401: results, messages and requests that hold nothing, or a JSON part that is no object."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract import wording
from toolreplay.contract.catalogue import REQUEST_RULES, also, on_message, on_step
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.tally import Tally
from toolreplay.contract.turns import Context, Step
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


@on_step(
    "TR401",
    "empty-message",
    "EEE",
    evidence="400 recorded in Mirascope/mirascope (handles-empty-string-content.har), reported in "
    "anthropics/claude-code#6774; Converse: earendil-works/pi#3443; no messages at all: 400 reported in "
    "devoxx/DevoxxGenieIDEAPlugin#567",
    answers={
        Wire.MESSAGES: [wording.MESSAGE_EMPTY, wording.NO_MESSAGES],
        Wire.CONVERSE: [wording.MESSAGE_EMPTY_ON_CONVERSE],
    },
)
def empty_message(step: Step, context: Context) -> Iterator[Broken]:
    """A message has no content, or a request no messages.

    Why: the API takes an empty message only as the final assistant one. A reply may be empty (after tool
    results, or when it was cut): appended to the history it makes every later request fail.
    Fix: leave an empty reply out of the history, and send a user message only when there is something in it.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: Rain.}
          - {role: user, content: And in Bergen}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: []}
          - {role: user, content: And in Bergen}
    """
    for message in (*step.between, *step.turn.messages):
        if message.content not in ("", []) and message.blocks:
            continue
        last = step.last and step.turn.messages[-1:] == (message,)
        if (last and message.role == "assistant") or (message.role == "system" and message.content == []):
            continue  # an empty system message is TR405's
        n = step.turn.api_index(message.index, context)
        api = wording.MESSAGE_EMPTY_ON_CONVERSE if context.wire is Wire.CONVERSE else wording.MESSAGE_EMPTY
        yield Broken(message.path, f"the message of role {shown(message.role)} has no content", api.format(n=n))


@also(REQUEST_RULES, "TR401")
def no_messages(tally: Tally, context: Context) -> Iterator[Broken]:
    """The same, of a whole request; an empty list is legal where a thread goes on."""
    del tally
    request = context.request
    judged = context.wire is Wire.MESSAGES and request.model is not None and request.continues is None
    if judged and request.body.get("messages") == []:
        yield Broken("messages", "the request has no messages", wording.NO_MESSAGES)
