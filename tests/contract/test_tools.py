"""TR205-209 and TR501-506: tools, the calls of them, and what is sent beside the messages."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types.beta import (
    BetaTextBlockParam,
    BetaToolParam,
    BetaToolResultBlockParam,
    BetaToolUseBlockParam,
)

from toolreplay.contract.rules.fields import _KNOWN
from toolreplay.wire.messages import parse_request
from toolreplay.wire.model import Wire

from .build import (
    ASK,
    C_ASK,
    CACHE_POINT,
    Json,
    Whole,
    assistant,
    brief,
    c_result,
    c_tool,
    c_use,
    result,
    server_use,
    system,
    text,
    tool,
    use,
    user,
)

MODEL = "claude-sonnet-4-5"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
MARK: Json = {"type": "ephemeral"}
NAME = "messages[1].content[0].name"


def called(call: Json, answer: Json | None = None, *tools: Json, **more: Any) -> Json:
    messages = [ASK, assistant(call), user(result() if answer is None else answer)]
    return {"model": MODEL, "tools": list(tools) or [tool(schema=CITY)], "messages": messages, **more}


def offering(*tools: Any, **more: Any) -> Json:
    return {"model": MODEL, "tools": list(tools), "messages": [ASK], **more}


def c_offering(*tools: Json, **more: Any) -> Json:
    return {"modelId": "anthropic.claude", "toolConfig": {"tools": list(tools), **more}, "messages": [C_ASK]}


def marked(count: int, **more: Any) -> Json:
    return {
        "messages": [user(*(text(str(number)) | {"cache_control": MARK} for number in range(count)))],
        **more,
    }


OSLO = {"city": "Oslo"}
LONG = "a" * 65
ADDED = system({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "forecast"}})

CALLS = [
    Whole("known and fitting", called(use(given=OSLO)), []),
    Whole("unknown", called(use(name="forecast", given=OSLO)), [f"TR205 warning {NAME}"]),
    Whole("unknown, answered with an error", called(use(name="forecast"), result(error=True)), []),
    Whole(
        "a tool of a toolset",
        called(use(name="click", toolset_name="browser"), {**result(), "toolset_name": "browser"}),
        [],
    ),
    Whole(
        "a tool that was added",
        {
            "model": "claude-opus-4-8",
            "tools": [tool()],
            "messages": [ASK, ADDED, assistant(use(name="forecast")), user(result())],
        },
        [],
    ),
    Whole(
        "unknown, converse",
        {
            "modelId": "anthropic.claude",
            "toolConfig": {"tools": [c_tool()]},
            "messages": [C_ASK, assistant(c_use(name="forecast")), user(c_result())],
        },
        ["TR205 warning messages[1].content[0].toolUse.name"],
        "converse",
    ),
    Whole("misfit", called(use(given={"city": 4})), ["TR206 warning messages[1].content[0].input"]),
    Whole("misfit, answered with an error", called(use(given={}), result(error=True)), []),
    Whole(
        "misfit, converse",
        {
            "modelId": "anthropic.claude",
            "toolConfig": {"tools": [c_tool(schema=CITY)]},
            "messages": [C_ASK, assistant(c_use()), user(c_result())],
        },
        ["TR206 warning messages[1].content[0].toolUse.input"],
        "converse",
    ),
    Whole(
        "no toolset in the result",
        called(use(given=OSLO, toolset_name="browser")),
        ["TR209 warning messages[2].content[0]"],
    ),
    Whole(
        "another toolset",
        called(use(given=OSLO), {**result(), "toolset_name": "browser"}),
        ["TR209 warning messages[2].content[0]"],
    ),
    Whole("index on a call", called(use(given=OSLO, index=1)), ["TR207 error messages[1].content[0].index"]),
    Whole(
        "name on a result",
        called(use(given=OSLO), {**result(), "name": "weather"}),
        ["TR207 error messages[2].content[0].name"],
    ),
    Whole(
        "name on a message",
        {"model": MODEL, "messages": [{**ASK, "name": "Ada"}]},
        ["TR207 error messages[0].name"],
    ),
    Whole(
        "a field that was not seen refused",
        called(use(given=OSLO, status="done")),
        ["TR207 warning messages[1].content[0].status"],
    ),
    Whole(
        "a field of a text",
        {"model": MODEL, "messages": [user({**text("Hi"), "annotations": []})]},
        ["TR207 warning messages[0].content[0].annotations"],
    ),
    Whole("a field of a tool", offering(tool(parameters={})), ["TR207 warning tools[0].parameters"]),
    Whole(
        "with betas",
        called(use(given=OSLO, index=1), anthropic_beta=["new-2026-01-01"]),
        ["TR207 warning messages[1].content[0].index"],
    ),
    Whole(
        "converse",
        {
            "modelId": "anthropic.claude",
            "toolConfig": {"tools": [c_tool()]},
            "messages": [C_ASK, assistant(c_use(index=1)), user(c_result())],
        },
        ["TR207 warning messages[1].content[0].toolUse.index"],
        "converse",
    ),
    Whole(
        "other blocks are not looked at",
        {"model": MODEL, "messages": [user({"type": "image", "source": {}, "name": "a"})]},
        [],
    ),
    Whole("a dot in a name", offering(tool("a.b")), ["TR208 error tools[0].name"]),
    Whole("no name", offering({"input_schema": {"type": "object"}}), ["TR208 error tools[0].name"]),
    Whole("an empty name", offering(tool("")), ["TR208 error tools[0].name"]),
    Whole("65 characters", offering(tool(LONG)), ["TR208 warning tools[0].name"]),
    Whole("65 characters, gateway", offering(tool(LONG)), ["TR208 error tools[0].name"], profile="gateway"),
    Whole("129 characters", offering(tool("a" * 129)), ["TR208 error tools[0].name"]),
    Whole(
        "65 characters, converse",
        c_offering(c_tool(LONG)),
        ["TR208 error toolConfig.tools[0].toolSpec.name"],
        "converse",
    ),
    Whole("a server tool's entry", offering({"type": "mcp_toolset", "mcp_server_name": "a b"}), []),
    Whole("a name in a call", called(use(name="a b", given=OSLO), result(error=True)), [f"TR208 error {NAME}"]),
]

REF = {"$ref": "#/$defs/a"}
CLOSED = {"type": "object", "additionalProperties": False}
HISTORY = [ASK, assistant(use()), user(result())]
SCHEMA = "tools[0].input_schema"
FORCED = {"type": "any"}

OFFERS = [
    Whole("tools missing", {"model": MODEL, "messages": HISTORY}, ["TR501 warning tools"]),
    Whole("an empty list", {"model": MODEL, "tools": [], "messages": HISTORY}, ["TR501 warning tools"]),
    Whole(
        "tools missing, gateway",
        {"model": MODEL, "messages": HISTORY},
        ["TR501 error tools"],
        profile="gateway",
    ),
    Whole(
        "tools missing, converse",
        {"modelId": "m", "messages": [C_ASK, assistant(c_use()), user(c_result())]},
        ["TR501 error toolConfig"],
        "converse",
    ),
    Whole("nothing is known but the messages", {"messages": HISTORY}, []),
    Whole("server tools alone", {"model": MODEL, "messages": [ASK, assistant(server_use())]}, []),
    Whole("two of one name", offering(tool("a"), tool("b"), tool("a")), ["TR502 error tools[2].name"]),
    Whole(
        "a server tool of that name",
        offering(tool("web_search"), {"type": "web_search_20250305", "name": "web_search"}),
        ["TR502 error tools[1].name"],
    ),
    Whole(
        "two of one name, converse",
        c_offering(c_tool("a"), c_tool("a")),
        ["TR502 error toolConfig.tools[1].toolSpec.name"],
        "converse",
    ),
    Whole("no schema", offering({"name": "a"}), [f"TR503 error {SCHEMA}"]),
    Whole("no object schema", offering(tool(schema={})), [f"TR503 error {SCHEMA}.type"]),
    Whole("an array", offering(tool(schema={"type": "array"})), [f"TR503 error {SCHEMA}.type"]),
    Whole("a union", offering(tool(schema={"type": "object", "anyOf": [{}]})), [f"TR503 error {SCHEMA}.anyOf"]),
    Whole(
        "an older draft",
        offering(tool(schema={"type": "object", "properties": {"a": {"exclusiveMinimum": True}}})),
        [f"TR503 error {SCHEMA}.properties.a.exclusiveMinimum"],
    ),
    Whole("no schema at all", offering(tool(schema="object")), [f"TR503 error {SCHEMA}"]),
    Whole(
        "a reference",
        offering(tool(schema={"type": "object", "properties": {"a": REF}, "$defs": {"a": True}})),
        [],
    ),
    Whole("strict and closed", offering(tool(schema=CLOSED, strict=True)), []),
    Whole("strict and open", offering(tool(strict=True)), [f"TR503 error {SCHEMA}"]),
    Whole(
        "strict and open inside",
        offering(tool(schema={**CLOSED, "properties": {"a": {"type": "object"}}}, strict=True)),
        [f"TR503 error {SCHEMA}.properties.a"],
    ),
    Whole(
        "no type, converse",
        c_offering(c_tool(schema={})),
        ["TR503 error toolConfig.tools[0].toolSpec.inputSchema.json.type"],
        "converse",
    ),
    Whole("Anthropic's own tools bring none", offering({"type": "bash_20250124", "name": "bash"}), []),
    Whole(
        "forced while thinking",
        offering(tool(), tool_choice=FORCED, thinking={"type": "enabled"}),
        ["TR504 error tool_choice"],
    ),
    Whole("forced, adaptive", offering(tool(), tool_choice=FORCED, thinking={"type": "adaptive"}), []),
    Whole(
        "forced while thinking, converse",
        {
            **c_offering(c_tool(), toolChoice={"any": {}}),
            "additionalModelRequestFields": {"thinking": {"type": "enabled"}},
        },
        ["TR504 error toolConfig.toolChoice"],
        "converse",
    ),
    Whole("a choice that is text", offering(tool(), tool_choice="any"), ["TR505 error tool_choice"]),
    Whole(
        "a choice of another API",
        offering(tool(), tool_choice={"type": "required"}),
        ["TR505 error tool_choice"],
    ),
    Whole(
        "an unknown tool",
        offering(tool(), tool_choice={"type": "tool", "name": "map"}),
        ["TR505 error tool_choice"],
    ),
    Whole("a tool without a name", offering(tool(), tool_choice={"type": "tool"}), ["TR505 error tool_choice"]),
    Whole(
        "forced without tools",
        {"model": MODEL, "messages": [ASK], "tool_choice": FORCED},
        ["TR505 error tool_choice"],
    ),
    Whole("auto without tools", {"model": MODEL, "messages": [ASK], "tool_choice": {"type": "auto"}}, []),
    Whole("null", offering(tool(), tool_choice=None), []),
    Whole(
        "converse, an unknown tool",
        c_offering(c_tool(), toolChoice={"tool": {"name": "map"}}),
        ["TR505 error toolConfig.toolChoice"],
        "converse",
    ),
    Whole(
        "converse has no none",
        c_offering(c_tool(), toolChoice={"none": {}}),
        ["TR505 error toolConfig.toolChoice"],
        "converse",
    ),
    Whole(
        "a model that refuses",
        {**offering(tool(), tool_choice=FORCED), "model": "claude-opus-5-5"},
        ["TR505 error tool_choice"],
    ),
    Whole(
        "a later model that refuses",
        {**offering(tool(), tool_choice=FORCED), "model": "claude-fable-5-2"},
        ["TR505 error tool_choice"],
    ),
    Whole(
        "a model that may refuse",
        {**offering(tool(), tool_choice=FORCED), "model": "claude-sonnet-5-5"},
        ["TR505 warning tool_choice"],
    ),
    Whole("four breakpoints", marked(4), []),
    Whole("five", marked(5), ["TR506 error messages[0].content[4].cache_control"]),
    Whole("null is none", {"messages": [user(*(text("-") | {"cache_control": None} for _ in range(5)))]}, []),
    Whole(
        "the request's own counts",
        marked(4, cache_control=MARK),
        ["TR506 error messages[0].content[3].cache_control"],
    ),
    Whole(
        "those of tools and system",
        marked(3, tools=[tool(cache_control=MARK)], system=[text("-") | {"cache_control": MARK}]),
        ["TR506 error messages[0].content[2].cache_control"],
    ),
    Whole(
        "inside a result",
        marked(4)
        | {
            "tools": [tool()],
            "messages": [
                *marked(4)["messages"],
                assistant(use()),
                user(result(content=[text("-") | {"cache_control": MARK}])),
            ],
        },
        ["TR506 error messages[2].content[0].content[0]"],
    ),
    Whole(
        "cache points",
        {"messages": [user(*([{"text": "-"}, CACHE_POINT] * 5))]},
        ["TR506 error messages[0].content[9]"],
        "converse",
    ),
]


@pytest.mark.parametrize("case", [*CALLS, *OFFERS], ids=str)
def test_tools(case: Whole) -> None:
    assert brief(case.findings()) == case.found


WORDS = [
    (
        "a dot in a name",
        "the name a.b is not 1 to 128 letters, digits, _ and -",
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    (
        "index on a call",
        "index is no field of a tool_use",
        "messages.1.content.0.tool_use.index: Extra inputs are not permitted",
    ),
    ("name on a message", "name is no field of a message", "messages.0.name: Extra inputs are not permitted"),
    ("with betas", "index is no field of a tool_use", None),
    (
        "misfit",
        "the input of toolu_1 (weather) does not fit its schema: input.city is 4, not of type string",
        None,
    ),
    (
        "tools missing",
        "the messages hold tool blocks (the first at messages[1].content[0]) and no tools are offered",
        None,
    ),
    (
        "tools missing, converse",
        "the messages hold tool blocks (the first at messages[1].content[0]) and no tools are offered",
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    ),
    ("two of one name", "the name a is that of tools[0] too", "tools: Tool names must be unique."),
    ("no schema", "the tool a has no input schema", "tools.0.custom.input_schema: Field required"),
    (
        "no object schema",
        "the input schema of weather has no type; it must be object",
        "tools.0.custom.input_schema.type: Field required",
    ),
    (
        "no type, converse",
        "the input schema of weather has no type; it must be object",
        ("The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object."),
    ),
    (
        "strict and open",
        "weather is strict, and an object of its schema is not closed",
        "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ),
    (
        "forced while thinking",
        "a tool is forced while thinking is enabled",
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    (
        "a choice of another API",
        "required is none of auto, any, tool, none",
        (
            "tool_choice: Input tag 'required' found using 'type' does not match any of the expected "
            "tags: 'auto', 'any', 'tool', 'none'"
        ),
    ),
    ("an unknown tool", "it names map, and no tool is called so", "Tool 'map' not found in provided tools"),
    (
        "a model that refuses",
        "this model takes no forced choice",
        'tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    (
        "five",
        "the request has 5 cache breakpoints; 4 are the most",
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
]


@pytest.mark.parametrize(("name", "message", "api"), WORDS, ids=[name for name, _, _ in WORDS])
def test_words(name: str, message: str, api: str | None) -> None:
    case = next(case for case in (*CALLS, *OFFERS) if case.id == name)
    (finding,) = case.findings()
    assert (finding.message, finding.api) == (message, api)


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("text", BetaTextBlockParam),
        ("tool_use", BetaToolUseBlockParam),
        ("tool_result", BetaToolResultBlockParam),
        ("tool", BetaToolParam),
    ],
)
def test_every_field_of_the_sdk_is_known(kind: str, params: type) -> None:
    assert set(params.__annotations__) <= _KNOWN[Wire.MESSAGES, kind]


def test_betas_come_from_the_header_or_the_body() -> None:
    body: Json = {"messages": [], "anthropic_beta": ["c"]}
    assert parse_request(body, betas="a, b,").betas == {"a", "b", "c"}
