"""TR501-503: the tool definitions of a request."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract import wording
from toolreplay.contract.catalogue import on_request, on_tools
from toolreplay.contract.finding import Broken
from toolreplay.contract.schemas import UNIONS, fault_of, open_object
from toolreplay.contract.tally import Tally
from toolreplay.contract.toolset import Toolset, is_client_tool
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import LONGEST_SHOWN, for_wire, shown, spelled
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import MISSING, ToolDefinition, Wire

from .blocks import kind_of


@on_request(
    "TR501",
    "tools-missing",
    "WEE",
    evidence="docs: release notes 2025-02-27 (the first-party API takes it since), 200 seen in "
    "vercel/ai#17005; gateways: BerriAI/litellm; Converse: 400 reported in patriceckhart/zot#18, "
    "vxcontrol/pentagi#196",
    answers={
        Wire.MESSAGES: [wording.TOOLS_MISSING],
        Wire.CONVERSE: [wording.TOOLS_MISSING_ON_CONVERSE],
    },
)
def tools_missing(tally: Tally, context: Context) -> Iterator[Broken]:
    """The history has tool blocks and the request offers no tools.

    Why: the first-party API takes it today; Converse and most look-alikes refuse it. It happens when a
    conversation that used tools is summed up, or goes on with an agent that has none.
    Fix: send the tools of the conversation with every request of it, with `tool_choice: none` where none may
        be called.
    Good:
        model: claude-sonnet-5-5
        tools: [{name: weather, input_schema: {type: object}}]
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    Bad:
        model: claude-sonnet-5-5
        messages:
          - {role: user, content: Weather in Oslo}
          - {role: assistant, content: [{type: tool_use, id: toolu_1, name: weather, input: {city: Oslo}}]}
          - {role: user, content: [{type: tool_result, tool_use_id: toolu_1, content: rain}]}
    """
    if tally.tool_at is None or context.tools or context.request.bare or context.request.continues is not None:
        return
    api = for_wire(
        context.wire,
        None if context.joins_neighbours else wording.TOOLS_MISSING,
        wording.TOOLS_MISSING_ON_CONVERSE,
    )
    words = f"the messages hold tool blocks (the first at {tally.tool_at.path}) and no tools are offered"
    yield Broken(context.tools.root, words, api)


@on_tools(
    "TR502",
    "duplicate-tool-name",
    "EEE",
    evidence="400 reported in danny-avila/LibreChat#13162, anthropics/claude-code#10687; docs: define-tools",
    answers={Wire.MESSAGES: [wording.DUPLICATE_TOOL]},
)
def duplicate_tool_name(tools: Toolset, context: Context) -> Iterator[Broken]:
    """Two tools have one name.

    Why: the API refuses it, for server tools too. It happens when the tools of two servers are put together,
    or when a tool of your own is called `web_search`.
    Fix: give each tool a name of its own; prefix the tools of a server with its name.
    Good:
        tools:
          - {name: search_mail, input_schema: {type: object}}
          - {name: search_web, input_schema: {type: object}}
        messages: [{role: user, content: Find it}]
    Bad:
        tools: [{name: search, input_schema: {type: object}}, {name: search, input_schema: {type: object}}]
        messages: [{role: user, content: Find it}]
    """
    for definition in tools.definitions:
        first = tools.by_name.get(definition.name or "")
        if first is not None and first is not definition:
            yield Broken(
                path=f"{path_of(definition)}.name",
                message=f"the name {shown(definition.name)} is that of {first.path} too",
                api=for_wire(context.wire, wording.DUPLICATE_TOOL),
            )


@on_tools(
    "TR503",
    "invalid-input-schema",
    "EEE",
    evidence="400 recorded in 0xPlaygrounds/rig (strict_schema_matrix: no type), reported in "
    "anthropics/claude-code#40075 (union), anthropics/claude-code#86664 (2020-12), vercel/ai#20681 "
    "(strict); Converse: earendil-works/pi#8804",
    answers={
        Wire.MESSAGES: [
            wording.FIELD_REQUIRED,
            wording.SCHEMA_UNION,
            wording.SCHEMA_INVALID,
            wording.SCHEMA_OPEN,
        ],
        Wire.CONVERSE: [wording.SCHEMA_TYPE_ON_CONVERSE],
    },
)
def invalid_input_schema(tools: Toolset, context: Context) -> Iterator[Broken]:
    """The input schema of a tool is not one the API takes.

    It is an object schema (`type: object`) of JSON Schema 2020-12 without `oneOf`, `anyOf` or `allOf` at its
    top; with `strict` every object in it sets `additionalProperties: false`.

    Why: one tool with a bad schema makes every request fail, and tools of servers you do not run bring
    theirs along. Older drafts differ in small things: `exclusiveMinimum: true`, a list under `items`,
    `required: true`.
    Fix: write schemas in 2020-12 with `type: object` at the top; wrap a union in a property.
    Good:
        tools:
          - {name: weather, input_schema: {type: object, properties: {days: {type: integer, minimum: 1}}}}
        messages: [{role: user, content: Weather in Oslo}]
    Bad:
        tools: [{name: weather, input_schema: {type: object, properties: {days: {type: int}}}}]
        messages: [{role: user, content: Weather in Oslo}]
    """
    for definition in tools.definitions:
        if not is_client_tool(definition):
            continue
        root, schema = schema_path(definition), definition.input_schema
        at = f"tools.{definition.index}.custom"
        kind = for_wire(
            context.wire,
            None,
            wording.SCHEMA_TYPE_ON_CONVERSE.format(at=f"toolConfig.tools.{definition.index}"),
        )
        if not isinstance(schema, dict):
            missing = "no input schema" if schema is MISSING else f"{kind_of(schema)} for an input schema"
            words = f"the tool {shown(definition.name)} has {missing}"
            required = wording.FIELD_REQUIRED.format(at=f"{at}.input_schema")
            yield Broken(root, words, for_wire(context.wire, required))
        elif schema.get("type") != "object":
            kind_given = schema.get("type")
            told = kind_given if isinstance(kind_given, str) else spelled(kind_given, LONGEST_SHOWN)
            told = f"has the type {shown(told)}" if "type" in schema else "has no type"
            api = None if "type" in schema else wording.FIELD_REQUIRED.format(at=f"{at}.input_schema.type")
            words = f"the input schema of {shown(definition.name)} {told}; it must be object"
            yield Broken(f"{root}.type", words, for_wire(context.wire, api, kind))
        else:
            yield from _inside(definition, schema, root, at, context)


def path_of(definition: ToolDefinition) -> str:
    """The place of a definition's own fields: `tools[0]`, `toolConfig.tools[0].toolSpec`."""
    return f"{definition.path}.toolSpec" if "toolSpec" in mapping(definition.raw) else definition.path


def schema_path(definition: ToolDefinition) -> str:
    """The place of a definition's input schema."""
    converse = "toolSpec" in mapping(definition.raw)
    return f"{path_of(definition)}.inputSchema.json" if converse else f"{definition.path}.input_schema"


def _inside(
    definition: ToolDefinition, schema: dict[str, object], root: str, at: str, context: Context
) -> Iterator[Broken]:
    union = next((keyword for keyword in UNIONS if keyword in schema), None)
    fault = fault_of(schema)
    if union is not None:
        words = f"the input schema of {shown(definition.name)} has {union} at its top"
        yield Broken(f"{root}.{union}", words, for_wire(context.wire, wording.SCHEMA_UNION.format(at=at)))
    elif fault is not None:
        where, wrong = fault
        words = f"the input schema of {shown(definition.name)} is not valid: {wrong}"
        yield Broken(f"{root}{where}", words, for_wire(context.wire, wording.SCHEMA_INVALID.format(at=at)))
    elif _is_strict(definition):
        unclosed = open_object(schema)
        if unclosed is not None:
            words = f"{shown(definition.name)} is strict, and an object of its schema is not closed"
            yield Broken(f"{root}{unclosed}", words, for_wire(context.wire, wording.SCHEMA_OPEN.format(at=at)))


def _is_strict(definition: ToolDefinition) -> bool:
    raw = mapping(definition.raw)
    return mapping(raw.get("toolSpec", raw)).get("strict") is True
