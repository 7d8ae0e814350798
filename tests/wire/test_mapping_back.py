from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from toolreplay.wire import mapping, mapping_back
from toolreplay.wire.mapping import UnmappableError

Json = dict[str, Any]
PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
PLAIN = {"type": "text", "media_type": "text/plain", "data": "rain"}


@dataclass(frozen=True)
class Case:
    id: str
    blocks: list[Json]


CASES = (
    Case("texts", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    Case("a cache point", [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]),
    Case("a call", [{"type": "tool_use", "id": "t1", "name": "f", "input": {"city": "Oslo"}}]),
    Case("thinking", [{"type": "thinking", "thinking": "hm", "signature": "s"}]),
    Case("hidden thinking", [{"type": "redacted_thinking", "data": "aGk="}]),
    Case("an image", [{"type": "image", "source": PNG}]),
    Case("a document", [{"type": "document", "source": PDF, "title": "report"}]),
    Case(
        "a document of text",
        [{"type": "document", "source": PLAIN, "title": "a", "context": "b", "citations": {"enabled": True}}],
    ),
    Case(
        "an error",
        [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": [{"type": "image", "source": PNG}],
                "is_error": True,
            }
        ],
    ),
    Case("a result of text", [{"type": "tool_result", "tool_use_id": "t1", "content": "4 degrees"}]),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_content_goes_there_and_back(case: Case) -> None:
    assert mapping_back.content(mapping.content(case.blocks, str)) == case.blocks


def test_a_single_text_is_a_string() -> None:
    assert mapping_back.content([{"text": "hello"}]) == "hello"
    assert mapping_back.content("hello") == "hello"


def test_json_in_a_result_is_text() -> None:
    result = {"toolUseId": "t1", "status": "success", "content": [{"json": {"temp_c": 4}}]}
    assert mapping_back.content([{"toolResult": result}]) == [
        {"type": "tool_result", "tool_use_id": "t1", "content": '{"temp_c": 4}'}
    ]


@pytest.mark.parametrize("choice", [{"type": "auto"}, {"type": "any"}, {"type": "tool", "name": "f"}])
def test_a_choice_goes_there_and_back(choice: Json) -> None:
    assert mapping_back.tool_choice(mapping.tool_choice(choice)) == choice


def test_no_choice_is_none() -> None:
    assert mapping_back.tool_choice({}) is None


def test_tools_go_there_and_back_without_those_of_bedrock() -> None:
    tools = [{"name": "f", "description": "Does it.", "strict": True, "input_schema": {"type": "object"}}]
    entries = [*mapping.tools(tools), {"cachePoint": {"type": "default"}}, {"systemTool": {"name": "code"}}]
    assert mapping_back.tools(entries) == tools


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ({"video": {"format": "mp4", "source": {"bytes": ""}}}, "video"),
        ({"image": {"format": "png", "source": {"s3Location": {"uri": "s3://a/b"}}}}, "image"),
        ({"toolUse": {"toolUseId": "t1", "name": "f", "type": "server_tool_use", "input": {}}}, "toolUse"),
        ({}, None),
    ],
    ids=["video", "s3", "server tool", "nothing"],
)
def test_what_the_messages_api_has_no_place_for_is_refused(block: Json, kind: str | None) -> None:
    with pytest.raises(UnmappableError) as caught:
        mapping_back.content([block])
    assert str(caught.value) == f"a block of type {kind!r} has no place in the Messages API"
