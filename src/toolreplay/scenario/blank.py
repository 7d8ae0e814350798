"""The scenario that `toolreplay new` starts with: it passes as it stands, and its comments say what to change."""

from __future__ import annotations

from typing import Final

from toolreplay.files.yaml_writing import yaml_text
from toolreplay.wire.model import Wire

from .writing import schema_line

_MODELS: Final = {Wire.MESSAGES: "claude-sonnet-5-5", Wire.CONVERSE: "anthropic.claude-sonnet-5-5-v1:0"}
_HEAD: Final = """\
{schema}
# Save the schema once with: toolreplay schema > {target}
version: 1
{name}{wire}model: {model}
# system: You are a terse weather assistant.
"""
_BODY: Final = """\
tools:
  - name: get_weather
    description: Current weather of a city.
    input_schema: {type: object, properties: {city: {type: string}}, required: [city]}
    stub:                                  # the first entry that matches a call answers it
      - when: {city: Oslo}
        return: {temp_c: 4, sky: rain}
      - raise: {type: LookupError, message: no city of that name}
conversation:
  - user: What is the weather in Oslo and in Atlantis?
    expect:                                # what is left out is not judged
      tool_calls:
        - {tool: get_weather, input: {city: Oslo}, result: {status: success, content: {temp_c: 4, sky: rain}}}
        - {tool: get_weather, input: {city: Atlantis}, result: {status: error, content: {contains: no city}}}
      turns: 2
      final_text: {contains: rain}
# What the model says. Remove it to record the model's side from the live API: toolreplay record
script:
  - content:
      - {type: tool_use, id: toolu_1, name: get_weather, input: {city: Oslo}}
      - {type: tool_use, id: toolu_2, name: get_weather, input: {city: Atlantis}}
  - text: 4 degrees and rain in Oslo. There is no city called Atlantis.
"""


def blank_text(name: str, schema: str, wire: Wire = Wire.MESSAGES) -> str:
    """A commented scenario with a script, as the text of a file.

    Args:
        name: the scenario's.
        schema: where the JSON Schema of scenario files is, relative to the file.
    """
    said = f"wire: {wire.value}\n" if wire is Wire.CONVERSE else ""
    head = _HEAD.format(
        schema=schema_line(schema),
        target=schema.lstrip("./"),
        name=yaml_text({"name": name}),
        wire=said,
        model=_MODELS[wire],
    )
    return head + _BODY
