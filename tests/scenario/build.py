from __future__ import annotations

from typing import TYPE_CHECKING

from toolreplay.scenario.load import load_text

if TYPE_CHECKING:
    from pathlib import Path

    from toolreplay.scenario.model import Scenario

HEAD = "version: 1\nname: x\nmodel: m\n"
HELLO = "conversation: [{user: hello}]\n"
TOOL = """tools:
  - name: get_weather
    input_schema: {type: object, properties: {city: {type: string}, unit: {type: string}}}
"""

FULL = """# yaml-language-server: $schema=../schema/scenario.json
version: 1
name: everything
model: claude-test
max_tokens: 512
system: Be terse.
wire: messages
stream: true
thinking: {type: enabled, budget_tokens: 1024}
betas: [some-beta-2026-01-01]
tool_choice: {type: tool, name: get_weather}
extra_body: {temperature: 0, metadata: {user_id: u}}
tools:
  - name: get_weather
    description: Weather of a city.
    input_schema: {type: object, properties: {city: {type: string}}}
    cache_control: {type: ephemeral}
    stub:
      - {id: toolu_1, return: {temp_c: 4}}
      - {when: {city: Oslo}, times: 1, delay: 0.5, return: rain}
      - {when: {city: {regex: ^A}}, raise: {type: LookupError, message: no such city}}
      - {when: {city: {equals: a}}, error: nothing found}
      - {when: {city: b}, garbage: cyclic}
      - {when: {city: c}, call: "package.module:function"}
      - {when: {city: d}, deny: not today}
      - {when: {city: e}, hang: 2}
      - {when: {city: f}, exit: true}
      - {when: {city: g}, blocks: [{type: text, text: a}]}
      - {}
  - {type: web_search_20250305, name: web_search, max_uses: 2}
  - {type: bash_20250124, name: bash, stub: {return: ok}}
history:
  - {role: user, content: earlier}
  - {role: assistant, content: [{type: text, text: yes}]}
conversation:
  - user: [{type: text, text: Weather?}]
    expect:
      order: in_order
      tool_calls:
        - tool: get_weather
          id: toolu_1
          input: {city: Oslo}
          result: {status: success, content: {any: true}, ran: true}
        - {tool: no_such_tool, result: {status: error}}
      other_calls: allow
      never: [delete_file]
      turns: {min: 1, max: 3}
      stop_reason: end_turn
      final_text: {contains: [Oslo]}
      pending: [bash]
  - approve: {bash: deny}
    expect: {turns: 1}
script:
  - content: [{type: tool_use, id: toolu_1, name: get_weather, input: {city: Oslo}}]
  - {http_error: 529, message: busy}
  - {text: 4 degrees, cut_after: 40}
loop: my_agent.loop:run
max_turns: 6
match: conversation
subagents:
  - {name: helper, system: {contains: helper}, script: [{text: done}]}
allow: [{rule: TR105, reason: the framework splits results}]
deadline: 2
"""


def scenario(text: str, root: Path | None = None) -> Scenario:
    [found] = load_text(text, "scenarios/x.yaml", root)
    return found


def stubbed(stub: str) -> Scenario:
    """A scenario whose get_weather has this stub, in YAML's flow style."""
    return scenario(f"{HEAD}{TOOL}    stub: {stub}\n{HELLO}")
