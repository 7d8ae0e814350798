"""TR205, TR206, TR209: what a call asks for, held against the tools that the request offers."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract.catalogue import on_step
from toolreplay.contract.finding import Broken
from toolreplay.contract.turns import Context, Step
from toolreplay.contract.wording import named, shown
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import ToolResult, ToolUse


@on_step(
    "TR205",
    "unknown-tool",
    "WWW",
    evidence="docs: handle-tool-calls; a history is not held against `tools` (release notes, 2025-02-27)",
    about=(ToolResult,),
)
def unknown_tool(step: Step, context: Context) -> Iterator[Broken]:
    """A call of a tool that the request does not offer got a result as if it had run.

    Why: a model may call a tool it was never given, or one that is gone. What answers such a call is a dummy
    or the wrong tool, and the model takes its output for real.
    Fix: answer a call of an unknown tool with a result with error status that names the tools there are;
        keep the tools of a conversation in `tools` as long as it lasts.
    Good:
        tools: [{name: weather, input_schema: {type: object}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: forecast, input: {city: Oslo}}]}
          - role: user
            content:
              - {type: tool_result, tool_use_id: toolu_1, content: no tool called forecast, is_error: true}
    Bad:
        tools: [{name: weather, input_schema: {type: object}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: forecast, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: done}]}
    """
    if step.tools_vary or not context.tools:
        return
    for use, _ in _answered(step):
        if use.name is not None and use.name not in context.tools.names and not _is_of_toolset(use):
            yield Broken(use.place.field("name"), f"no tool is called {shown(use.name)}")


@on_step(
    "TR206",
    "input-violates-schema",
    "WWW",
    evidence="docs: strict-tool-use, troubleshooting-tool-use (without `strict` the API does not hold the model to it)",
    about=(ToolResult,),
)
def input_violates_schema(step: Step, context: Context) -> Iterator[Broken]:
    """The input of a call does not fit the tool's schema, and the call was run all the same.

    Why: the model fills in what the schema says most of the time, not always. A tool that runs on what it
    gets does something else than was asked for. It also shows where a stream was put together wrongly, or
    where an SDK changed a value.
    Fix: check the input before the tool runs and answer what does not fit with an error result that says
        what is wrong, or offer the tool with `strict`.
    Good:
        tools: [{name: weather, input_schema: {type: object, required: [city]}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        tools: [{name: weather, input_schema: {type: object, required: [city]}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {town: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    if not context.tools:
        return
    for use, _ in _answered(step):
        if use.name is None or not isinstance(use.input, dict):
            continue
        wrong = context.tools.misfit(use.name, use.input)
        if wrong is not None:
            yield Broken(use.place.field("input"), f"the input of {named(use)} does not fit its schema: {wrong}")


@on_step(
    "TR209",
    "toolset-echo",
    "WW-",
    evidence="docs: handle-tool-calls, browser-use-tool (a result names the toolset that its call names)",
    alone=True,
    about=(ToolResult,),
)
def toolset_echo(step: Step, _context: Context) -> Iterator[Broken]:
    """A result does not name the toolset that its call names.

    Why: tools of a toolset (`browser`, `computer`) are told apart by `toolset_name` and name together. A
    loop that knows only names runs the wrong tool where two share one, and sends a result the API cannot
    place.
    Fix: copy `toolset_name` from the call to its result, and send none where the call has none.
    Good:
        messages:
          - {role: user, content: Open the page}
          - role: assistant
            content: [{type: tool_use, id: toolu_1, name: click, toolset_name: browser, input: {}}]
          - role: user
            content: [{type: tool_result, tool_use_id: toolu_1, toolset_name: browser, content: done}]
    Bad:
        messages:
          - {role: user, content: Open the page}
          - role: assistant
            content: [{type: tool_use, id: toolu_1, name: click, toolset_name: browser, input: {}}]
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: done}]}
    """
    calls = {use.id: use for use in step.calls} if step.answers else {}
    for result in step.answers:
        wanted = calls[result.id].raw.get("toolset_name")
        given = result.raw.get("toolset_name")
        if wanted != given:
            yield Broken(
                result.place.path,
                f"the call {named(calls[result.id])} names the toolset {wanted!r}, its result {given!r}",
            )


def _answered(step: Step) -> Iterator[tuple[ToolUse, ToolResult]]:
    """The calls that got a good result; one that is answered with an error was dealt with."""
    if not step.answers:
        return
    results = {result.id: result for result in step.answers if not result.is_error}
    for use in step.calls:
        if use.id in results:
            yield use, results[use.id]


def _is_of_toolset(use: ToolUse) -> bool:
    return mapping(use.raw).get("toolset_name") is not None
