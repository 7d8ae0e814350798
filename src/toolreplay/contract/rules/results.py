"""TR3xx: what stands inside results, and in text blocks anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_message
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import shown
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import MISSING, Block, Media, Message, Other, Text, ToolResult, Wire

from .blocks import kind_of


@on_message(
    "TR301",
    "invalid-result-content",
    "EEE",
    evidence="anthropic SDK types (tool_result content: a string or a list of blocks); botocore service "
    "model bedrock-runtime 2023-09-30 (content: a required list)",
    alone=True,
    about=(ToolResult,),
)
def invalid_result_content(message: Message, context: Context) -> Iterator[Broken]:
    """The content of a tool_result is neither a string nor a list of blocks.

    Why: a tool returned a dict, a number or bytes and the loop passed it on as it was. Iterating a dict sends
    its keys, iterating bytes sends integers. On Converse the content is always a list.
    Fix: turn the tool's value into text (json.dumps) or into content blocks before it is sent.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: '{"temp_c": 4}'}]}
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: {temp_c: 4}}]}
    """
    for result in _results(message):
        content = result.content
        if isinstance(content, list):
            for part in result.parts:
                wrong = _wrong_part(part)
                if wrong is not None:
                    yield Broken(part.place.path, f"{wrong} is no content block")
        elif content is MISSING and context.wire is Wire.CONVERSE:
            yield Broken(result.place.path, "the toolResult has no content; send an empty list for none")
        elif content is not MISSING and content is not None:
            if isinstance(content, str) and context.wire is Wire.MESSAGES:
                continue
            allowed = "a list of blocks" if context.wire is Wire.CONVERSE else "a string or a list of blocks"
            yield Broken(result.place.field("content"), f"the content is {kind_of(content)}, not {allowed}")


@on_message(
    "TR302",
    "empty-error-result",
    "EEE",
    evidence="400 reported in bytedance/trae-agent#231",
    answers={Wire.MESSAGES: [wording.ERROR_EMPTY], Wire.CONVERSE: [wording.ERROR_EMPTY_ON_CONVERSE]},
    alone=True,
    about=(ToolResult,),
)
def empty_error_result(message: Message, context: Context) -> Iterator[Broken]:
    """A result with error status says nothing.

    Why: the API refuses it, and the model could not tell what failed. `str(exc)` is empty for many
    exceptions. A string of white space alone is not known to be refused and is a warning.
    Fix: say what failed in a non-empty text; fall back on the exception's class name when its message is
        empty.
    Good:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - role: user
            content: [{type: tool_result, tool_use_id: toolu_1, content: TimeoutError, is_error: true}]
    Bad:
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: "", is_error: true}]}
    """
    for result in _results(message):
        if not result.is_error or not _says_nothing(result, context.wire):
            continue
        nothing = result.content is MISSING or not result.content
        blank = isinstance(result.content, str) and not nothing
        template = wording.ERROR_EMPTY if context.wire is Wire.MESSAGES else wording.ERROR_EMPTY_ON_CONVERSE
        yield Broken(
            path=result.place.path if result.content is MISSING else result.place.field("content"),
            message=f"the result of {shown(result.id)} has error status and no text",
            api=template.format(at=result.place.dotted) if nothing else None,
            severity=Severity.WARNING if blank else None,
        )


@on_message(
    "TR303",
    "non-text-error-result",
    "EEW",
    evidence="400 reported in vellum-ai/vellum-assistant#18387, caozhiyuan/copilot-api#196",
    answers={Wire.MESSAGES: [wording.ERROR_NOT_TEXT]},
    alone=True,
    about=(ToolResult,),
)
def non_text_error_result(message: Message, context: Context) -> Iterator[Broken]:
    """A result with error status holds something other than text.

    Why: the API takes only text blocks when `is_error` is true; a screenshot of the failure is refused. On
    Converse it depends on the model.
    Fix: describe the failure in text; send an image in the same user message, after all results.
    Good:
        messages:
          - {role: user, content: Open the page}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: open_page, input: {}}]}
          - role: user
            content: [{type: tool_result, tool_use_id: toolu_1, content: timed out, is_error: true}]
    Bad:
        messages:
          - {role: user, content: Open the page}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: open_page, input: {}}]}
          - role: user
            content:
              - type: tool_result
                tool_use_id: toolu_1
                is_error: true
                content:
                  - {type: text, text: timed out}
                  - {type: image, source: {type: url, url: "https://example.org/page.png"}}
    """
    for result in _results(message):
        if not result.is_error:
            continue
        others = (part for part in result.parts if isinstance(part, Media | Other) and not _wrong_part(part))
        other = next(others, None)
        if other is None:
            continue
        api = wording.ERROR_NOT_TEXT.format(at=result.place.dotted)
        yield Broken(
            path=other.place.path,
            message=f"the result of {shown(result.id)} has error status and holds {shown(other.type)}",
            api=api if context.wire is Wire.MESSAGES else None,
        )


@on_message(
    "TR304",
    "blank-text",
    "EEE",
    evidence="400 reported in anthropics/claude-code#59812 and #23440, of null in simonw/llm-anthropic#23; white space "
    "in an assistant turn: a recorded 200 holds one",
    answers={
        Wire.MESSAGES: [wording.TEXT_EMPTY, wording.TEXT_NULL, wording.TEXT_BLANK, wording.SYSTEM_TEXT_BLANK],
        Wire.CONVERSE: [wording.TEXT_BLANK_ON_CONVERSE, wording.TEXT_EMPTY],
    },
    alone=True,
    about=(Text, ToolResult),
)
def blank_text(message: Message, context: Context) -> Iterator[Broken]:
    """A text block is empty, null, or holds white space only.

    Why: the API refuses it wherever it stands. It comes from a tool that returned "", from a model's empty
    text block that is echoed, and from clients that add a text block to every message. In an assistant turn
    white space alone is a warning. An empty *string* as the content of a result is fine.
    Fix: leave the block out; for a result without output send no content, or say so in words.
    Good:
        messages:
          - {role: user, content: Make a folder}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: make_folder, input: {}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: done}]}
    Bad:
        messages:
          - {role: user, content: Make a folder}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: make_folder, input: {}}]}
          - role: user
            content:
              - {type: tool_result, tool_use_id: toolu_1, content: [{type: text, text: ""}]}
    """
    for block in message.blocks:
        if isinstance(block, Text):
            if block.place.block is not None or block.text:  # an empty message is TR401's
                yield from _blank(block, message, context)
        elif isinstance(block, ToolResult) and not isinstance(block.content, str):
            for part in block.parts:
                if isinstance(part, Text):
                    yield from _blank(part, message, context)


def _blank(block: Text, message: Message, context: Context) -> Iterator[Broken]:
    null = block.text is None and mapping(block.raw).get("text", MISSING) is None
    if null and block.place.inner is None and context.wire is Wire.MESSAGES:  # inside a result it is TR301's
        yield Broken(block.place.path, "the text is null", wording.TEXT_NULL.format(at=block.place.dotted))
    if block.text is None or block.text.strip():
        return
    tolerated = message.role == "assistant" and block.text != "" and block.place.inner is None
    yield Broken(
        path=block.place.path,
        message="the text is empty" if block.text == "" else "the text holds white space only",
        api=None if tolerated else _answer_for_blank(block, message, context),
        severity=Severity.WARNING if tolerated else None,
    )


def _answer_for_blank(block: Text, message: Message, context: Context) -> str:
    if context.wire is Wire.CONVERSE and block.place.inner is None:
        return wording.TEXT_BLANK_ON_CONVERSE.format(at=block.place.dotted)
    if message.role == "system":
        return wording.SYSTEM_TEXT_BLANK
    return wording.TEXT_EMPTY if block.text == "" else wording.TEXT_BLANK


def _results(message: Message) -> Iterator[ToolResult]:
    for block in message.blocks:
        if isinstance(block, ToolResult):
            yield block


def _says_nothing(result: ToolResult, wire: Wire) -> bool:
    if result.content == []:
        return True
    if result.content is MISSING or isinstance(result.content, str):
        # On Converse neither is a content at all: TR301.
        return wire is Wire.MESSAGES and not result.text.strip()
    return bool(result.parts) and all(
        isinstance(part, Text) and part.text is not None and not part.text.strip() for part in result.parts
    )


def _wrong_part(part: Block) -> str | None:
    """What is in the place of a content block, where it is none; a type nobody knows is still a block."""
    if isinstance(part, Text):
        return "a text block whose text is no string" if part.text is None else None
    if not isinstance(part, Other):
        return None
    if part.type == "text":  # Converse
        return "a text block whose text is no string"
    if part.type is None:
        return "an object without a type" if isinstance(part.raw, dict) else kind_of(part.raw)
    return None
