from __future__ import annotations

import pytest

from toolreplay.errors import ScenarioError
from toolreplay.scenario.request import history, prompt_content, request_fields

from .build import FULL, HEAD, HELLO, scenario


def test_request_fields() -> None:
    assert request_fields(scenario(FULL)) == {
        "model": "claude-test",
        "max_tokens": 512,
        "system": "Be terse.",
        "tools": [
            {
                "name": "get_weather",
                "description": "Weather of a city.",
                "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
                "cache_control": {"type": "ephemeral"},
            },
            {"name": "web_search", "type": "web_search_20250305", "max_uses": 2},
            {"name": "bash", "type": "bash_20250124"},
        ],
        "tool_choice": {"type": "tool", "name": "get_weather"},
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "temperature": 0,
        "metadata": {"user_id": "u"},
    }


def test_the_least_request() -> None:
    assert request_fields(scenario(HEAD + HELLO)) == {"model": "m", "max_tokens": 1024}


def test_what_is_handed_out_may_be_changed() -> None:
    found = scenario(FULL)
    before = request_fields(found)
    fields = request_fields(found)
    fields["tools"][0]["input_schema"]["properties"].clear()
    fields["tool_choice"].clear()
    fields["metadata"].clear()
    messages = history(found)
    messages[1]["content"].clear()
    prompt = prompt_content(found.conversation[0])
    assert isinstance(prompt, list)
    prompt[0].clear()

    assert request_fields(found) == before
    assert history(found) == [
        {"role": "user", "content": "earlier"},
        {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
    ]
    assert prompt_content(found.conversation[0]) == [{"type": "text", "text": "Weather?"}]


def test_prompts_of_text() -> None:
    assert prompt_content(scenario(HEAD + HELLO).conversation[0]) == "hello"


def test_a_decision_is_no_prompt() -> None:
    with pytest.raises(ScenarioError) as caught:
        prompt_content(scenario(FULL).conversation[1])

    assert str(caught.value) == "an approve step says nothing to the model; this version plays only user steps"


def test_script_replies() -> None:
    script = scenario(FULL).script
    assert script is not None

    assert [reply.model_dump(exclude_none=True) for reply in script] == [
        {"content": ({"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}},)},
        {"http_error": 529, "message": "busy"},
        {"text": "4 degrees", "cut_after": 40},
    ]
    assert [getattr(reply, "stops", None) for reply in script] == ["tool_use", None, "end_turn"]
    assert getattr(script[2], "content", None) == ({"type": "text", "text": "4 degrees"},)
