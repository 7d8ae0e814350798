from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.projects import asks, outline, place, says, weather
from toolreplay.runner.telling import telling

LONG = "mark-01 " + "row of output " * 4000 + "total mark-01"


@dataclass(frozen=True)
class Case:
    """What a tool returns, and how a good loop may write it."""

    id: str
    value: object
    written: Callable[[Any], str]


WAYS = (
    Case("as HTML", "Tom & Jerry", lambda value: html.escape(value)),
    Case("JSON text as HTML", '{"json": "mark-01"}', lambda value: f"<output>{html.escape(value)}</output>"),
    Case("JSON text as YAML", '{"json": "mark-01"}', lambda value: "json: " + json.loads(value)["json"]),
    Case("a number in groups", 1234567, lambda value: f"{value:,}"),
    Case("the end alone", LONG, lambda value: "[... cut ...]\n" + value[-200:]),
    Case("the beginning alone", LONG, lambda value: value[:200]),
    Case("indented", {"deep": [{"still": "mark-01"}]}, lambda value: json.dumps(value, indent=4)),
)


@pytest.mark.parametrize("case", WAYS, ids=lambda case: case.id)
def test_ways_to_write_an_output(case: Case, tmp_path: Path) -> None:
    assert _found(tmp_path, case.value, case.written) == []


@pytest.mark.parametrize(
    "value", ["Tom & Jerry", LONG, 1234567, {"deep": ["mark-01"]}], ids=["text", "long", "number", "tree"]
)
def test_another_text_is_no_way_to_write_it(value: object, tmp_path: Path) -> None:
    assert _found(tmp_path, value, lambda _: "done") == [("TR603", "error")]


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        ("rain", ("rain",)),
        ("4 degrees and rain", ("4 degrees and rain", "degrees", "rain")),
        (17, ("17",)),
        (True, ()),
        (None, ()),
        ("", ()),
        (float("nan"), ()),
        (-1234.5, ("-1234.5", "-1,234.5")),
    ],
)
def test_what_is_looked_for(value: object, tokens: tuple[str, ...]) -> None:
    assert telling(value) == tokens


def _found(root: Path, value: object, written: Callable[[Any], str]) -> list[tuple[str, str]]:
    def loop(client: Any, model: str, messages: list[Any], tools: Any, functions: Any) -> list[Any]:
        while True:
            reply = client.messages.create(model=model, max_tokens=100, messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
            if reply.stop_reason != "tool_use":
                return messages
            call = next(block for block in reply.content if block.type == "tool_use")
            content = written(functions[call.name](**call.input))
            result = {"type": "tool_result", "tool_use_id": call.id, "content": content}
            messages.append({"role": "user", "content": [result]})

    tool = {**weather()["tools"][0], "stub": {"return": value}}
    scenario = place(root).scenario(weather(tools=[tool], script=[asks("Oslo"), says()]))
    return [line for line in outline(place(root).play(scenario, loop)) if line[0] == "TR603"]
