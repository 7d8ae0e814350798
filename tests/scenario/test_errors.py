# ruff: noqa: E501  (tables of one case a line)
from __future__ import annotations

from dataclasses import dataclass

import pytest

from toolreplay.errors import ScenarioError
from toolreplay.scenario.faults import InvalidScenarioError
from toolreplay.scenario.load import load_text

from .build import FULL, HEAD, HELLO, TOOL


@dataclass(frozen=True)
class Case:
    id: str
    text: str
    expected: tuple[str, ...]


def _top(name: str, line: str, *expected: str) -> Case:
    """A line of its own, on line 4 of a scenario that is whole without it."""
    return Case(name, f"{HEAD}{line}\n{HELLO}", tuple(f"4: {what}" for what in expected))


def _tool(name: str, tool: str, *expected: str) -> Case:
    return Case(name, f"{HEAD}tools:\n  - {tool}\n{HELLO}", tuple(f"5: tools[0]{what}" for what in expected))


def _stub(name: str, entry: str, *expected: str) -> Case:
    text = f"{HEAD}{TOOL}    stub:\n      - {entry}\n{HELLO}"
    return Case(name, text, tuple(f"8: tools[0].stub[0]{what}" for what in expected))


def _step(name: str, step: str, *expected: str) -> Case:
    text = f"{HEAD}{TOOL}conversation:\n  - user: hello\n  - {step}\n"
    return Case(name, text, tuple(f"9: conversation[1]{what}" for what in expected))


def _expect(name: str, expect: str, *expected: str) -> Case:
    return _step(name, f"{{user: hello, expect: {expect}}}", *(f".expect{what}" for what in expected))


def _script(name: str, reply: str, *expected: str) -> Case:
    text = f"{HEAD}script:\n  - {reply}\n{HELLO}"
    return Case(name, text, tuple(f"5: script[0]{what}" for what in expected))


FILES = [
    Case("empty", "", ("1: the file holds no scenario; start one with version: 1",)),
    Case("comments", "# x\n", ("1: the file holds no scenario; start one with version: 1",)),
    Case("null", "---\n", ("1: the file holds no scenario; start one with version: 1",)),
    Case("list", "\n- a\n", ("2: a scenario is a mapping; start it with version: 1",)),
    Case("text", "hello", ("1: a scenario is a mapping; start it with version: 1",)),
    Case("not-yaml", "a: 1\na: 2", ("2: the key 'a' stands twice, first on line 1; remove one",)),
    Case(
        "nothing-but-version",
        "version: 1",
        (
            "1: name: missing; add it",
            "1: model: missing; add it",
            "1: conversation: missing; add it",
        ),
    ),
    Case(
        "all-errors-of-all-documents",
        f"{HEAD}strem: true\n{HELLO}---\n{HEAD}max_tokens: 0\nwire: http\n{HELLO}",
        (
            "4: strem: unknown field; did you mean 'stream'?",
            "10: max_tokens: 0 is out of range; write a number greater than or equal to 1",
            "11: wire: 'http' is not known; write one of messages, converse",
        ),
    ),
    Case(
        "same-name",
        f"{HEAD}{HELLO}---\n{HEAD}{HELLO}",
        ("7: name: 'x' stands twice, see line 2; give each scenario its own",),
    ),
    Case(
        "same-cassette",
        f"{HEAD}{HELLO}---\nversion: 1\nname: X!\nmodel: m\n{HELLO}",
        ("7: name: 'X!' is too like 'x', see line 2; give each scenario its own",),
    ),
]

TOP = [
    Case("missing-model", f"version: 1\nname: x\n{HELLO}", ("1: model: missing; add it",)),
    Case(
        "misspelt-is-not-also-missing",
        f"version: 1\nname: x\nmodle: m\n{HELLO}",
        ("3: modle: unknown field; did you mean 'model'?",),
    ),
    Case("version-2", f"version: 2\nname: x\nmodel: m\n{HELLO}", (
        "1: version: version 2 is not known to this toolreplay; write version: 1",
    )),
    Case("version-text", f"version: '1'\nname: x\nmodel: m\n{HELLO}", (
        "1: version: version '1' is not known to this toolreplay; write version: 1",
    )),
    Case("version-true", f"version: true\nname: x\nmodel: m\n{HELLO}", (
        "1: version: version True is not known to this toolreplay; write version: 1",
    )),
    Case("name-colons", f"version: 1\nname: a::b\nmodel: m\n{HELLO}", (
        "2: name: 'a::b' holds '::' or a bracket, which ids of tests cannot; leave them out",
    )),
    Case("name-bracket", f"version: 1\nname: 'a[1]'\nmodel: m\n{HELLO}", (
        "2: name: 'a[1]' holds '::' or a bracket, which ids of tests cannot; leave them out",
    )),
    Case("name-blank", f"version: 1\nname: ' '\nmodel: m\n{HELLO}", (
        "2: name: the text is blank; write something",
    )),
    Case("name-empty", f"version: 1\nname:\nmodel: m\n{HELLO}", (
        "2: name: expected text, found nothing; write text",
    )),
    Case("name-number", f"version: 1\nname: 12\nmodel: m\n{HELLO}", (
        "2: name: expected text, found the number 12; put it in quotes",
    )),
    Case("name-signs", f"version: 1\nname: '!?'\nmodel: m\n{HELLO}", (
        "2: name: '!?' holds no letter or digit; write a name",
    )),
    Case("name-lines", f'version: 1\nname: "a\\nb"\nmodel: m\n{HELLO}', (
        "2: name: 'a\\nb' does not fit on a line; write a name without control characters",
    )),
    _top("max_tokens-text", "max_tokens: lots", "max_tokens: expected a whole number, found the text 'lots'; write a number, without quotes"),
    _top("max_tokens-fraction", "max_tokens: 1.5", "max_tokens: expected a whole number, found the number 1.5; write a whole number"),
    _top("max_tokens-true", "max_tokens: true", "max_tokens: expected a whole number, found true; write a whole number"),
    _top("stream-yes", "stream: yes", "stream: expected true or false, found the text 'yes'; write true or false, without quotes"),
    _top("wire", "wire: convers", "wire: 'convers' is not known; did you mean 'converse'?"),
    _top("wire-number", "wire: 1", "wire: the number 1 is not known; write messages, converse"),
    _top("wire-field", "temperature: 0", "temperature: unknown field; write it under extra_body: {temperature: ...}"),
    _top("extra_body-own", "extra_body: {system: x, messages: []}",
         "extra_body.system: is a field of its own; write system at the top of the scenario",
         "extra_body.messages: is a field of its own; write messages as history"),
    _top("tool_choice-text", "tool_choice: any", "tool_choice: expected a mapping; write {type: any}"),
    _top("tool_choice-type", "tool_choice: {type: auot}", "tool_choice.type: no tool choice 'auot'; did you mean 'auto'?"),
    _top("tool_choice-nothing", "tool_choice: {}", "tool_choice.type: missing; write one of auto, any, tool, none"),
    _top("tool_choice-name", "tool_choice: {type: tool, name: x}", "tool_choice.name: no tool is named 'x'; name one of the tools"),
    _top("betas", "betas: a", "betas: expected a list, found the text 'a'; write a list"),
    _top("loop", "loop: my_loop", "loop: 'my_loop' names no function; write package.module:function"),
    _top("loop-file", "loop: loops/mine.py:run", "loop: 'loops/mine.py:run' names no function; write package.module:function"),
    _top("match", "match: exakt", "match: 'exakt' is not known; did you mean 'exact'?"),
    _top("deadline", "deadline: 0", "deadline: 0 is out of range; write a number greater than 0"),
    _top("allow-reason", "allow: [{rule: TR105}]", "allow[0].reason: missing; add it"),
    _top("allow-unknown", "allow: [{rule: TR199, reason: x}]",
         "allow[0].rule: no rule 'TR199'; did you mean 'TR109'?"),
    _top("allow-blank", "allow: [{rule: TR105, reason: ' '}]", "allow[0].reason: the text is blank; write something"),
    _top("allow-rule", "allow: [{rule: tr105, reason: r}]", "allow[0].rule: 'tr105' is no rule; write a code such as TR105"),
    _top("subagent", "subagents: [{name: a}]", "subagents[0]: cannot be told from other conversations; add system, user or model"),
    _top("system-number", "system: 1", "system: expected text or a list of content blocks; write text, or [{type: text, text: ...}]"),
    _top("system-blank", "system: ''", "system: the text is blank, which the API refuses; write something"),
    _top("history-text", "history: x", "history: expected a list of messages; write [{role: user, content: ...}]"),
    _top("history", "history: [{role: usr, content: x}, {role: user}, {role: user, content: [{text: x}]}]",
         "history[0].role: no role 'usr'; write one of user, assistant, system",
         "history[1]: a message has role and content and nothing else; write {role: user, content: ...}",
         "history[2].content[0]: a content block without a type; add one, such as type: text"),
    _top("script-empty", "script: []", "script: holds no reply; add one, or remove it to play a cassette"),
    _top("odd-key", "'a b': 1", "['a b']: unknown field; known are version, name, model, max_tokens, system, wire, stream, thinking, betas, tool_choice, extra_body, tools, history, conversation, script, loop, max_turns, match, subagents, allow, deadline, time_limit"),
]  # fmt: skip

TOOLS = [
    _tool("number", "3", ": expected a mapping, found the number 3; write a mapping"),
    _tool("nameless", "{input_schema: {}}", ".name: missing; add it"),
    _tool("schemaless", "{name: a}", ".input_schema: missing; add one, {type: object} takes anything"),
    _tool("schema-text", "{name: a, input_schema: x}", ".input_schema: expected a mapping, a JSON Schema; {type: object} takes anything"),
    _tool("stubs", "{name: a, input_schema: {}, stubs: []}", ".stubs: unknown field; did you mean 'stub'?"),
    _tool("inputSchema", "{name: a, inputSchema: {}}", ".inputSchema: unknown field; did you mean 'input_schema'?"),
    _tool("type", "{name: a, type: costum, input_schema: {}}", ".type: no tool type 'costum'; did you mean 'custom'?"),
    _tool("server-stub", "{type: web_search_20250305, name: web_search, stub: {return: 1}}",
          ".stub: 'web_search_20250305' runs on the API's side, so a loop never calls it; remove the stub"),
    _tool("mcp-stub", "{type: mcp_toolset, mcp_server_name: s, stub: {}}",
          ".stub: 'mcp_toolset' runs on the API's side, so a loop never calls it; remove the stub"),
    _tool("own-nameless", "{type: bash_20250124}", ".name: missing; add it"),
    Case("same-name", f"{HEAD}{TOOL}  - {{name: get_weather, input_schema: {{}}}}\n{HELLO}", (
        "7: tools[1].name: 'get_weather' is the name of tools[0] too; give each its own",
    )),
]  # fmt: skip

STUBS = [
    _stub("not-a-mapping", "rain", ": expected a mapping, found the text 'rain'; write a mapping"),
    _stub("field", "retrun: 1", ".retrun: unknown field; did you mean 'return'?"),
    _stub("two-outcomes", "{return: 1, raise: {type: ValueError}}", ".raise: 'return' and 'raise' stand together; an entry has one outcome, make them two entries"),
    _stub("three-outcomes", "{return: 1, error: x, exit: true}", ".error: 'return' and 'error' and 'exit' stand together; an entry has one outcome, make them two entries"),
    _stub("exception", "raise: {type: LookupErr}", ".raise.type: no exception named 'LookupErr'; did you mean 'LookupError'?"),
    _stub("exception-often-meant", "raise: {type: CancelledError}", ".raise.type: no builtin exception is named 'CancelledError'; did you mean 'asyncio.CancelledError'?"),
    _stub("exception-unknown", "raise: {type: Qqq}", ".raise.type: no exception named 'Qqq'; name a builtin one, or write its path, package.module.Qqq"),
    _stub("exception-no-class", "raise: {type: print}", ".raise.type: no exception named 'print'; name a builtin one, or write its path, package.module.print"),
    _stub("exception-text", "raise: LookupError", ".raise: expected a mapping; write {type: LookupError, message: ...}"),
    _stub("exception-message", "raise: {type: LookupError, message: 404}", ".raise.message: expected text, found the number 404; put it in quotes"),
    _stub("garbage", "garbage: nann", ".garbage: 'nann' is not known; did you mean 'nan'?"),
    _stub("call", "call: my_function", ".call: 'my_function' names no function; write package.module:function"),
    _stub("deny", "deny:", ".deny: nothing stands here; write the outcome, or leave it out to return nothing"),
    _stub("deny-true", "deny: true", ".deny: expected text, found true; put it in quotes"),
    _stub("exit", "exit: false", ".exit: false is not known; write true"),
    _stub("hang", "hang: 0", ".hang: 0 is out of range; write a number greater than 0"),
    _stub("delay", "delay: -1", ".delay: -1 is out of range; write a number greater than or equal to 0"),
    _stub("times", "times: 0", ".times: 0 is out of range; write a number greater than or equal to 1"),
    _stub("when-text", "when: Oslo", ".when: expected a mapping of the tool's arguments; write {name: value}"),
    _stub("when-argument", "when: {citi: Oslo}", ".when.citi: 'get_weather' has no argument 'citi'; did you mean 'city'?"),
    _stub("when-regex", "when: {city: {regex: '('}}", ".when.city.regex: '(' is no regular expression: missing ), unterminated subpattern at position 0; mend it, or use contains"),
    _stub("blocks", "blocks: [{type: text}, 1, {text: x}]",
          ".blocks[0]: a text block needs text; add text: ... (in quotes if it is no word)",
          ".blocks[1]: a content block is a mapping; write {type: text, text: ...}",
          ".blocks[2]: a content block without a type; add one, such as type: text"),
    _stub("blocks-text", "blocks: x", ".blocks: expected a list of content blocks; write [{type: text, text: ...}]"),
    Case("unreachable", f"{HEAD}{TOOL}    stub:\n      - return: 1\n      - return: 2\n{HELLO}", (
        "9: tools[0].stub[1]: is never reached: stub[0] takes every call; move that one to the end",
    )),
    Case("single-entry", f"{HEAD}{TOOL}    stub: {{return: 1, times: x}}\n{HELLO}", (
        "7: tools[0].stub.times: expected a whole number, found the text 'x'; write a number, without quotes",
    )),
    Case("ambiguous-argument",
         f"{HEAD}tools:\n  - name: grep\n    input_schema: {{properties: {{regex: {{}}}}}}\n    stub: {{when: {{regex: a}}}}\n{HELLO}",
         ("7: tools[0].stub.when.regex: could be the argument 'regex' or a matcher; write {equals: {regex: ...}} for the argument",)),
    Case("id-of-no-call",
         f"{HEAD}script: [{{content: [{{type: tool_use, id: toolu_1, name: a, input: {{}}}}]}}]\n{TOOL}    stub: {{id: toolu_2, return: 1}}\n{HELLO}",
         ("8: tools[0].stub.id: no call of the script has the id 'toolu_2'; did you mean 'toolu_1'?",)),
]  # fmt: skip

STEPS = [
    _step("number", "3", ": expected a mapping, found the number 3; write a mapping"),
    _step("nothing", "{}", ".user: missing; add it"),
    _step("field", "usr: x", ".usr: unknown field; did you mean 'user'?"),
    _step("user-nothing", "user:", ".user: expected text or a list of content blocks; write text, or [{type: text, text: ...}]"),
    _step("user-blank", "user: ' '", ".user: the text is blank, which the API refuses; write something"),
    _step("user-no-block", "user: []", ".user: the list of content blocks is empty, which the API refuses; write text or a block"),
    _step("both", "{user: x, approve: {get_weather: deny}}", ".approve: 'user' and 'approve' stand together; make them two steps"),
    _step("approve-value", "approve: {get_weather: no}", ".approve.get_weather: 'no' is not known; write one of allow, deny"),
    _step("approve-name", "approve: {get_wether: deny}", ".approve.get_wether: no tool is named 'get_wether'; did you mean 'get_weather'?"),
    _step("approve-nothing", "approve: {}", ".approve: is empty; write at least one"),
    Case("approve-first", f"{HEAD}{TOOL}conversation:\n  - approve: {{get_weather: deny}}\n", (
        "8: conversation[0].approve: nothing is open before the first prompt; start with user",
    )),
    Case("no-step", f"{HEAD}conversation: []\n", ("4: conversation: holds no step; write [{user: ...}]",)),
    Case("not-a-list", f"{HEAD}conversation: {{user: x}}\n", ("4: conversation: expected a list, found a mapping; write a list",)),
]  # fmt: skip

EXPECTATIONS = [
    _expect("field", "{tool_call: []}", ".tool_call: unknown field; did you mean 'tool_calls'?"),
    _expect("order", "{order: exat}", ".order: 'exat' is not known; did you mean 'exact'?"),
    _expect("tool", "{tool_calls: [{tool: get_wether}]}", ".tool_calls[0].tool: no tool is named 'get_wether'; did you mean 'get_weather'?"),
    _expect("unknown-tool", "{tool_calls: [{tool: delete}]}", ".tool_calls[0].tool: no tool is named 'delete'; expect result: {status: error} if the model is to call an unknown tool"),
    _expect("unknown-tool-success", "{tool_calls: [{tool: delete, result: {status: success}}]}", ".tool_calls[0].tool: no tool is named 'delete'; expect result: {status: error} if the model is to call an unknown tool"),
    _expect("toolless", "{tool_calls: [{input: {}}]}", ".tool_calls[0].tool: missing; add it"),
    _expect("input", "{tool_calls: [{tool: get_weather, input: {cty: x}}]}", ".tool_calls[0].input.cty: 'get_weather' has no argument 'cty'; did you mean 'city'?"),
    _expect("result-text", "{tool_calls: [{tool: get_weather, result: error}]}", ".tool_calls[0].result: expected a mapping; write {status: error}"),
    _expect("result-value", "{tool_calls: [{tool: get_weather, result: rain}]}", ".tool_calls[0].result: expected a mapping; write {content: 'rain'}"),
    _expect("status", "{tool_calls: [{tool: get_weather, result: {status: eror}}]}", ".tool_calls[0].result.status: 'eror' is not known; did you mean 'error'?"),
    _expect("content-matcher", "{tool_calls: [{tool: get_weather, result: {content: {contain: x}}}]}",
            ".tool_calls[0].result.content: no such matcher; did you mean 'contains'? (write {equals: ...} around plain data)"),
    _expect("two-matchers", "{tool_calls: [{tool: get_weather, result: {content: {contains: x, regex: y}}}]}",
            ".tool_calls[0].result.content: 'contains' and 'regex' stand together; a matcher has one, write {equals: ...} around plain data"),
    _expect("never-near", "{never: [get_wether]}", ".never[0]: no tool is named 'get_wether'; did you mean 'get_weather'?"),
    _expect("never-and-expected", "{never: [get_weather], tool_calls: [{tool: get_weather}]}", ".never[0]: 'get_weather' is expected in tool_calls too; remove it in one place"),
    _expect("never-text", "{never: get_weather}", ".never: expected a list, found the text 'get_weather'; write a list"),
    _expect("other_calls", "{other_calls: allow}", ".other_calls: does nothing without tool_calls; add them, or remove it"),
    _expect("turns-swapped", "{turns: {min: 3, max: 2}}", ".turns: min 3 is more than max 2; swap them"),
    _expect("turns-nothing", "{turns: {}}", ".turns: says nothing; write a number of replies, or {min: ..., max: ...}"),
    _expect("turns-zero", "{turns: 0}", ".turns: expected a number of replies, or {min: ..., max: ...}"),
    _expect("turns-text", "{turns: two}", ".turns: expected a number of replies, or {min: ..., max: ...}"),
    _expect("stop_reason", "{stop_reason: end-turn}", ".stop_reason: no stop reason 'end-turn'; did you mean 'end_turn'?"),
    _expect("final_text-list", "{final_text: [a]}", ".final_text: expected text or a matcher; write the text, or a matcher such as {contains: ...}"),
    _expect("final_text-matcher", "{final_text: {contain: a}}", ".final_text: expected text or a matcher; did you mean 'contains'?"),
    _expect("contains-nothing", "{final_text: {contains: []}}", ".final_text.contains: an empty list holds for every text; write what has to be there"),
    _expect("contains-empty", "{final_text: {contains: [a, '']}}", ".final_text.contains[1]: the empty text is in every text; write what has to be there"),
    _expect("contains-mapping", "{final_text: {contains: {a: 1}}}", ".final_text.contains: expected text, or a list of texts that all have to be there"),
    _expect("regex-number", "{final_text: {regex: 4}}", ".final_text.regex: expected a regular expression, in quotes"),
    _expect("regex-list", "{final_text: {regex: [a, '*']}}", ".final_text.regex[1]: '*' is no regular expression: nothing to repeat at position 0; mend it, or use contains"),
    _expect("any", "{final_text: {any: yes}}", ".final_text.any: expected true (anything fits) or a list (one of these fits)"),
    _expect("any-regex", "{final_text: {any: [{regex: '['}]}}", ".final_text.any[0].regex: '[' is no regular expression: unterminated character set at position 0; mend it, or use contains"),
    _expect("json-regex", "{final_text: {json: {a: [{regex: '['}]}}}", ".final_text.json.a[0].regex: '[' is no regular expression: unterminated character set at position 0; mend it, or use contains"),
    _expect("pending", "{pending: [get_wether]}", ".pending[0]: no tool is named 'get_wether'; did you mean 'get_weather'?"),
    Case("server-tool",
         f"{HEAD}tools: [{{type: web_search_20250305, name: web_search}}]\nconversation:\n  - user: x\n    expect: {{tool_calls: [{{tool: web_search}}]}}\n",
         ("7: conversation[0].expect.tool_calls[0].tool: 'web_search' runs on the API's side, no loop answers it; remove the call",)),
]  # fmt: skip

REPLIES = [
    _script("number", "4", ": expected a mapping, found the number 4; write a mapping"),
    _script("nothing", "{}", ": a reply has one of 'content', 'text', 'http_error', 'reset'; add one"),
    _script("two-kinds", "{text: x, http_error: 529}", ".http_error: 'text' and 'http_error' stand together; make them two replies"),
    _script("status", "{http_error: 200}", ".http_error: 200 is out of range; write a number greater than or equal to 400"),
    _script("status-text", "{http_error: overloaded}", ".http_error: expected a whole number, found the text 'overloaded'; write a number, without quotes"),
    _script("error-field", "{http_error: 529, stop_reason: end_turn}", ".stop_reason: unknown field; known are http_error, message"),
    _script("field", "{text: x, stop_reson: end_turn}", ".stop_reson: unknown field; did you mean 'stop_reason'?"),
    _script("cut_after", "{text: x, cut_after: 0}", ".cut_after: 0 is out of range; write a number greater than or equal to 1"),
    _script("tool_use", "{content: [{type: text, text: a}, {type: tool_use, name: x}]}",
            ".content[1].id: missing; a tool_use has id, name and input",
            ".content[1].input: missing; a tool_use has id, name and input"),
]  # fmt: skip

ALL = [*FILES, *TOP, *TOOLS, *STUBS, *STEPS, *EXPECTATIONS, *REPLIES]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)
def test_messages(case: Case) -> None:
    with pytest.raises(InvalidScenarioError) as caught:
        load_text(case.text, "w.yaml")

    expected = tuple(f"w.yaml:{what}" for what in case.expected)
    assert caught.value.problems == expected
    assert str(caught.value) == "\n".join(expected)
    assert isinstance(caught.value, ScenarioError)


SOUND = [
    Case("full", FULL, ()),
    Case("least", HEAD + HELLO, ()),
    Case("unknown-wire-fields-of-tools", f"{HEAD}tools: [{{name: a, input_schema: {{}}, brand_new: 1}}]\n{HELLO}", ()),
    Case("unknown-tool-types", f"{HEAD}tools: [{{name: a, type: robot_20300101, arms: 2, stub: {{return: 1}}}}]\n{HELLO}", ()),
    Case("mcp-toolset", f"{HEAD}tools: [{{type: mcp_toolset, mcp_server_name: a}}, {{type: mcp_toolset, mcp_server_name: b}}]\n{HELLO}", ()),
    Case("members-of-a-toolset", f"{HEAD}tools: [{{type: computer_toolset_20260801, stub: {{return: 1}}}}]\nconversation: [{{user: x, expect: {{tool_calls: [{{tool: left_click}}]}}}}]\n", ()),
    Case("unknown-tool-answered-by-an-error", f"{HEAD}{TOOL}conversation: [{{user: x, expect: {{tool_calls: [{{tool: get_wether, result: {{status: error}}}}]}}}}]\n", ()),
    Case("never-of-an-unknown-tool", f"{HEAD}{TOOL}conversation: [{{user: x, expect: {{never: [delete_file]}}}}]\n", ()),
    Case("unknown-stop-reason", f"{HEAD}conversation: [{{user: x, expect: {{stop_reason: brand_new}}}}]\n", ()),
    Case("limited-entry-first", f"{HEAD}{TOOL}    stub: [{{times: 1, return: 1}}, {{return: 2}}]\n{HELLO}", ()),
    Case("null-is-an-outcome", f"{HEAD}{TOOL}    stub: {{return: null}}\n{HELLO}", ()),
    Case("trailing-marker", f"{HEAD}{HELLO}---\n", ()),
    Case("approve-after-history", f"{HEAD}{TOOL}history: [{{role: user, content: x}}]\nconversation: [{{approve: {{get_weather: allow}}}}]\n", ()),
    Case("argument-named-like-a-matcher", f"{HEAD}tools: [{{name: grep, input_schema: {{properties: {{regex: {{}}}}}}, stub: {{when: {{equals: {{regex: a}}}}}}}}]\n{HELLO}", ()),
]  # fmt: skip


@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.id)
def test_what_is_sound_is_taken(case: Case) -> None:
    assert len(load_text(case.text, "w.yaml")) == 1


def test_a_hundred_documents() -> None:
    text = "---\n".join(f"version: 1\nname: number {number}\nmodel: m\n{HELLO}" for number in range(100))

    found = load_text(text, "w.yaml")

    assert [(one.name, one.document, one.line) for one in found] == [
        (f"number {number}", number, 1 + 5 * number) for number in range(100)
    ]
